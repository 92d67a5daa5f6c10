"""A run of everything in parts: each part runs whole units, and all parts together run each test once.

The seconds of the last run decide nothing here. They differ between runs, and parts that were dealt by different
seconds would run a test twice or never.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import pytest

from support.dealing import find_unit, guess_seconds


@dataclass(frozen=True)
class Part:
    """One of `count` parts; `number` is 1 to `count`, inclusive."""

    number: int
    count: int


def parse_part(text: str) -> Part:
    """From a text like `2/3`.

    Raises:
        ValueError: the text names no part.
    """
    match = re.fullmatch(r"([0-9]+)/([0-9]+)", text)
    part = Part(*map(int, match.groups())) if match else Part(0, 0)
    if not 1 <= part.number <= part.count:
        raise ValueError(f"--part takes a number and a count like 1/3, not {text!r}")
    return part


def deal_units(test_counts: Mapping[str, int], part_count: int) -> tuple[frozenset[str], ...]:
    """The units of each part: the longest unit that is left goes to the part that has the least to do."""
    seconds = {unit: guess_seconds(unit, count, {}) for unit, count in test_counts.items()}
    parts: list[set[str]] = [set() for _ in range(part_count)]
    sums = [0.0] * part_count
    for unit in sorted(seconds, key=lambda unit: (-seconds[unit], unit)):
        least = sums.index(min(sums))
        parts[least].add(unit)
        sums[least] += seconds[unit]
    return tuple(map(frozenset, parts))


def tell_seconds(test_counts: Mapping[str, int], of_part: Collection[str]) -> str:
    """How long all units of a run, and those of a part, are expected to take one process."""
    seconds = {unit: guess_seconds(unit, count, {}) for unit, count in test_counts.items()}
    own = sum(seconds[unit] for unit in of_part)
    return f"expected: {own:,.0f} of {sum(seconds.values()):,.0f} s of one process"


class PartChoice:
    """A plugin that leaves to a run the tests of its part."""

    def __init__(self, part: Part) -> None:
        self._part = part
        self._told = ""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """After `-m` has chosen."""
        unit_of = {item: find_unit(item.nodeid, is_whole_run=True) for item in items}
        counts = Counter(unit_of.values())
        units = deal_units(counts, self._part.count)[self._part.number - 1]
        self._told = tell_seconds(counts, units)
        others = [item for item in items if unit_of[item] not in units]
        items[:] = [item for item in items if unit_of[item] in units]
        config.hook.pytest_deselected(items=others)

    def pytest_report_collectionfinish(self) -> str:
        """Where tests are collected in this process."""
        return self._told
