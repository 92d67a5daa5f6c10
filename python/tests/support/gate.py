"""Which tests the gate leaves to `./dev test --all`, beside those marked `slow`, which are long by their nature.

`@pytest.mark.beyond_the_gate("where the gate proves the same")` stands at a test, or as `pytestmark` in a file. The
gate leaves out all its cells; with `but=[…]` all cells but these, with `cells=[…]` these alone. Both hold patterns of
pytest's IDs of cells, in which `*` stands for any text. `@pytest.mark.in_the_gate` takes a test out of what its file
says.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Final

import pytest

BEYOND: Final = "beyond_the_gate"
INSIDE: Final = "in_the_gate"


def is_left_out(item: pytest.Item) -> bool:
    """True for a test that the gate leaves out by a mark of this module."""
    mark = item.get_closest_marker(BEYOND)
    if mark is None or item.get_closest_marker(INSIDE):
        return False
    cell = find_cell(item)
    if "cells" in mark.kwargs:
        return _is_one_of(cell, mark.kwargs["cells"])
    return not _is_one_of(cell, mark.kwargs.get("but", ()))


def find_unknown_patterns(items: Iterable[pytest.Item]) -> list[tuple[str, str]]:
    """Tests with a pattern of a mark that none of their cells has. `items` has all cells of each test."""
    cells: dict[str, list[str]] = {}
    patterns: dict[str, tuple[str, ...]] = {}
    for item in items:
        mark = item.get_closest_marker(BEYOND)
        if mark and mark in item.own_markers:
            test = item.nodeid.partition("[")[0]
            cells.setdefault(test, []).append(find_cell(item))
            patterns[test] = (*mark.kwargs.get("cells", ()), *mark.kwargs.get("but", ()))
    return [
        (test, pattern)
        for test, of_test in patterns.items()
        for pattern in of_test
        if not any(fnmatchcase(cell, pattern) for cell in cells[test])
    ]


def find_cell(item: pytest.Item) -> str:
    """What pytest's ID of the test has in brackets; nothing if it has none."""
    callspec = getattr(item, "callspec", None)
    return callspec.id if callspec else ""


def _is_one_of(cell: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(cell, pattern) for pattern in patterns)
