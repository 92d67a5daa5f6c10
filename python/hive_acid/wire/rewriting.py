"""Statements that Python rewrites: the canonical ones, and texts that Spark's parser does not take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hive_acid.model.table import TableName
from hive_acid.wire.row_writes import RowWrites


@dataclass(frozen=True)
class RewriteRequest:
    """A canonical statement about `table`, whose properties are `properties`.

    `data_columns` and `partition_columns` are the target's names of columns, `taken` names that the query's own must
    differ from. `bucketing` are the types of the bucketing columns by name, `assigned` the columns with new values.
    """

    statement: str
    table: TableName
    properties: Mapping[str, str]
    data_columns: tuple[str, ...]
    partition_columns: tuple[str, ...]
    taken: tuple[str, ...]
    assigned: tuple[str, ...]
    bucketing: Mapping[str, str]


@dataclass(frozen=True)
class RewrittenStatement:
    """The row-change query as SQL text, and which changes it has.

    `stays`: new versions of rows lie in the old ones' partitions, and no other rows are new.
    """

    query: str
    writes: RowWrites
    stays: bool


@dataclass(frozen=True)
class ColumnGap:
    """Where Spark wants a list of columns: after `text`, all columns of `table`, which is the parts of a name."""

    text: str
    table: tuple[str, ...]


@dataclass(frozen=True)
class Respelling:
    """A text as Spark's parser takes it, in pieces: what stands up to each gap, and the rest.

    `creations` are the places, in characters, where a `CREATE TRANSACTIONAL TABLE` begins; the pieces have blanks for
    its second word.
    """

    gaps: tuple[ColumnGap, ...]
    rest: str
    creations: tuple[int, ...] = ()


@dataclass(frozen=True)
class Translation:
    """A statement of another engine in Spark's words.

    `table` are the parts of the name of the table that it changes.
    """

    text: str
    table: tuple[str, ...]


@dataclass(frozen=True)
class PartitionDrop:
    """An `ALTER TABLE … DROP PARTITION` of all partitions for which a condition is true.

    `table` are the parts of the table's name, `condition` is a text that Spark reads. `if_exists`: there may be none.
    `purges`: their files pass by the trash.
    """

    table: tuple[str, ...]
    condition: str
    if_exists: bool
    purges: bool


@dataclass(frozen=True)
class ExplainedStatement:
    """The text with blanks in place of the words before the statement, so that every position in it stays."""

    text: str
    formatted: bool


@dataclass(frozen=True)
class Hint:
    """A statement of other engines: the condition whose message tells what to write, its words, and its table.

    `table` are the parts of the name of the table that it is about; empty if it is about none.
    """

    condition: str
    statement: str
    table: tuple[str, ...]
