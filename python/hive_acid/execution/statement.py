"""A writing statement as a value, and what must hold of its table when it runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hive_acid.errors import build_error
from hive_acid.model.table import TableDescription, TableName
from hive_acid.sql import RowWrites
from hive_acid.transactions.validity import StatementKind


@dataclass(frozen=True)
class Overwrite:
    """What an INSERT OVERWRITE or TRUNCATE replaces: a table, or the partitions with all of `parts`.

    `parts` are `k=v` as in the metastore's names of partitions; none: all partitions. If `is_dynamic`, only those that
    get rows are replaced, and one that `parts` name in full. With `if_not_exists`, which is for such a one, nothing is
    written if it is there.
    """

    parts: tuple[str, ...] = ()
    is_dynamic: bool = False
    if_not_exists: bool = False

    def covers(self, partition: str) -> bool:
        """True if the partition has all the parts."""
        return set(self.parts) <= set(partition.split("/"))


@dataclass(frozen=True)
class StatementText:
    """The SQL text a statement was parsed from, or its beginning; in a script the statement stands at `position`."""

    sql: str
    position: int
    is_whole: bool


@dataclass(frozen=True)
class Statement:
    """A writing statement, whose row-change query holds `writes`.

    `sources` are all transactional tables it reads, `parallelism` the cores of the session, `columns` the target's
    columns as the statement was analysed with, in lower case, partition columns last. `settings` are those of its
    session, by key; what is not in there is as the application was started with. `overwrite` is for OVERWRITE and
    TRUNCATE. `bucket_columns` are those of the target's buckets, also as analysed, in the order of CLUSTERED BY.
    `text` is None for what a method of a DataFrame does.
    """

    kind: StatementKind
    writes: RowWrites
    target: TableName
    sources: tuple[TableName, ...]
    time_zone: str
    parallelism: int
    columns: tuple[str, ...]
    settings: Mapping[str, str] = field(default_factory=dict)
    overwrite: Overwrite | None = None
    bucket_columns: tuple[str, ...] = ()
    text: StatementText | None = None


def identity(table: TableDescription) -> tuple[object, ...]:
    """What must stay as it is while a statement runs; parameters may change."""
    return table.location, table.columns, table.partition_columns, table.bucket_columns, table.bucket_count


def refuse_other_columns(statement: Statement, table: TableDescription) -> None:
    """New values are matched with columns by position, so the order and names must be those of the analysis.

    Whether an UPDATE moves rows to other buckets is known since the analysis too. Raises HIVE_ACID_TABLE_CHANGED.
    """
    columns = tuple(column.name for column in (*table.columns, *table.partition_columns))
    if columns != statement.columns:
        reason = f"its columns are {', '.join(columns)}, the statement was analysed with {', '.join(statement.columns)}"
        raise build_error("HIVE_ACID_TABLE_CHANGED", table=table.name, reason=reason)
    if table.bucket_columns != statement.bucket_columns:
        now, then = (", ".join(names) or "no columns" for names in (table.bucket_columns, statement.bucket_columns))
        reason = f"it is clustered by {now}, the statement was analysed with {then}"
        raise build_error("HIVE_ACID_TABLE_CHANGED", table=table.name, reason=reason)
