"""Statements to be run, and what they have done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hive_acid.model.table import TableName
from hive_acid.model.table_identity import AnalysedTable
from hive_acid.wire.ddl_kinds import DdlKind
from hive_acid.wire.new_tables import NewColumn
from hive_acid.wire.row_writes import RowWrites
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.wire.write_spec import RowCounts


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
class Statement:
    """A writing statement to be run, whose row-change query holds `writes`.

    `sources` are all transactional tables it reads, `parallelism` the cores of the session, `analysed` what it was
    analysed on: the target, and each table it reads as often as it was looked up. `transaction` is the token of the
    transaction of several statements that it is part of. `settings` are those of its session, by key; what is not in
    there is as the application was started with. `overwrite` is for OVERWRITE and TRUNCATE. `text` is None for what a
    method of a DataFrame does.
    """

    kind: StatementKind
    writes: RowWrites
    target: TableName
    sources: tuple[TableName, ...]
    time_zone: str
    parallelism: int
    analysed: tuple[AnalysedTable, ...]
    settings: Mapping[str, str] = field(default_factory=dict)
    overwrite: Overwrite | None = None
    text: StatementText | None = None
    transaction: str | None = None


@dataclass(frozen=True)
class PhaseTimes:
    """The milliseconds that a statement was in each phase, all attempts to run it together."""

    snapshot: int
    lock_wait: int
    write: int
    publish: int
    commit: int


@dataclass(frozen=True)
class StatementAnswer:
    """The effects of a statement that was run."""

    counts: RowCounts
    phases: PhaseTimes


@dataclass(frozen=True)
class DryRunAnswer:
    """The effects of a statement: facts, each an item and its value, and the same as a text for programs."""

    facts: tuple[tuple[str, str], ...]
    json: str


@dataclass(frozen=True)
class ColumnChange:
    """Another name or type, in Hive's spelling, for a column; None where it keeps its own."""

    column: str
    new_name: str | None = None
    new_type: str | None = None


@dataclass(frozen=True)
class DdlStatement:
    """A statement of Spark that alters `tables`, at least one transactional table.

    `partitions` are its PARTITION clauses, each as its `k=v` in the metastore's spelling and the table's order; the
    last of a RENAME is the new name. `locations` are those that new partitions are given, one for each of `partitions`,
    empty for the folder of its name below the table. `new_name` is that of a renamed table, without its database.
    `new_columns` are those that a table gets, of which each may have another name or type now.
    """

    kind: DdlKind
    tables: tuple[TableName, ...]
    partitions: tuple[tuple[str, ...], ...] = ()
    locations: tuple[str, ...] = ()
    new_name: str | None = None
    column_change: ColumnChange | None = None
    new_columns: tuple[NewColumn, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class AddedColumns:
    """Columns that `addition` has added for a statement that has failed by `failure`.

    `identity` of the table and its greatest `write_id` are those from when it had been done.
    """

    addition: DdlStatement
    identity: str
    write_id: int
    failure: str


@dataclass(frozen=True)
class CreatedTable:
    """A table that a statement has made, by the identity it had then; it has failed by `failure`."""

    table: TableName
    identity: str
    failure: str
    settings: Mapping[str, str] = field(default_factory=dict)
