"""Who is in the way of a lock request is found by the rules of the metastore's line."""

from __future__ import annotations

import pytest

from doubles.memory_metastore import MemoryMetastore
from hive_acid.metastore.lock_rules import must_wait
from hive_acid.metastore.types import HeldLock, LockComponent, LockKind, LockState, MetastoreLine, OperationKind
from hive_acid.model.table import TableDescription, TableName
from hive_acid.transactions.blockers import find_blockers

TABLE, OTHER = TableName("db", "t"), TableName("db", "other")
LINE = MetastoreLine.HIVE_4


def held(
    kind: LockKind,
    table: TableName | None = TABLE,
    partition: str | None = None,
    txn_id: int | None = 1,
    state: LockState = LockState.ACQUIRED,
    database: str = "db",
) -> HeldLock:
    return HeldLock(1, database, table, partition, state, kind, txn_id, "user", "host", "agent")


def wanted(kind: LockKind = LockKind.EXCL_WRITE, partition: str | None = None) -> LockComponent:
    return LockComponent(TABLE, kind, OperationKind.UPDATE, partition)


@pytest.mark.parametrize(
    ("lock", "request_", "is_in_the_way"),
    [
        (held(LockKind.EXCL_WRITE), wanted(), True),
        (held(LockKind.EXCL_WRITE, state=LockState.WAITING), wanted(), True),
        (held(LockKind.EXCL_WRITE, txn_id=None), wanted(), True),
        (held(LockKind.EXCL_WRITE, txn_id=7), wanted(), False),  # the own one
        (held(LockKind.SHARED_READ), wanted(), False),
        (held(LockKind.SHARED_READ), wanted(LockKind.EXCLUSIVE), True),
        (held(LockKind.EXCL_WRITE, OTHER), wanted(), False),
        (held(LockKind.EXCL_WRITE, TableName("db2", "t")), wanted(), False),
        (held(LockKind.EXCL_WRITE, partition="d=1"), wanted(), True),
        (held(LockKind.EXCL_WRITE), wanted(partition="d=1"), True),
        (held(LockKind.EXCL_WRITE, partition="d=1"), wanted(partition="d=1"), True),
        (held(LockKind.EXCL_WRITE, partition="d=2"), wanted(partition="d=1"), False),
        (held(LockKind.EXCLUSIVE, None), wanted(LockKind.SHARED_READ), True),
        (held(LockKind.EXCLUSIVE, None, database="db2"), wanted(), False),
        (held(LockKind.SHARED_READ, None), wanted(LockKind.EXCLUSIVE), False),
    ],
)
def test_a_lock_is_in_the_way_if_it_is_another_ones_and_overlaps_and_excludes(
    lock: HeldLock, request_: LockComponent, is_in_the_way: bool
) -> None:
    assert find_blockers(LINE, [request_], [lock], own_txn_id=7) == ((lock,) if is_in_the_way else ())


@pytest.mark.parametrize("line", MetastoreLine)
def test_blockers_are_those_that_a_request_then_waits_for(line: MetastoreLine) -> None:
    kinds = [kind for kind in LockKind if line is MetastoreLine.HIVE_4 or kind is not LockKind.EXCL_WRITE]
    for existing in kinds:
        for requested in kinds:
            metastore = MemoryMetastore(line)
            metastore.add_table(TableDescription(TABLE, "/t", ()))
            first, second = (metastore.open_transaction("user", "host", "agent") for _ in range(2))
            metastore.lock(first, [LockComponent(TABLE, existing, OperationKind.SELECT)], "user", "host", "agent")
            request = [LockComponent(TABLE, requested, OperationKind.SELECT)]
            blockers = find_blockers(line, request, metastore.held_locks(), second)
            _, state = metastore.lock(second, request, "user", "host", "agent")
            assert [lock.txn_id for lock in blockers] == ([first] if state is LockState.WAITING else [])
            assert (state is LockState.WAITING) is must_wait(line, requested, existing)
