"""Rows of SHOW LOCKS, SHOW TRANSACTIONS and SHOW COMPACTIONS: columns, scopes, filters and their order."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hive_acid.metastore.compaction_types import CompactionInfo, CompactionKind, CompactionState
from hive_acid.metastore.types import HeldLock, LockKind, LockState, TransactionInfo, TransactionState
from hive_acid.model.table import TableName
from hive_acid.sql.operator_parsing import find_operator_statement
from hive_acid.sql.operator_statements import ShowCompactions, ShowLocks, ShowTransactions
from hive_acid.wire.operators import Row
from hive_acid_ops.statements.scope import ShownScope
from hive_acid_ops.statements.show_compactions import build_compaction_rows
from hive_acid_ops.statements.show_locks import build_lock_rows
from hive_acid_ops.statements.show_transactions import build_transaction_rows

T, U = TableName("db", "t"), TableName("db", "u")
ALL = ShownScope()


def lock(lock_id: int, table: TableName | None = T, partition: str | None = None, database: str = "db") -> HeldLock:
    state, kind = LockState.ACQUIRED, LockKind.SHARED_READ
    return HeldLock(lock_id, database, table, partition, state, kind, 5, "ada", "host", "agent", component=1)


def test_a_lock_is_a_row_with_hives_columns() -> None:
    held = replace(
        lock(17, partition="k=1"),
        state=LockState.WAITING,
        kind=LockKind.EXCL_WRITE,
        component=2,
        blocked_by=16,
        blocked_by_component=3,
        acquired_ms=1_000,
    )
    (row,) = build_lock_rows([held], ALL)
    assert dict(zip([column.name for column in ShowLocks.COLUMNS], row, strict=True)) == {
        "lockid": "17.2",
        "database": "db",
        "table": "t",
        "partition": "k=1",
        "lock_state": "WAITING",
        "blocked_by": "16.3",
        "lock_type": "EXCL_WRITE",
        "transaction_id": 5,
        "last_heartbeat": None,
        "acquired_at": 1_000,
        "user": "ada",
        "hostname": "host",
        "agent_info": "agent",
    }


def test_what_a_lock_has_not_is_null() -> None:
    held = replace(lock(1, table=None), txn_id=None, agent="", component=None, last_heartbeat_ms=7)
    assert build_lock_rows([held], ALL) == [
        ("1", "db", None, None, "ACQUIRED", None, "SHARED_READ", None, 7, None, "ada", "host", None)
    ]


def test_locks_come_by_their_ids() -> None:
    locks = [replace(lock(10), component=2), lock(9), replace(lock(10), component=1), lock(100)]
    assert [row[0] for row in build_lock_rows(locks, ALL)] == ["9.1", "10.1", "10.2", "100.1"]


LOCKS = [
    lock(1, None),
    lock(2),
    lock(3, partition="k=1/s=A"),
    lock(4, partition="k=2/s=A"),
    lock(5, U),
    lock(6, TableName("other", "t"), database="other"),
]


@pytest.mark.parametrize(
    ("scope", "ids"),
    [
        (ALL, [1, 2, 3, 4, 5, 6]),
        (ShownScope(database="db"), [1, 2, 3, 4, 5]),
        (ShownScope(table=T), [2, 3, 4]),
        (ShownScope(table=T, parts=("k=1",)), [3]),
        (ShownScope(table=T, parts=("s=A", "k=2")), [4]),
        (ShownScope(table=T, parts=("s=a",)), []),
        (ShownScope(table=T, parts=("s=a",), ignores_case=True), [3, 4]),
        (ShownScope(database="nowhere"), []),
    ],
)
def test_a_scope_holds_what_is_within_it(scope: ShownScope, ids: list[int]) -> None:
    assert [row[0] for row in build_lock_rows(LOCKS, scope)] == [f"{id_}.1" for id_ in ids]


def test_a_partition_that_the_server_escaped_once_more_is_found() -> None:
    locks = [lock(1, partition="k=a%252Fb"), lock(2, partition="k=a%2Fb"), lock(3, partition="k=a%25252Fb")]
    assert [row[0] for row in build_lock_rows(locks, ShownScope(table=T, parts=("k=a%2Fb",)))] == ["1.1", "2.1"]


def test_transactions_are_rows_by_their_ids() -> None:
    infos = [
        TransactionInfo(8, TransactionState.ABORTED, "bob", "h2", "agent"),
        TransactionInfo(7, TransactionState.OPEN, "ada", "h1", "agent", 100, 200),
    ]
    rows = build_transaction_rows(infos)
    assert rows == [(7, "OPEN", 100, 200, "ada", "h1"), (8, "ABORTED", None, None, "bob", "h2")]
    assert {len(row) for row in rows} == {len(ShowTransactions.COLUMNS)}


FIRST = CompactionInfo(
    id=4,
    table=T,
    kind=CompactionKind.MAJOR,
    state=CompactionState.SUCCEEDED,
    partition="k=1",
    worker="my-host-17",
    job_id="job_1",
    enqueued_ms=100,
    started_ms=200,
    ended_ms=350,
    initiator="my-host-manual",
    pool="night",
    txn_id=5,
    next_txn_id=6,
    committed_ms=300,
    highest_write_id=9,
)
NOW_MS = 1_000
BARE = CompactionInfo(3, U, CompactionKind.ABORT_CLEANUP, CompactionState.FAILED, error="no space", worker="bare")


def test_a_compaction_is_a_row_with_hives_columns() -> None:
    (row,) = build_compaction_rows([FIRST], ShowCompactions(), ALL, NOW_MS)
    assert dict(zip([column.name for column in ShowCompactions.COLUMNS], row, strict=True)) == {
        "compactionid": 4,
        "dbname": "db",
        "tabname": "t",
        "partname": "k=1",
        "type": "MAJOR",
        "state": "succeeded",
        "workerhost": "my-host",
        "workerid": "17",
        "enqueuetime": 100,
        "starttime": 200,
        "duration": 150,
        "hadoopjobid": "job_1",
        "errormessage": None,
        "initiatorhost": "my-host",
        "initiatorid": "manual",
        "poolname": "night",
        "txnid": 5,
        "nexttxnid": 6,
        "committime": 300,
        "hightestwriteid": 9,
    }


def test_what_a_compaction_has_not_is_null() -> None:
    (row,) = build_compaction_rows([BARE], ShowCompactions(), ALL, NOW_MS)
    head = (3, "db", "u", None, "ABORT_TXN_CLEANUP", "failed", "bare", "bare")
    assert row == (*head, None, None, None, None, "no space", *[None] * 7)


def test_a_compaction_of_iceberg_is_shown_and_found_by_hives_name() -> None:
    entry = replace(BARE, kind=CompactionKind.SMART_OPTIMIZE)
    statement = find_operator_statement("SHOW COMPACTIONS TYPE 'smart_optimize'")
    assert statement is not None
    assert isinstance(statement.statement, ShowCompactions)
    (row,) = build_compaction_rows([entry, FIRST], statement.statement, ALL, NOW_MS)
    assert row[4] == "SMART_OPTIMIZE"


def test_what_has_waited_for_the_cleaner_for_an_hour_says_where_to_look() -> None:
    done = replace(FIRST, state=CompactionState.READY)
    place = [column.name for column in ShowCompactions.COLUMNS].index("errormessage")

    def message(entry: CompactionInfo, waited_ms: int) -> object:
        (row,) = build_compaction_rows([entry], ShowCompactions(), ALL, 300 + waited_ms)
        return row[place]

    assert message(done, 3_599_999) is None
    assert "hive-acid doctor" in str(message(done, 3_600_000))
    assert message(replace(done, error="Permission denied"), 3_600_000) == "Permission denied"
    assert message(FIRST, 3_600_000) is None


ENTRIES = [
    FIRST,
    BARE,
    replace(FIRST, id=2, partition=None, state=CompactionState.READY, pool=None, started_ms=None),
    replace(FIRST, id=1, kind=CompactionKind.MINOR, partition="k=2", started_ms=50),
]


def shown(text: str, scope: ShownScope = ALL) -> list[Row]:
    found = find_operator_statement(f"SHOW COMPACTIONS {text}")
    assert found is not None
    assert isinstance(found.statement, ShowCompactions)
    return build_compaction_rows(ENTRIES, found.statement, scope, NOW_MS)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("", [4, 3, 2, 1]),
        ("COMPACT_ID = 2", [2]),
        ("COMPACT_ID = 9", []),
        ("POOL 'night'", [4, 1]),
        ("POOL 'NIGHT'", []),
        ("TYPE 'minor'", [1]),
        ("TYPE 'abort-txn-cleanup'", [3]),
        ("STATUS 'READY FOR CLEANING'", [2]),
        ("TYPE 'major' STATE 'succeeded'", [4]),
        ("LIMIT 3", [4, 3, 2]),
        ("LIMIT 0", []),
        ("POOL 'night' LIMIT 1", [4]),
        ("ORDER BY compactionid", [1, 2, 3, 4]),
        ("ORDER BY tabname, compactionid DESC LIMIT 2", [4, 2]),
        ("ORDER BY starttime", [3, 2, 1, 4]),
        ("ORDER BY `start` DESC", [4, 1, 3, 2]),
        ("ORDER BY starttime NULLS LAST", [1, 4, 3, 2]),
        ("ORDER BY starttime DESC NULLS FIRST", [3, 2, 4, 1]),
        ("ORDER BY state DESC, highestwriteid ASC", [4, 1, 2, 3]),
    ],
)
def test_filters_order_and_limit(text: str, ids: list[int]) -> None:
    assert [row[0] for row in shown(text)] == ids


def test_a_scope_counts_before_the_limit() -> None:
    assert [row[0] for row in shown("LIMIT 1", ShownScope(table=U))] == [3]
    assert [row[0] for row in shown("", ShownScope(table=T, parts=("k=2",)))] == [1]
