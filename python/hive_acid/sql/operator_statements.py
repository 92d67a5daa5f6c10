"""Statements about transactions, locks, compactions and history, in Hive's words or Delta's. Spark's parser knows none.

The columns of what the SHOW statements answer are Hive's (the SCHEMA of ShowCompactionsDesc, ShowLocksDesc and
ShowTransactionsDesc of 4.1). Hive's values are texts; here IDs, durations and times are BIGINT, times as milliseconds
since 1970 by the metastore's clock, and what Hive prints as `---`, `NULL`, blanks or 0 because there is none is NULL.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

from hive_acid.model.table import Column
from hive_acid.wire import codec
from hive_acid.wire.operators import OperatorStatement

COMPACTION_KINDS = ("major", "minor", "rebalance")
"""The kinds that a statement can ask for."""


def _columns(text: str) -> tuple[Column, ...]:
    return tuple(Column(*column.split()) for column in text.split(", "))


@dataclass(frozen=True)
class NamedTable:
    """A table as a statement names it: the parts of its name, and a PARTITION clause, if there is one.

    That is either the text of one, which Spark's parser is to read, or the values as texts, of which None is NULL.
    """

    parts: tuple[str, ...]
    partition: tuple[tuple[str, str | None], ...] = ()
    clause: str | None = None

    @property
    def has_partition(self) -> bool:
        """True with a PARTITION clause."""
        return bool(self.partition or self.clause)


@dataclass(frozen=True)
class SortKey:
    """A column of the result, in lower case, by which its rows are sorted."""

    column: str
    is_descending: bool
    nulls_first: bool


@dataclass(frozen=True)
class Compact:
    """`ALTER TABLE … COMPACT`, and `OPTIMIZE`, Delta's word for a major compaction.

    `kind` is major, minor or rebalance; `order_by` is the text behind ORDER BY, `condition` the one that tells the
    partitions of an OPTIMIZE.
    """

    table: NamedTable
    kind: str
    buckets: int | None = None
    waits: bool = False
    pool: str | None = None
    properties: tuple[tuple[str, str], ...] = ()
    order_by: str | None = None
    condition: str | None = None

    TITLE = "ALTER TABLE … COMPACT"
    COLUMNS = _columns(
        "database string, table string, partition string, type string, compaction_id bigint, state string, "
        "accepted boolean, reason string"
    )


@dataclass(frozen=True)
class ShowCompactions:
    """`SHOW COMPACTIONS` of everything, of a database or of a table, as far as the filters allow.

    `kind` and `state` are in lower case, with blanks between words. `sort_keys` are empty for the metastore's order.
    """

    table: NamedTable | None = None
    database: str | None = None
    compaction_id: int | None = None
    pool: str | None = None
    kind: str | None = None
    state: str | None = None
    sort_keys: tuple[SortKey, ...] = ()
    limit: int | None = None

    TITLE = "SHOW COMPACTIONS"
    COLUMNS = _columns(
        "compactionid bigint, dbname string, tabname string, partname string, type string, state string, "
        "workerhost string, workerid string, enqueuetime bigint, starttime bigint, duration bigint, "
        "hadoopjobid string, errormessage string, initiatorhost string, initiatorid string, poolname string, "
        "txnid bigint, nexttxnid bigint, committime bigint, hightestwriteid bigint"
    )


@dataclass(frozen=True)
class ShowLocks:
    """`SHOW LOCKS` of everything, of a database or of a table; EXTENDED changes nothing, as in Hive's DbTxnManager."""

    table: NamedTable | None = None
    database: str | None = None

    TITLE = "SHOW LOCKS"
    COLUMNS = _columns(
        "lockid string, database string, table string, partition string, lock_state string, blocked_by string, "
        "lock_type string, transaction_id bigint, last_heartbeat bigint, acquired_at bigint, user string, "
        "hostname string, agent_info string"
    )


@dataclass(frozen=True)
class ShowTransactions:
    """`SHOW TRANSACTIONS`."""

    TITLE = "SHOW TRANSACTIONS"
    COLUMNS = _columns(
        "txnid bigint, state string, startedtime bigint, lastheartbeattime bigint, user string, host string"
    )


@dataclass(frozen=True)
class AbortTransactions:
    """`ABORT TRANSACTIONS`: each ID once, in the order given."""

    txn_ids: tuple[int, ...]

    TITLE = "ABORT TRANSACTIONS"
    COLUMNS = _columns("txnid bigint, state string")


