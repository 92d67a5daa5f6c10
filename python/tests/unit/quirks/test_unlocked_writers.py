"""Who may change rows under a lock that keeps nobody out, by the locks that a metastore lists."""

from __future__ import annotations

import pytest

from hive_acid.metastore.types import HeldLock, LockComponent, LockKind, LockState, OperationKind
from hive_acid.model.table import TableName
from hive_acid.quirks.unlocked_writers import build_barrier, find_guarded, find_suspects

TABLE = TableName("db", "t")
TRINO = "20260101_000000_00001_abcde"


def lock(
    lock_id: int,
    txn_id: int | None = 7,
    kind: LockKind = LockKind.SHARED_READ,
    partition: str | None = None,
    table: TableName | None = TABLE,
    agent: str = TRINO,
    state: LockState = LockState.ACQUIRED,
) -> HeldLock:
    return HeldLock(lock_id, "db", table, partition, state, kind, txn_id, "user", "host", agent)


def suspects(*locks: HeldLock, barrier: int | None = None) -> list[int | None]:
    return [held[0].txn_id for held in find_suspects(TABLE, locks, barrier)]


def test_who_has_asked_twice_for_shared_read_may_have_read_and_may_write() -> None:
    assert suspects(lock(1), lock(2)) == [7]
    assert suspects(lock(1), lock(2, partition="d=x")) == [7]
    assert suspects(lock(1, 9), lock(2, 8), lock(3, 8), lock(4, 9)) == [8, 9]
    assert suspects(lock(1), lock(2, state=LockState.WAITING)) == [7], "it may be granted before we commit"


@pytest.mark.parametrize(
    "locks",
    [
        (),
        (lock(1),),
        (lock(1, partition="d=x"), lock(1, partition="d=y")),
        (lock(1), lock(2, kind=LockKind.EXCL_WRITE)),
        (lock(1), lock(2, 8)),
        (lock(1, None), lock(2, None)),
        (lock(1), lock(2, table=TableName("db", "other"))),
        (lock(1), lock(2, table=None)),
        (lock(1, agent="spark-hive-acid local-1"), lock(2, agent="spark-hive-acid local-1")),
    ],
    ids=[
        "nobody",
        "one who adds rows",
        "one request for several partitions",
        "one whose lock keeps others out",
        "two transactions",
        "locks outside of transactions",
        "another table",
        "a database",
        "this package",
    ],
)
def test_others_are_not_suspected(locks: tuple[HeldLock, ...]) -> None:
    assert suspects(*locks) == []


def test_what_was_asked_for_behind_the_barrier_waits_for_it() -> None:
    assert suspects(lock(1), lock(3, state=LockState.WAITING), barrier=2) == []
    assert suspects(lock(1), lock(2), lock(4, state=LockState.WAITING), barrier=3) == [7]


def test_only_locks_under_which_rows_are_changed_beside_readers_are_guarded() -> None:
    update = LockComponent(TABLE, LockKind.EXCL_WRITE, OperationKind.UPDATE, is_dynamic_partition_write=True)
    delete = LockComponent(TABLE, LockKind.SHARED_READ, OperationKind.DELETE, "d=x")
    overwrite = LockComponent(TABLE, LockKind.EXCLUSIVE, OperationKind.UPDATE)
    insert = LockComponent(TABLE, LockKind.SHARED_READ, OperationKind.INSERT)
    read = LockComponent(TABLE, LockKind.SHARED_READ, OperationKind.SELECT)
    assert find_guarded([update, delete, overwrite, insert, read]) == (update, delete)
    assert build_barrier([update, delete]) == (
        LockComponent(TABLE, LockKind.EXCLUSIVE, OperationKind.NO_TXN),
        LockComponent(TABLE, LockKind.EXCLUSIVE, OperationKind.NO_TXN, "d=x"),
    )
