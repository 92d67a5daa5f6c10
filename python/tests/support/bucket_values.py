"""Values of every type by which a table can be bucketed, at the edges of the types, as both engines spell them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from math import inf, nan
from typing import Any

NO_TIMESTAMPS = 1
NO_BINARIES = 2
"""The bucketing versions in which the hash of such a value is not a function of it."""


@dataclass(frozen=True)
class Edge:
    """A value as an expression of Hive and Spark, and as Python has it."""

    sql: str
    value: Any


def types_of(version: int) -> Mapping[str, Sequence[Edge]]:
    """The edges by type, in Hive's spelling, of all types whose hash of this version is a function of the value."""
    left_out = "timestamp" if version == NO_TIMESTAMPS else "binary"
    return {type_: edges for type_, edges in EDGES.items() if type_ != left_out}


def _cast(type_: str, values: Mapping[str, Any]) -> tuple[Edge, ...]:
    return tuple(Edge(f"CAST('{text}' AS {type_})", value) for text, value in values.items())


def _numbers(type_: str, *values: int) -> tuple[Edge, ...]:
    return _cast(type_, {str(value): value for value in values})


def _texts(*values: str) -> tuple[Edge, ...]:
    return tuple(Edge(f"'{value}'", value) for value in values)


def _decimals(type_: str, *values: str) -> tuple[Edge, ...]:
    return _cast(type_, {value: Decimal(value) for value in values})


_TEXTS = ("", "a", "a  ", "  a", "test", "äöü", "ééé", "\u5f3a\u5927Trino", "\U0001f600x", "0123456789")

EDGES: Mapping[str, Sequence[Edge]] = {
    "boolean": (Edge("true", True), Edge("false", False)),
    "tinyint": _numbers("tinyint", -128, 127, 0, -1),
    "smallint": _numbers("smallint", -32768, 32767, 0, -1, 300),
    "int": _numbers("int", -(2**31), 2**31 - 1, 0, -1, 300000),
    "bigint": _numbers("bigint", -(2**63), 2**63 - 1, 0, -1, 300000000000),
    "float": _cast(
        "float",
        {
            **{"0.0": 0.0, "-0.0": -0.0, "NaN": nan, "Infinity": inf, "-Infinity": -inf, "12.34": 12.34},
            **{"3.4028235E38": 3.4028234663852886e38, "1.4E-45": 1.401298464324817e-45},
        },
    ),
    "double": _cast(
        "double",
        {
            **{"0.0": 0.0, "-0.0": -0.0, "NaN": nan, "Infinity": inf, "-Infinity": -inf, "12.34": 12.34},
            **{"1.7976931348623157E308": 1.7976931348623157e308, "4.9E-324": 5e-324},
        },
    ),
    "decimal(38,10)": _decimals(
        "decimal(38,10)",
        *("0", "1.10", "100", "-100.5", "-0.0000000001", "128", "-128", "18446744073709551616"),
        *("1234567890123456789012345678.0123456789", "-9999999999999999999999999999.9999999999"),
    ),
    "decimal(38,0)": _decimals("decimal(38,0)", "9" * 38, "-" + "9" * 38, "1" + "0" * 19, "255", "0"),
    "decimal(5,2)": _decimals("decimal(5,2)", "0.00", "-1.50", "999.99", "100.00"),
    "string": _texts(*_TEXTS),
    "varchar(10)": _texts(*_TEXTS),
    "char(10)": _texts(*_TEXTS),
    "binary": tuple(Edge(f"CAST('{text}' AS binary)", text.encode()) for text in ("", "a", "abcd", "äöü")),
    "date": _cast(
        "date",
        {
            text: date.fromisoformat(text)
            for text in (
                "1970-01-01",
                "1969-12-31",
                "2015-11-19",
                "1582-10-04",
                "1500-01-01",
                "0001-01-01",
                "9999-12-31",
            )
        },
    ),
    "timestamp": _cast(
        "timestamp",
        {
            text: datetime.fromisoformat(text)
            for text in (
                *(
                    "1970-01-01 00:00:00",
                    "2024-07-01 12:34:56",
                    "2024-07-01 12:34:56.100",
                    "2024-07-01 12:34:56.000001",
                ),
                *("1969-12-31 23:59:58", "1950-01-01 00:00:00.250", "1500-01-01 00:00:00", "0001-01-01 00:00:00"),
                *("9999-12-31 23:59:59.999999", "2038-01-19 03:14:08"),
            )
        },
    ),
    "array<smallint>": (
        Edge("array(5S, 8S, 13S)", [5, 8, 13]),
        Edge("array(CAST(NULL AS smallint), 7S)", [None, 7]),
    ),
    "map<string,bigint>": (
        Edge(
            "map('key', 123L, 'key2', 123456789L, 'key3', -123456L)", {"key": 123, "key2": 123456789, "key3": -123456}
        ),
        Edge("map('k', CAST(NULL AS bigint))", {"k": None}),
    ),
    "struct<a:int,b:string>": (
        Edge("named_struct('a', 1, 'b', 'x')", (1, "x")),
        Edge("named_struct('a', 2, 'b', CAST(NULL AS string))", (2, None)),
    ),
}