@dataclass(frozen=True)
class AbortCompactions:
    """`ABORT COMPACTIONS`: each ID once, in the order given."""

    compaction_ids: tuple[int, ...]

    TITLE = "ABORT COMPACTIONS"
    COLUMNS = _columns("compactionid bigint, status string, message string")


@dataclass(frozen=True)
class DescribeHistory:
    """`DESCRIBE HISTORY`, as in Delta; `limit` is the maximum number of rows, None for all."""

    table: NamedTable
    limit: int | None = None

    TITLE = "DESCRIBE HISTORY"
    COLUMNS = _columns(
        "writeId bigint, firstWriteId bigint, timestamp timestamp_ltz, operation string, statement string, "
        "application string, applicationId string, user string, txnId bigint, numInsertedRows bigint, "
        "numUpdatedRows bigint, numDeletedRows bigint, numFiles bigint, sizeInBytes bigint, numPartitions bigint, "
        "partitions array<string>, folders array<string>, foldedInto array<string>, remark string"
    )


@dataclass(frozen=True)
class DescribeDetail:
    """`DESCRIBE DETAIL`, in the manner of Delta: one row about the table, and about what a reader of now reads."""

    table: NamedTable

    TITLE = "DESCRIBE DETAIL"
    COLUMNS = _columns(
        "format string, name string, kind string, location string, createdAt timestamp_ltz, owner string, "
        "partitionColumns array<string>, bucketColumns array<string>, numBuckets int, properties map<string,string>, "
        "numFiles bigint, sizeInBytes bigint, numBases bigint, numDeltas bigint, numDeleteDeltas bigint, "
        "latestWriteId bigint"
    )


@dataclass(frozen=True)
class VacuumDryRun:
    """`VACUUM … DRY RUN`, as in Delta: what the metastore's Cleaner would remove from a table."""

    table: NamedTable

    TITLE = "VACUUM … DRY RUN"
    COLUMNS = _columns(
        "partition string, path string, reason string, numFiles bigint, sizeInBytes bigint, compactionId bigint, "
        "waitsFor array<string>, remark string"
    )


@dataclass(frozen=True)
class StartTransaction:
    """`START TRANSACTION`: the statements of the session that follow are one transaction."""

    TITLE = "START TRANSACTION"
    COLUMNS = ()


@dataclass(frozen=True)
class CommitTransaction:
    """`COMMIT`."""

    TITLE = "COMMIT"
    COLUMNS = ()


@dataclass(frozen=True)
class RollBackTransaction:
    """`ROLLBACK`."""

    TITLE = "ROLLBACK"
    COLUMNS = ()


TransactionStatement = StartTransaction | CommitTransaction | RollBackTransaction
AnsweringStatement = (
    AbortCompactions
    | AbortTransactions
    | Compact
    | DescribeDetail
    | DescribeHistory
    | ShowCompactions
    | ShowLocks
    | ShowTransactions
    | VacuumDryRun
)
ParsedStatement = AnsweringStatement | TransactionStatement
_CLASSES: Mapping[str, type[ParsedStatement]] = {cls.TITLE: cls for cls in get_args(ParsedStatement)}


@dataclass(frozen=True)
class FoundStatement:
    """A statement of a text.

    `explained` is how EXPLAIN in front of it wants it explained (`simple`, `extended`, …), None without. `is_foreign`:
    see `OperatorStatement`.
    """

    statement: ParsedStatement
    explained: str | None = None
    is_foreign: bool = False


def read_statement(title: str, text: str) -> ParsedStatement:
    """The statement of this title whose message is this text."""
    return codec.read(_CLASSES[title], text)


def build_schema(columns: Sequence[Column]) -> str:
    """The columns of a result as Spark reads them in a text."""
    return ", ".join(f"`{column.name}` {column.type}" for column in columns)


def describe_statement(
    statement: ParsedStatement, explained: str | None = None, is_foreign: bool = False
) -> OperatorStatement:
    """The description for the shim."""
    table: NamedTable | None = getattr(statement, "table", None)
    return OperatorStatement(
        title=statement.TITLE,
        schema=build_schema(statement.COLUMNS),
        table=table.parts if table else None,
        partition=dict(table.partition) if table else {},
        clause=table.clause if table else None,
        condition=getattr(statement, "condition", None),
        database=getattr(statement, "database", None),
        must_exist=isinstance(statement, Compact | DescribeDetail | DescribeHistory | VacuumDryRun),
        of_session=isinstance(statement, TransactionStatement),
        statement=codec.write(statement),
        explained=explained,
        is_foreign=is_foreign,
    )
