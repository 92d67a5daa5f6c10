"""A table as a statement needs to know it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


@dataclass(frozen=True, order=True)
class TableName:
    """Database and table in lower case, as the metastore keeps them."""

    database: str
    table: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "database", self.database.lower())
        object.__setattr__(self, "table", self.table.lower())

    def __str__(self) -> str:
        return f"{self.database}.{self.table}"


@dataclass(frozen=True)
class Column:
    """Name in lower case and type in Hive's spelling, e.g. `decimal(10,2)`, `struct<a:int>`."""

    name: str
    type: str


class TableKind(Enum):
    """How a table takes part in transactions."""

    PLAIN = "plain"
    INSERT_ONLY = "insert_only"
    FULL_ACID = "full_acid"


@dataclass(frozen=True)
class TableDescription:
    """A table of the metastore. `columns` leaves out the partition columns; `bucket_count` is 0 for unbucketed.

    `sort_columns` are those of SORTED BY.
    """

    name: TableName
    location: str
    columns: tuple[Column, ...]
    partition_columns: tuple[Column, ...] = ()
    bucket_columns: tuple[str, ...] = ()
    bucket_count: int = 0
    input_format: str = ""
    parameters: dict[str, str] = field(default_factory=dict, hash=False)
    sort_columns: tuple[str, ...] = ()

    @property
    def kind(self) -> TableKind:
        """From the table properties `transactional` and `transactional_properties` (any case)."""
        if self.parameters.get("transactional", "").lower() != "true":
            return TableKind.PLAIN
        insert_only = self.parameters.get("transactional_properties", "").lower() == "insert_only"
        return TableKind.INSERT_ONLY if insert_only else TableKind.FULL_ACID

    @property
    def is_partitioned(self) -> bool:
        """True if the table has partition columns."""
        return bool(self.partition_columns)


@dataclass(frozen=True)
class TableConstraints:
    """What the metastore says must hold of new rows: columns without NULL, and the names of CHECK constraints.

    Only those that are enabled; all names in lower case.
    """

    not_null: frozenset[str] = frozenset()
    checks: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Partition:
    """A partition: `name` as the metastore spells it (`k1=v1/k2=v2`, escaped), values unescaped, own location."""

    name: str
    values: tuple[str, ...]
    location: str
    parameters: dict[str, str] = field(default_factory=dict, hash=False)
