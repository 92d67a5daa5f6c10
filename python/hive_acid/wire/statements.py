"""Requests to run a statement, and what it has done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hive_acid.model.table import TableName
from hive_acid.wire.analysed_table import AnalysedTable
from hive_acid.wire.ddl_kinds import DdlKind
from hive_acid.wire.row_writes import RowWrites
from hive_acid.wire.statement_kinds import StatementKind


@dataclass(frozen=True)
class Overwrite:
    """The part that an INSERT OVERWRITE or TRUNCATE replaces: a table, or the partitions with all of `parts`.

    `parts` are `k=v` as in the metastore's names of partitions; none: all partitions. If `is_dynamic`, only those that
    get rows are replaced, and one that `parts` name in full. With `if_not_exists`, which is for such a one, nothing is
    written if it is there.

    With `names`, exactly the partitions of these names are replaced, whatever rows they get.
    """

    parts: tuple[str, ...] = ()
    is_dynamic: bool = False
    if_not_exists: bool = False
    names: tuple[str, ...] = ()

    def covers(self, partition: str) -> bool:
        """True if the partition is named, or has all the parts."""
        return partition in self.names if self.names else set(self.parts) <= set(partition.split("/"))


@dataclass(frozen=True)
class StatementText:
    """The SQL text a statement was parsed from, or its beginning; in a script the statement stands at `position`.

    `names`, in lower case, are those of the text that are of tables, columns and fields, or may be.
    """

    sql: str
    position: int
    is_whole: bool
    names: tuple[str, ...]


@dataclass(frozen=True)
class WriteRequest:
    """A writing statement to be run, see `hive_acid.writing.statement.Statement`.

    `transaction` is the token of the transaction of several statements that it is part of.
    """

    kind: StatementKind
    table: TableName
    writes: RowWrites
    time_zone: str
    parallelism: int
    transaction: str | None
    analysed: tuple[AnalysedTable, ...]
    sources: tuple[TableName, ...]
    overwrite: Overwrite | None
    text: StatementText | None
    settings: Mapping[str, str]


@dataclass(frozen=True)
class AffectedRows:
    """The numbers of a statement's result."""

    affected: int
    updated: int
    deleted: int
    inserted: int


@dataclass(frozen=True)
class DryRunAnswer:
    """The effects of a statement: facts, each an item and its value, and the same as a text for programs."""

    facts: tuple[tuple[str, str], ...]
    json: str


@dataclass(frozen=True)
class AlterRequest:
    """A statement of Spark's own that alters tables.

    `partitions` are its PARTITION clauses, each as `k=v` in the metastore's spelling;
    `locations` those that new partitions are given, one for each of `partitions`, empty for the one below the table.
    `new_name` is that which RENAME TO gives the table, without its database.
    """

    kind: DdlKind
    tables: tuple[TableName, ...]
    partitions: tuple[tuple[str, ...], ...]
    locations: tuple[str, ...]
    new_name: str | None
    settings: Mapping[str, str]


@dataclass(frozen=True)
class TakeBackRequest:
    """A table that a failed statement has made, by its identity, and the failure's message."""

    table: TableName
    identity: str
    failure: str
    settings: Mapping[str, str]
