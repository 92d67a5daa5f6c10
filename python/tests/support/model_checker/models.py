"""The actors of the models, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement

from support.model_checker import effects
from support.model_checker.actors import SparkStatement
from support.model_checker.effects import Effect
from support.model_checker.search import BuildActor


def _statement(effect: Effect) -> BuildActor:
    return lambda world, number: SparkStatement(world, number, effect)


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
OF_PARTITIONS: Mapping[str, BuildActor] = {
    "update-named": _statement(effects.update(1, 1)),
    "delete-named": _statement(effects.delete(1, 1)),
    "overwrite-named": _statement(effects.overwrite(21, 1)),
    "truncate-named": _statement(effects.truncate(1)),
}
_ALL = {**ACTORS, **OF_PARTITIONS}
PAIRS = tuple(combinations_with_replacement(ACTORS, 2))


def build_clients(names: Sequence[str]) -> dict[str, BuildActor]:
    """One client for each of the names of actors, which may be there more than once."""
    return {f"{number} {name}": _ALL[name] for number, name in enumerate(names)}
