"""Rows for tables that are clustered by a text and a number: `k STRING, n BIGINT, v INT, d INT`."""

from __future__ import annotations

from typing import Any


def numbers(*ids: int, v: int = 0) -> list[tuple[Any, ...]]:
    """Rows of the table as `rows_of` selects them."""
    return [(f"ä{i}", i, v, i % 2) for i in ids]


def rows_of(condition: str, v: str = "0") -> str:
    """The query of those of forty rows that meet a condition on `id`."""
    return f"SELECT concat('ä', id), id, {v}, int(id % 2) FROM range(40) WHERE {condition}"
