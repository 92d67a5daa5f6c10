"""Rows of a metastore as text and as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from io import StringIO
from typing import Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

Value = str | int | bool | tuple[str, ...] | Mapping[str, str] | None
TIMES: Final = frozenset(
    ("startedtime", "lastheartbeattime", "last_heartbeat", "acquired_at", "enqueuetime", "starttime", "committime")
)
"""Columns with milliseconds since 1970."""
_NARROW: Final = 80
"""Where nobody looks at a terminal, lines are as long as they need to be."""


@dataclass(frozen=True)
class Listing:
    """Rows with a value for each of the columns; `noun` is the plural of what they are."""

    noun: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[Value, ...]]


def format_json(listing: Listing) -> str:
    """For programs: one object on one line, with all columns; a time is in milliseconds since 1970."""
    return json.dumps({listing.noun: [dict(zip(listing.columns, row, strict=True)) for row in listing.rows]})


def format_text(listing: Listing, width: int | None) -> str:
    """For people: a table of `width` characters, None for as many as it takes.

    Columns in which no row has a value are left out. Times are in UTC.
    """
    if not listing.rows:
        return f"there are no {listing.noun}"
    used = [at for at in range(len(listing.columns)) if any(row[at] is not None for row in listing.rows)]
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for at in used:
        table.add_column(listing.columns[at], overflow="fold")
    for row in listing.rows:
        table.add_row(*(Text(_format(listing.columns[at], row[at])) for at in used))
    written = StringIO()
    Console(file=written, width=width or 10_000, color_system=None).print(table)
    return "\n".join(line.rstrip() for line in written.getvalue().rstrip().splitlines())


def _format(column: str, value: Value) -> str:
    if value is None:
        return ""
    if column in TIMES and isinstance(value, int):
        return datetime.fromtimestamp(value / 1000, timezone.utc).strftime("%Y-%m-%d %H:%M:%S")
    text = ", ".join(value) if isinstance(value, tuple) else str(value)
    return "".join(character if character.isprintable() else " " for character in text)
