"""A table with a column of every type that is written, and the values that random rows take."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

Row = dict[str, Hashable]
"""Values by column, in the order of the table's columns, as `freeze` leaves them."""


@dataclass(frozen=True)
class Literal:
    """A value as SQL and as a reader returns it (`freeze`)."""

    sql: str
    value: Hashable


NULL = Literal("NULL", None)


def _whole_numbers(*values: int) -> tuple[Literal, ...]:
    return tuple(Literal(str(value), value) for value in values)


def _texts(*values: str, width: int = 0) -> tuple[Literal, ...]:
    """`width` pads the value, as CHAR does."""
    return tuple(Literal("'" + value.replace("'", r"\'") + "'", value.ljust(width)) for value in values)


def _casts(kind: str, **values: Hashable) -> tuple[Literal, ...]:
    return tuple(Literal(f"CAST('{text}' AS {kind})", value) for text, value in values.items())


def _floats(kind: str, *values: float) -> tuple[Literal, ...]:
    return _casts(kind, **{repr(value): value for value in values})


def _decimals(*values: str) -> tuple[Literal, ...]:
    return _casts("DECIMAL(38,10)", **{value: Decimal(value) for value in values})


def _dates(*values: str) -> tuple[Literal, ...]:
    return tuple(Literal(f"DATE '{value}'", date.fromisoformat(value)) for value in values)


def _timestamps(*values: str) -> tuple[Literal, ...]:
    return tuple(Literal(f"TIMESTAMP '{value}'", datetime.fromisoformat(value)) for value in values)


TYPES: Mapping[str, str] = {
    "id": "INT",
    "n": "TINYINT",
    "bo": "BOOLEAN",
    "si": "SMALLINT",
    "bi": "BIGINT",
    "fl": "FLOAT",
    "do": "DOUBLE",
    "de": "DECIMAL(38,10)",
    "st": "STRING",
    "vc": "VARCHAR(10)",
    "ch": "CHAR(5)",
    "bn": "BINARY",
    "dt": "DATE",
    "ts": "TIMESTAMP",
    "ar": "ARRAY<INT>",
    "mp": "MAP<STRING, INT>",
    "sr": "STRUCT<x: INT, y: STRING>",
}
PARTITION_COLUMN, PARTITION_TYPE = "p", "STRING"
IDS = 30
"""IDs are 0 to 29, so that several rows share one and conditions find some."""

# No NaN, which Spark compares otherwise than Python; FLOATs that a Python float holds exactly.
LITERALS: Mapping[str, tuple[Literal, ...]] = {
    "id": _whole_numbers(*range(IDS)),
    "n": (NULL, *_whole_numbers(0, 1, 2, 3, -128, 127)),
    "bo": (NULL, Literal("TRUE", True), Literal("FALSE", False)),
    "si": (NULL, *_whole_numbers(-32768, 0, 7, 32767)),
    "bi": (NULL, *_casts("BIGINT", **{str(value): value for value in (-(2**63), -1, 5, 2**63 - 1)})),
    "fl": (NULL, *_floats("FLOAT", 1.5, -0.25, 2.0**100)),
    "do": (NULL, *_floats("DOUBLE", 0.1, -1.7976931348623157e308, 2.5, float("inf"))),
    "de": (NULL, *_decimals(f"{'9' * 28}.{'9' * 10}", f"-{'9' * 28}.{'9' * 10}", "0.0000000001", "0", "12.5")),
    "st": (NULL, *_texts("", "a", "it's", "Ab  c ", "ü€😀")),
    "vc": (NULL, *_texts("", "vc", "ten chars!", "zehn Öäü€😀")),
    "ch": (NULL, *_texts("ch", "five!", "é", width=5)),
    "bn": (NULL, Literal("X''", b""), Literal("X'7879'", b"xy"), Literal("X'00FF80'", b"\x00\xff\x80")),
    "dt": (NULL, *_dates("2020-02-29", "0001-01-01", "1969-12-31", "9999-12-31")),
    "ts": (
        NULL,
        *_timestamps("1969-07-20 20:17:40.250000", "2024-06-15 12:00:00.000001", "1999-12-31 23:59:59.999999"),
    ),
    "ar": (
        NULL,
        Literal("CAST(ARRAY() AS ARRAY<INT>)", ()),
        Literal("ARRAY(1, NULL, 3)", (1, None, 3)),
        Literal("ARRAY(2147483647)", (2147483647,)),
    ),
    "mp": (
        NULL,
        Literal("CAST(MAP() AS MAP<STRING, INT>)", frozenset()),
        Literal("MAP('k', 1, 'l', NULL)", frozenset({("k", 1), ("l", None)})),
    ),
    "sr": (
        NULL,
        Literal("NAMED_STRUCT('x', 1, 'y', 'z')", (1, "z")),
        Literal("NAMED_STRUCT('x', CAST(NULL AS INT), 'y', '')", (None, "")),
    ),
    PARTITION_COLUMN: (NULL, *_texts("a", "b", "c/d e=%")),
}
ORDERED = ("id", "n", "bo", "si", "bi", "do", "de", "st", "vc", "dt", "ts", PARTITION_COLUMN)
"""Columns that Python compares as SQL does; texts by code point, which is the order of their UTF-8."""


def freeze(value: object) -> Hashable:
    """A value of a row that PySpark or PyArrow returned, made hashable: sequences and structs as tuples, a map as the
    set of its entries."""
    if isinstance(value, dict):
        return frozenset((freeze(key), freeze(item)) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return tuple(freeze(item) for item in value)
    if isinstance(value, bytearray):
        return bytes(value)
    assert isinstance(value, Hashable)
    return value
