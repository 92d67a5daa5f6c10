"""Statements about transactions, locks and compactions, in Hive's words. Spark's parser knows none of them.

The columns of what the SHOW statements answer are Hive's (the SCHEMA of ShowCompactionsDesc, ShowLocksDesc and
ShowTransactionsDesc of 4.1). Hive's values are texts; here IDs, durations and times are BIGINT, times as milliseconds
since 1970 by the metastore's clock, and what Hive prints as `---`, `NULL`, blanks or 0 because there is none is NULL.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from hive_acid.model.table import Column


def _columns(**types: str) -> tuple[Column, ...]:
    return tuple(Column(name, type_) for name, type_ in types.items())


@dataclass(frozen=True)
class NamedTable:
    """A table as a statement names it: the parts of its name, and the values of a PARTITION clause as texts.

    None is NULL. Without a clause there are no values.
    """

    parts: tuple[str, ...]
    partition: tuple[tuple[str, str | None], ...] = ()


@dataclass(frozen=True)
class SortKey:
    """A column of the result, in lower case, by which its rows are sorted."""

    column: str
    is_descending: bool
    nulls_first: bool


@dataclass(frozen=True)
class Compact:
    """`ALTER TABLE … COMPACT`. `kind` is major, minor or rebalance; `order_by` is the text behind ORDER BY."""

    table: NamedTable
    kind: str
    buckets: int | None = None
    waits: bool = False
    pool: str | None = None
    properties: tuple[tuple[str, str], ...] = ()
    order_by: str | None = None

    TITLE = "ALTER TABLE … COMPACT"
    COLUMNS = _columns(
        database="string",
        table="string",
        partition="string",
        type="string",
        compaction_id="bigint",
        state="string",
        accepted="boolean",
        reason="string",
    )


@dataclass(frozen=True)
class ShowCompactions:
    """`SHOW COMPACTIONS`: those of everything, of a database or of a table, as far as the filters let them pass.

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
        compactionid="bigint",
        dbname="string",
        tabname="string",
        partname="string",
        type="string",
        state="string",
        workerhost="string",
        workerid="string",
        enqueuetime="bigint",
        starttime="bigint",
        duration="bigint",
        hadoopjobid="string",
        errormessage="string",
        initiatorhost="string",
        initiatorid="string",
        poolname="string",
        txnid="bigint",
        nexttxnid="bigint",
        committime="bigint",
        hightestwriteid="bigint",
    )


@dataclass(frozen=True)
class ShowLocks:
    """`SHOW LOCKS` of everything, of a database or of a table; EXTENDED changes nothing, as in Hive's DbTxnManager."""

    table: NamedTable | None = None
    database: str | None = None

    TITLE = "SHOW LOCKS"
    COLUMNS = _columns(
        lockid="string",
        database="string",
        table="string",
        partition="string",
        lock_state="string",
        blocked_by="string",
        lock_type="string",
        transaction_id="bigint",
        last_heartbeat="bigint",
        acquired_at="bigint",
        user="string",
        hostname="string",
        agent_info="string",
    )


@dataclass(frozen=True)
class ShowTransactions:
    """`SHOW TRANSACTIONS`."""

    TITLE = "SHOW TRANSACTIONS"
    COLUMNS = _columns(
        txnid="bigint", state="string", startedtime="bigint", lastheartbeattime="bigint", user="string", host="string"
    )


@dataclass(frozen=True)
class AbortTransactions:
    """`ABORT TRANSACTIONS`: each ID once, in the order given."""

    txn_ids: tuple[int, ...]

    TITLE = "ABORT TRANSACTIONS"
    COLUMNS = _columns(txnid="bigint", state="string")


_CLASSES = {cls.TITLE: cls for cls in (Compact, ShowCompactions, ShowLocks, ShowTransactions, AbortTransactions)}
OperatorStatement = Compact | ShowCompactions | ShowLocks | ShowTransactions | AbortTransactions


@dataclass(frozen=True)
class FoundStatement:
    """`explained` is how EXPLAIN in front of the statement wants it explained (`simple`, `extended`, …), else None."""

    statement: OperatorStatement
    explained: str | None = None


def format_fields(statement: OperatorStatement) -> dict[str, Any]:
    """The statement as JSON's values: its `title` and its fields."""
    return {"title": statement.TITLE, **asdict(statement)}


def parse_fields(fields: Mapping[str, Any]) -> OperatorStatement:
    """The statement of such values."""
    known = {key: value for key, value in fields.items() if key != "title"}
    if known.get("table"):
        named = known["table"]
        known["table"] = NamedTable(tuple(named["parts"]), tuple(tuple(pair) for pair in named["partition"]))
    if "sort_keys" in known:
        known["sort_keys"] = tuple(SortKey(**key) for key in known["sort_keys"])
    if "properties" in known:
        known["properties"] = tuple(tuple(pair) for pair in known["properties"])
    if "txn_ids" in known:
        known["txn_ids"] = tuple(known["txn_ids"])
    return _CLASSES[fields["title"]](**known)
