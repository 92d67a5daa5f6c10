"""A real metastore that dies in the middle and comes back."""

from __future__ import annotations

import pytest

from hive_acid.errors import MetastoreUnavailable
from hive_acid.local import EmbeddedMetastore
from hive_acid.metastore.types import LockComponent, LockKind, LockState, OperationKind, TransactionState
from support.metastore_setup import thrift_setup


def test_a_server_that_vanishes_is_a_named_error_and_its_return_is_noticed() -> None:
    with EmbeddedMetastore.start() as server, thrift_setup(server.uri) as setup:
        metastore = setup.metastore
        table = setup.create_table("flat")
        txn_id = metastore.open_transaction("tester", "testhost", "contract")
        write_id = metastore.allocate_write_id(txn_id, table)
        component = LockComponent(table, LockKind.EXCLUSIVE, OperationKind.UPDATE)
        lock_id, state = metastore.lock(txn_id, [component], "tester", "testhost", "contract")
        server.kill()
        for call in (metastore.heartbeat, metastore.commit, metastore.transaction_state):
            with pytest.raises(MetastoreUnavailable) as error:
                call(txn_id)
            assert server.uri in str(error.value)
        server.restart()
        assert metastore.transaction_state(txn_id) is TransactionState.OPEN
        assert state is metastore.check_lock(txn_id, lock_id, 10) is LockState.ACQUIRED
        assert metastore.allocate_write_id(txn_id, table) == write_id
        metastore.commit(txn_id)
        assert metastore.transaction_state(txn_id) is TransactionState.COMMITTED
