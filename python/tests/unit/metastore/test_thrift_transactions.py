"""A call that gets no answer is told from a transaction that has ended, and what must not happen twice is sent once."""

from __future__ import annotations

import pytest

from hive_acid.errors import MetastoreRefused, MetastoreUnavailable, TransactionAborted
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.metastore.generated import ttypes
from hive_acid.metastore.types import LockComponent, LockKind, OperationKind, TransactionState
from hive_acid.model.table import TableName
from support.fake_metastore_server import FakeMetastoreServer, broken, dropped, fail, no_transactions

TABLE = TableName("db", "t")
COMPONENT = LockComponent(TABLE, LockKind.SHARED_READ, OperationKind.INSERT)


def test_a_commit_without_an_answer_is_sent_once_and_is_no_refusal(
    server: FakeMetastoreServer, client: ThriftMetastore
) -> None:
    server.answers["commit_txn"] = [dropped]
    with pytest.raises(MetastoreUnavailable) as error:
        client.commit(5)
    assert error.value.__cause__ is not None
    assert server.methods().count("commit_txn") == 1


def test_a_commit_that_fails_inside_the_server_is_no_refusal(
    server: FakeMetastoreServer, client: ThriftMetastore
) -> None:
    server.answers["commit_txn"] = [broken]
    with pytest.raises(MetastoreUnavailable, match="commit_txn"):
        client.commit(5)


def test_a_commit_to_the_new_line_asks_for_the_search_for_conflicts(
    server: FakeMetastoreServer, client: ThriftMetastore
) -> None:
    server.answers["commit_txn"] = [lambda _: None]
    client.commit(5)
    _, method, (request,) = server.calls[-1]
    assert (method, request.txnid, request.exclWriteEnabled) == ("commit_txn", 5, False)


@pytest.mark.parametrize("call", ["open", "lock"])
def test_what_must_not_happen_twice_is_sent_once(
    server: FakeMetastoreServer, client: ThriftMetastore, call: str
) -> None:
    server.answers["open_txns"] = server.answers["lock"] = [dropped]
    server.answers["get_open_txns"] = [lambda: ttypes.GetOpenTxnsResponse(5, [5], 5, b"")]
    with pytest.raises(MetastoreUnavailable):
        if call == "open":
            client.open_transaction("alice", "host", "agent")
        else:
            client.lock(5, [COMPONENT], "alice", "host", "agent")
    assert len([method for method in server.methods() if method in ("open_txns", "lock")]) == 1


@pytest.mark.parametrize("failure", [broken, dropped], ids=["internal error", "dropped connection"])
@pytest.mark.parametrize("is_open", [True, False], ids=["open", "ended"])
def test_a_failure_inside_the_server_is_told_from_the_end_of_the_transaction(
    server: FakeMetastoreServer, client: ThriftMetastore, failure: object, is_open: bool
) -> None:
    server.answers["allocate_table_write_ids"] = [failure]
    listed = ttypes.GetOpenTxnsResponse(9, [5], 5, b"" if is_open else b"\x01")
    server.answers["get_open_txns"] = [lambda: listed]
    expected = TransactionAborted if not is_open else MetastoreRefused if failure is broken else MetastoreUnavailable
    with pytest.raises(expected):
        client.allocate_write_id(5, TABLE)


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        (lambda _: None, TransactionState.COMMITTED),
        (fail(ttypes.TxnAbortedException("already aborted")), TransactionState.ABORTED),
        (fail(ttypes.NoSuchTxnException("no such transaction")), None),
    ],
)
def test_a_transaction_that_is_not_listed_is_told_by_committing_it_again(
    server: FakeMetastoreServer, client: ThriftMetastore, answer: object, state: TransactionState | None
) -> None:
    server.answers["get_open_txns"] = [lambda: no_transactions(9)]
    server.answers["heartbeat"] = [fail(ttypes.NoSuchTxnException("no such transaction"))]
    server.answers["commit_txn"] = [answer]
    assert client.transaction_state(5) is state
    assert server.methods().index("heartbeat") < server.methods().index("commit_txn")


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        (lambda _: None, TransactionState.OPEN),
        (fail(ttypes.TxnAbortedException("already aborted")), TransactionState.ABORTED),
    ],
)
def test_a_transaction_that_a_heartbeat_tells_of_is_not_committed_though_it_is_not_listed(
    server: FakeMetastoreServer, client: ThriftMetastore, answer: object, state: TransactionState
) -> None:
    server.answers["get_open_txns"] = [lambda: no_transactions(9)]
    server.answers["heartbeat"] = [answer]
    assert client.transaction_state(5) is state
    assert "commit_txn" not in server.methods()


def test_a_listed_transaction_is_never_committed_to_find_its_state(
    server: FakeMetastoreServer, client: ThriftMetastore
) -> None:
    server.answers["get_open_txns"] = [lambda: ttypes.GetOpenTxnsResponse(9, [5, 6], 5, b"\x02")]
    states = [client.transaction_state(txn_id) for txn_id in (5, 6, 10)]
    assert states == [TransactionState.OPEN, TransactionState.ABORTED, None]
    assert "commit_txn" not in server.methods()


@pytest.mark.parametrize("is_dynamic", [False, True])
def test_a_lock_says_everything_that_releases_understand_differently(
    server: FakeMetastoreServer, client: ThriftMetastore, is_dynamic: bool
) -> None:
    server.answers["lock"] = [lambda _: ttypes.LockResponse(3, ttypes.LockState.ACQUIRED)]
    component = LockComponent(TABLE, LockKind.SHARED_READ, OperationKind.INSERT, None, is_dynamic)
    client.lock(5, [component], "alice", "host", "agent")
    (part,) = server.calls[-1][2][0].component
    assert (part.operationType, part.isTransactional, part.isDynamicPartitionWrite) == (2, True, is_dynamic)
