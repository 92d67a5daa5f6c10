"""The actors of the models, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement

from hive_acid.metastore.compaction_types import CompactionKind
from support.model_checker import effects
from support.model_checker.actors import SparkDropPartition, SparkStatement, SparkTogether, SparkTransaction
from support.model_checker.effects import Effect
from support.model_checker.maintenance import AbortedCleaner, SparkWorker, build_cleaner
from support.model_checker.other_engines import HiveStatement, TrinoStatement
from support.model_checker.readers import SparkReader
from support.model_checker.search import BuildActor


def _statement(effect: Effect) -> BuildActor:
    return lambda world, number: SparkStatement(world, number, effect)


def _worker(kind: CompactionKind) -> BuildActor:
    return lambda world, number: SparkWorker(world, number, kind)


def _hive(effect: Effect) -> BuildActor:
    return lambda world, number: HiveStatement(world, number, effect)


def _trino(effect: Effect) -> BuildActor:
    return lambda world, number: TrinoStatement(world, number, effect)


ACTORS: Mapping[str, BuildActor] = {
    "insert": _statement(effects.insert(11)),
    "update": _statement(effects.update(1)),
    "delete": _statement(effects.delete(1)),
    "merge": _statement(effects.merge(1)),
    "merge-inserts": _statement(effects.merge(11)),
    "overwrite": _statement(effects.overwrite(21)),
    "truncate": _statement(effects.truncate()),
    "replace": _statement(effects.replace_where(31)),
}
SEVERAL: Mapping[str, BuildActor] = {
    "transaction": lambda world, number: SparkTransaction(world, number, effects.insert(41), effects.update(1)),
    "together": lambda world, number: SparkTogether(world, number, effects.insert(51), effects.insert(53)),
}
OTHERS: Mapping[str, BuildActor] = {
    "hive-insert": _hive(effects.insert(61)),
    "hive-update": _hive(effects.update(1)),
    "hive-delete": _hive(effects.delete(1)),
    "hive-overwrite": _hive(effects.overwrite(71)),
    "trino-insert": _trino(effects.insert(81)),
    "trino-update": _trino(effects.update(1)),
    "trino-delete": _trino(effects.delete(1)),
}
FOR_HIVE: Mapping[str, BuildActor] = {
    "trino-update-for-hive": lambda world, number: TrinoStatement(
        world, number, effects.update(1), is_read_by_hive=True
    ),
}
"""Shows what Trino makes of a table that Hive reads."""
READERS: Mapping[str, BuildActor] = {"reader": SparkReader}
MAINTENANCE: Mapping[str, BuildActor] = {
    "major": _worker(CompactionKind.MAJOR),
    "minor": _worker(CompactionKind.MINOR),
    "rebalance": _worker(CompactionKind.REBALANCE),
    "cleaner": build_cleaner,
    "aborted-cleaner": AbortedCleaner,
}
OF_PARTITIONS: Mapping[str, BuildActor] = {
    "update-named": _statement(effects.update(1, 1)),
    "delete-named": _statement(effects.delete(1, 1)),
    "overwrite-named": _statement(effects.overwrite(21, 1)),
    "truncate-named": _statement(effects.truncate(1)),
    "drop-partition": SparkDropPartition,
}
_ALL = {**ACTORS, **SEVERAL, **OTHERS, **FOR_HIVE, **READERS, **MAINTENANCE, **OF_PARTITIONS}
PAIRS = tuple(combinations_with_replacement(ACTORS, 2))


def build_clients(names: Sequence[str]) -> dict[str, BuildActor]:
    """One client for each of the names of actors, which may be there more than once."""
    return {f"{number} {name}": _ALL[name] for number, name in enumerate(names)}
