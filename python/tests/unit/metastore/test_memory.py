"""What the in-memory metastore does beyond the contract: time."""

from __future__ import annotations

import pytest

from doubles.memory_metastore import MemoryMetastore
from hive_acid.errors import TransactionAborted
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.metastore.lock_rules import must_wait
from hive_acid.metastore.protocol import Metastore
from hive_acid.metastore.types import LockComponent, LockKind, LockState, MetastoreLine, OperationKind, TransactionState
from hive_acid.model.table import TableName

TABLE = TableName("db", "t")
EXCLUSIVE = [LockComponent(TABLE, LockKind.EXCLUSIVE, OperationKind.UPDATE)]


class Clock:
    def __init__(self) -> None:
        self.now_ms = 1_000

    def __call__(self) -> int:
        return self.now_ms


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def metastore(clock: Clock) -> MemoryMetastore:
    return MemoryMetastore(clock=clock, timeout_ms=300)


def begin(metastore: MemoryMetastore) -> int:
    return metastore.open_transaction("alice", "host", "agent")


def test_a_transaction_without_heartbeats_ends_at_the_timeout(metastore: MemoryMetastore, clock: Clock) -> None:
    txn_id = begin(metastore)
    clock.now_ms += 299
    assert metastore.transaction_state(txn_id) is TransactionState.OPEN
    clock.now_ms += 1
    assert metastore.transaction_state(txn_id) is TransactionState.ABORTED
    with pytest.raises(TransactionAborted):
        metastore.commit(txn_id)


def test_heartbeats_keep_a_transaction(metastore: MemoryMetastore, clock: Clock) -> None:
    txn_id = begin(metastore)
    for _ in range(5):
        clock.now_ms += 299
        metastore.heartbeat(txn_id)
    metastore.commit(txn_id)


def test_looking_at_a_lock_is_a_heartbeat(metastore: MemoryMetastore, clock: Clock) -> None:
    txn_id = begin(metastore)
    lock_id, _ = metastore.lock(txn_id, EXCLUSIVE, "alice", "host", "agent")
    clock.now_ms += 299
    metastore.check_lock(txn_id, lock_id, 299)
    clock.now_ms += 299
    assert metastore.transaction_state(txn_id) is TransactionState.OPEN


def test_the_locks_of_a_timed_out_transaction_are_free(metastore: MemoryMetastore, clock: Clock) -> None:
    metastore.lock(begin(metastore), EXCLUSIVE, "alice", "host", "agent")
    clock.now_ms += 300
    assert metastore.lock(begin(metastore), EXCLUSIVE, "alice", "host", "agent")[1] is LockState.ACQUIRED


R, SW, XW, X = LockKind.SHARED_READ, LockKind.SHARED_WRITE, LockKind.EXCL_WRITE, LockKind.EXCLUSIVE


@pytest.mark.parametrize(
    ("line", "requested", "waits_for"),
    [
        (MetastoreLine.HIVE_3, R, {X}),
        (MetastoreLine.HIVE_3, SW, {SW, X}),
        (MetastoreLine.HIVE_3, X, {R, SW, X}),
        (MetastoreLine.HIVE_4, R, {X}),
        (MetastoreLine.HIVE_4, SW, {XW, X}),
        (MetastoreLine.HIVE_4, XW, {SW, XW, X}),
        (MetastoreLine.HIVE_4, X, {R, SW, XW, X}),
    ],
)
def test_locks_wait_as_the_tables_of_the_releases_say(
    line: MetastoreLine, requested: LockKind, waits_for: set[LockKind]
) -> None:
    existing = {R, SW, X} | ({XW} if line is MetastoreLine.HIVE_4 else set())
    assert {kind for kind in existing if must_wait(line, requested, kind)} == waits_for


def test_both_implementations_are_metastores() -> None:
    implementations: list[Metastore] = [MemoryMetastore(), ThriftMetastore("thrift://localhost")]
    methods = {name for name in vars(Metastore) if not name.startswith("_")}
    for implementation in implementations:
        assert methods <= set(dir(implementation))
