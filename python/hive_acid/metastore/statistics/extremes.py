"""The least and greatest values that the metastore keeps of columns, as texts."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

_EPOCH = datetime.datetime(1970, 1, 1)
_READERS: Mapping[str, Callable[[Any], str]] = {
    "longStats": str,
    "doubleStats": repr,
    "decimalStats": lambda value: _spell_decimal(value.unscaled, value.scale),
    "dateStats": lambda value: str((_EPOCH + datetime.timedelta(days=value.daysSinceEpoch)).date()),
    "timestampStats": lambda value: str(_EPOCH + datetime.timedelta(seconds=value.secondsSinceEpoch)),
}


_UNKNOWN = "a value that is not known"
"""The text of no number, day or moment."""


def find_extremes(statistics: Any) -> tuple[str, ...]:
    """The texts of the two values, each once; none for a column of a type that has no such statistics.

    One that cannot be told has a text that is no value of any type but a text.
    """
    found = getattr(statistics.statsData, "__dict__", {})
    values = (
        (read, value)
        for name, read in _READERS.items()
        if found.get(name) is not None
        for value in (found[name].lowValue, found[name].highValue)
        if value is not None
    )
    return tuple(dict.fromkeys(_spell(read, value) for read, value in values))


def _spell(read: Callable[[Any], str], value: Any) -> str:
    try:
        return read(value)
    except OverflowError:  # a date beyond Python's years
        return _UNKNOWN


def _spell_decimal(unscaled: bytes, scale: int) -> str:
    """As SQL spells it, with its scale."""
    number = int.from_bytes(unscaled, "big", signed=True)
    return format(Decimal(number).scaleb(-scale), "f")
