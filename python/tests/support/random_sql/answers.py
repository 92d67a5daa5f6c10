"""Answers of queries, and in what two of them differ."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Final

from support.acid_merge import freeze

SHOWN: Final = 3
"""How many wrong rows are shown."""


@dataclass(frozen=True)
class Answer:
    """Columns and rows of a query."""

    types: tuple[tuple[str, str], ...]
    rows: Counter[Hashable]


def differing(ours: Answer, theirs: Answer) -> str | None:
    """What is wrong with the first of them, or None."""
    if ours.types != theirs.types:
        return f"columns {ours.types}, but {theirs.types} in plain tables"
    surplus, missing = (list(rows.elements())[:SHOWN] for rows in (ours.rows - theirs.rows, theirs.rows - ours.rows))
    return f"too many {surplus}\nmissing  {missing}" if surplus or missing else None


def frozen(value: object) -> Hashable:
    """With NaN equal to itself, and 0.0 other than -0.0."""
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else repr(value)
    if isinstance(value, dict):
        return frozenset((frozen(key), frozen(item)) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return tuple(frozen(item) for item in value)
    return freeze(value)


def as_in_files(name: str, type_: str, is_key: bool) -> str:
    """How an independent reader finds the value: a partition's as text, a timestamp as the wall clock."""
    if is_key:
        return f"CAST({name} AS STRING) AS {name}"
    return f"CAST({name} AS TIMESTAMP_NTZ) AS {name}" if type_ == "TIMESTAMP" else name
