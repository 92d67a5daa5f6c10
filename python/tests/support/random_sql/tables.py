"""Random tables, and the values that their columns take."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

VALUES: Final[Mapping[str, Sequence[str]]] = {
    "TINYINT": ("0Y", "1Y", "-128Y", "127Y"),
    "SMALLINT": ("0S", "7S", "-32768S", "32767S"),
    "INT": tuple(map(str, range(30))),
    "BIGINT": ("0L", "-1L", "5L", "9223372036854775807L"),
    "BOOLEAN": ("true", "false"),
    "FLOAT": ("1.5F", "-0.25F", "CAST('NaN' AS FLOAT)", "0.0F"),
    "DOUBLE": ("0.1D", "-1.7976931348623157E308D", "CAST('Infinity' AS DOUBLE)", "2.5D", "CAST('NaN' AS DOUBLE)"),
    "DECIMAL(12,3)": tuple(f"CAST({text}BD AS DECIMAL(12,3))" for text in ("0", "12.5", "-0.001", "999999999.999")),
    "DECIMAL(38,10)": tuple(f"CAST('{text}' AS DECIMAL(38,10))" for text in ("0", "-0.0000000001", "9" * 28)),
    "STRING": ("''", "'a'", "'Ab  c '", "'ü€😀'", r"'it\'s'", "'a'", "'b'"),
    "VARCHAR(6)": ("''", "'vc'", "'six ch'", "'Öäü€😀'"),
    "CHAR(4)": ("'ch'", "'four'", "'é'", "'a'"),
    "BINARY": ("X''", "X'7879'", "X'00FF80'"),
    "DATE": ("DATE '2020-02-29'", "DATE '1969-12-31'", "DATE '0001-01-01'", "DATE '9999-12-31'"),
    "TIMESTAMP": (
        "TIMESTAMP '1969-07-20 20:17:40.25'",
        "TIMESTAMP '2024-06-15 12:00:00.000001'",
        "TIMESTAMP '2024-03-31 02:30:00'",
        "TIMESTAMP '1999-12-31 23:59:59.999999'",
    ),
    "ARRAY<INT>": ("CAST(array() AS ARRAY<INT>)", "array(1, NULL, 3)", "array(2147483647)"),
    "MAP<STRING,INT>": ("CAST(map() AS MAP<STRING,INT>)", "map('k', 1, 'l', NULL)"),
    "STRUCT<x:INT,y:STRING>": ("named_struct('x', 1, 'y', 'z')", "named_struct('x', CAST(NULL AS INT), 'y', '')"),
}
"""Literals of each type, as SQL."""
KEY_VALUES: Final[Mapping[str, Sequence[str]]] = {
    "STRING": ("'a'", "'b'", "'c/d e=%'", "'Ü'", r"'it\'s'"),
    "INT": ("0", "1", "-7"),
    "SMALLINT": ("0S", "3S"),
    "DATE": ("DATE '2020-02-29'", "DATE '1969-12-31'"),
    "BOOLEAN": ("true", "false"),
}
"""Those of partition columns."""
BUCKETED_BY: Final = ("INT", "BIGINT", "STRING", "SMALLINT", "DATE", "DECIMAL(12,3)")
COMPARED: Final = frozenset(VALUES) - {"MAP<STRING,INT>"}
"""Types that SQL compares."""
NULLS: Final = 0.15
"""How many values are NULL."""


class Kind(Enum):
    """How a table keeps its rows."""

    ACID = "ACID"
    ORIGINALS = "with originals"
    INSERT_ONLY = "insert-only, ORC"
    INSERT_ONLY_PARQUET = "insert-only, Parquet"


@dataclass(frozen=True)
class Column:
    """A column; `is_required` is NOT NULL."""

    name: str
    type: str
    is_required: bool = False

    @property
    def sql(self) -> str:
        return f"{self.name} {self.type}{' NOT NULL' if self.is_required else ''}"


@dataclass(frozen=True)
class TableSpec:
    """What CREATE says. The first column is `id INT`; `keys` are the partition columns."""

    name: str
    kind: Kind
    own: tuple[Column, ...]
    keys: tuple[Column, ...] = ()
    bucketed_by: str = ""
    buckets: int = 0
    has_grown: bool = False
    """True after ADD COLUMNS."""

    @property
    def columns(self) -> tuple[Column, ...]:
        """As `SELECT *` shows them."""
        return self.own + self.keys

    @property
    def changes_rows(self) -> bool:
        """True if UPDATE, DELETE and MERGE go there."""
        return self.kind in (Kind.ACID, Kind.ORIGINALS)

    def with_columns(self, added: Sequence[Column]) -> TableSpec:
        """After ADD COLUMNS."""
        return replace(self, own=(*self.own, *added), has_grown=True)

    @property
    def sql(self) -> str:
        """The statement that makes it; one with originals is not transactional yet."""
        partitioned = f" PARTITIONED BY ({', '.join(key.sql for key in self.keys)})" if self.keys else ""
        clustered = f" CLUSTERED BY ({self.bucketed_by}) INTO {self.buckets} BUCKETS" if self.buckets else ""
        form = "PARQUET" if self.kind is Kind.INSERT_ONLY_PARQUET else "ORC"
        properties = {"transactional": "true"} if self.kind is not Kind.ORIGINALS else {}
        if self.kind in (Kind.INSERT_ONLY, Kind.INSERT_ONLY_PARQUET):
            properties["transactional_properties"] = "insert_only"
        said = ", ".join(f"'{key}'='{value}'" for key, value in properties.items())
        columns = ", ".join(column.sql for column in self.own)
        tail = f" TBLPROPERTIES ({said})" if said else ""
        return f"CREATE TABLE {self.name} ({columns}){partitioned}{clustered} STORED AS {form}{tail}"


def draw_table(chance: random.Random, name: str, *, has_chars: bool) -> TableSpec:
    """A table of any kind. Without `has_chars` it has no CHAR."""
    kind = chance.choices(list(Kind), (6, 2, 1, 1))[0]
    types = [type_ for type_ in VALUES if has_chars or not type_.startswith("CHAR")]
    if kind is Kind.ORIGINALS:  # Spark writes the clock of its JVM's zone into a plain table, Hive reads that clock
        types.remove("TIMESTAMP")
    others = [Column(f"c{number}", chance.choice(types)) for number in range(1, chance.randint(3, 7))]
    if chance.random() < 0.3:
        others[0] = replace(others[0], is_required=True)
    own = (Column("id", "INT"), *others)
    keys: tuple[Column, ...] = ()
    layout = chance.choice(("flat", "flat", "partitioned", "partitioned", "bucketed"))
    if layout == "partitioned":
        names = ("p", "q")[: chance.choice((1, 1, 2))]
        keys = tuple(Column(key, chance.choice(list(KEY_VALUES))) for key in names)
    if layout != "bucketed" and not (keys and chance.random() < 0.15):
        return TableSpec(name, kind, own, keys)
    kind = Kind.ACID if kind is Kind.ORIGINALS else kind  # a bucket's files have their number in the name
    clustered = chance.choice([column for column in own if column.type in BUCKETED_BY])
    return TableSpec(name, kind, own, keys, clustered.name, chance.randint(2, 4))
