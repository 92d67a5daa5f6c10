"""Asking what became of somebody else's transaction does nothing to it, on every real metastore."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hive_acid.errors import TransactionAborted
from hive_acid.metastore.types import LockComponent, LockKind, OperationKind, TransactionState
from hive_acid_ops.transaction_status import find_status
from support.metastore_setup import ThriftSetup, thrift_setup


@pytest.fixture
def real(real_uri: str) -> Iterator[ThriftSetup]:
    with thrift_setup(real_uri) as setup:
        yield setup


def test_a_transaction_that_only_reads_stays_open_though_the_list_leaves_it_out(real: ThriftSetup) -> None:
    metastore = real.metastore
    reader = real.open_read_only()  # to 3.1, which has no such type, one like any other
    assert metastore.transaction_state(reader) is TransactionState.OPEN
    assert find_status(metastore, reader).info is not None
    assert metastore.transaction_state(reader) is TransactionState.OPEN
    metastore.abort(reader)  # which it could not be, had it been committed
    with pytest.raises(TransactionAborted):
        metastore.heartbeat(reader)


def test_an_open_transaction_is_shown_with_its_locks_and_stays_as_it_is(real: ThriftSetup) -> None:
    metastore = real.metastore
    table = real.create_table("flat")
    writer = metastore.open_transaction("ada", "engine", "a test")
    write_id = metastore.allocate_write_id(writer, table)
    component = LockComponent(table, LockKind.SHARED_READ, OperationKind.INSERT)
    lock_id, _ = metastore.lock(writer, [component], "ada", "engine", "a test")
    status = find_status(metastore, writer)
    assert status.state is TransactionState.OPEN
    assert [(lock.lock_id, lock.table) for lock in status.locks] == [(lock_id, table)]
    assert status.info is not None
    assert (status.info.user, status.info.host) == ("ada", "engine")
    assert status.info.started_ms and status.info.last_heartbeat_ms
    assert not metastore.valid_write_ids([table], metastore.valid_transactions(0))[table].is_valid(write_id)
    metastore.commit(writer)
    assert find_status(metastore, writer).state is TransactionState.COMMITTED


def test_a_commit_that_is_asked_after_by_somebody_else_is_told_and_an_abort_too(real: ThriftSetup) -> None:
    table = real.create_table("flat")
    with_others_eyes = real.metastore
    for end, state in (("commit", TransactionState.COMMITTED), ("abort", TransactionState.ABORTED)):
        with thrift_setup(with_others_eyes.uri) as owner:
            txn_id = owner.metastore.open_transaction("ada", "engine", "a test")
            owner.metastore.allocate_write_id(txn_id, table)
            component = LockComponent(table, LockKind.SHARED_READ, OperationKind.INSERT)
            owner.metastore.lock(txn_id, [component], "ada", "engine", "a test")
            getattr(owner.metastore, end)(txn_id)
        assert with_others_eyes.transaction_state(txn_id) is state


def test_an_id_above_all_that_were_given_out_has_not_begun(real: ThriftSetup) -> None:
    status = find_status(real.metastore, 10**12)
    assert (status.state, status.has_begun) == (None, False)
