"""The actors of the models, by name."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations_with_replacement, product

from hive_acid.metastore.compaction_types import CompactionKind
from hive_acid.metastore.types import MetastoreLine
from support.model_checker import effects
from support.model_checker.actors import SparkDropPartition, SparkStatement, SparkTogether, SparkTransaction
from support.model_checker.choices import Act
from support.model_checker.effects import Effect
from support.model_checker.maintenance import (
    AbortedCleaner,
    Housekeeper,
    SparkWorker,
    build_cleaner,
    build_late_cleaner,
)
from support.model_checker.other_engines import HiveStatement, TrinoStatement
from support.model_checker.readers import SparkReader
from support.model_checker.search import Bounds, BuildActor, Found, Search
from support.model_checker.world import Setting


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
    "transaction-own": lambda world, number: SparkTransaction(world, number, effects.insert(43), effects.update(43)),
    "transaction-overwrites": lambda world, number: SparkTransaction(
        world, number, effects.delete(77), effects.overwrite(45)
    ),
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
    "late-cleaner": build_late_cleaner,
    "aborted-cleaner": AbortedCleaner,
    "housekeeper": Housekeeper,
}
OF_PARTITIONS: Mapping[str, BuildActor] = {
    "update-named": _statement(effects.update(1, 1)),
    "delete-named": _statement(effects.delete(1, 1)),
    "overwrite-named": _statement(effects.overwrite(21, 1)),
    "truncate-named": _statement(effects.truncate(1)),
    "drop-partition": SparkDropPartition,
}
_ALL = {**ACTORS, **SEVERAL, **OTHERS, **FOR_HIVE, **READERS, **MAINTENANCE, **OF_PARTITIONS}
SETTINGS = tuple(Setting(line, is_partitioned) for line in MetastoreLine for is_partitioned in (False, True))
_OURS = ("transaction", "together")
_OF_4_ALONE = ("minor", "rebalance", "aborted-cleaner")
_FORGETTING = ("cleaner", "late-cleaner", "aborted-cleaner")


def build_clients(names: Sequence[str]) -> dict[str, BuildActor]:
    """One client for each of the names of actors, which may be there more than once."""
    return {f"{number} {name}": _ALL[name] for number, name in enumerate(names)}


@dataclass(frozen=True)
class Model:
    """Clients on a kind of table, and the bounds of the search."""

    setting: Setting
    names: tuple[str, ...]
    bounds: Bounds = field(default_factory=Bounds)

    @classmethod
    def parse(cls, text: str) -> Model:
        """From `4 flat update+overwrite`, or `3.1 partitioned insert+cleaner with a fault`."""
        line, kind, names, *rest = text.split(" ")
        model = cls(Setting(MetastoreLine(line), kind == "partitioned"), tuple(names.split("+")))
        return model.with_fault() if rest else model

    def with_fault(self, runs: int | None = None) -> Model:
        """The same with one fault, a kill or an abort by somebody else, and so many runs at most.

        No abort beside a Cleaner: files that get their names in the very moment in which their transaction is aborted,
        cleaned and forgotten count (`test_known_windows.py`).
        """
        acts = (Act.KILL,) if set(self.names) & set(_FORGETTING) else (Act.KILL, Act.ABORT)
        return replace(self, bounds=Bounds(faults=1, runs=runs, acts=acts))

    @property
    def is_of_flat_tables_too(self) -> bool:
        """True for a partitioned table whose clients name no partition."""
        return self.setting.is_partitioned and OF_PARTITIONS.keys().isdisjoint(self.names)

    def __str__(self) -> str:
        kind = "partitioned" if self.setting.is_partitioned else "flat"
        rest = " with a fault" if self.bounds.faults else ""
        return f"{self.setting.line.value} {kind} {'+'.join(self.names)}{rest}"

    def search(self) -> Found:
        """All schedules, or those until a violation."""
        return Search(self.setting, build_clients(self.names), self.bounds).run()


def list_pairs() -> list[Model]:
    """Each statement of ours with each other actor that there is on the line, in each kind of table."""
    found = []
    for setting in SETTINGS:
        ours = [*ACTORS, *_OURS, *(OF_PARTITIONS if setting.is_partitioned else ())]
        others = [*OTHERS, *READERS, "major", "minor", "rebalance", "cleaner", "aborted-cleaner"]
        if setting.line is MetastoreLine.HIVE_3:
            others = [name for name in others if name not in _OF_4_ALONE]
        pairs = [
            *combinations_with_replacement(ours, 2),
            *product(ours, others),
            ("reader", "major"),
            ("major", "major"),
        ]
        found += [Model(setting, pair) for pair in pairs]
    return found


def draw_triples(seed: int, count: int) -> list[Model]:
    """Models of three clients: a pair of the list and one more actor, with a fault."""
    chance = random.Random(seed)
    pairs = list_pairs()
    drawn = (chance.choice(pairs) for _ in range(count))
    more = [*ACTORS, *READERS, "major", "late-cleaner", "housekeeper"]
    return [replace(pair, names=(*pair.names, chance.choice(more))).with_fault() for pair in drawn]
