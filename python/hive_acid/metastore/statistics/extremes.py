"""The least and greatest values that the metastore keeps of columns, as texts."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

_EPOCH = datetime.datetime(1970, 1, 1)
_READERS = {
    "longStats": str,
    "doubleStats": repr,
    "decimalStats": lambda value: _spell_decimal(value.unscaled, value.scale),
    "dateStats": lambda value: str((_EPOCH + datetime.timedelta(days=value.daysSinceEpoch)).date()),
    "timestampStats": lambda value: str(_EPOCH + datetime.timedelta(seconds=value.secondsSinceEpoch)),
}


def find_extremes(statistics: Any) -> tuple[str, ...]:
    """The texts of the two values, each once; none for a column of a type that has no such statistics."""
    found = getattr(statistics.statsData, "__dict__", {})
    values = (
        (read, value)
        for name, read in _READERS.items()
        if found.get(name) is not None
        for value in (found[name].lowValue, found[name].highValue)
        if value is not None
    )
    return tuple(dict.fromkeys(text for read, value in values for text in _spell(read, value)))


def _spell(read: Any, value: Any) -> Iterator[str]:
    try:
        yield read(value)
    except OverflowError:  # a date beyond Python's years
        return


def _spell_decimal(unscaled: bytes, scale: int) -> str:
    """As SQL spells it, with its scale."""
    number = int.from_bytes(unscaled, "big", signed=True)
    return format(Decimal(number).scaleb(-scale), "f")
