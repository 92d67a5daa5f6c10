"""What the thrift client does when the other end does not do its part."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing

import pytest

from hive_acid.errors import (
    ConfigurationError,
    MetastoreRefused,
    MetastoreUnavailable,
    TransactionAborted,
    UnsupportedOperation,
)
from hive_acid.metastore.endpoints import Endpoint, parse_uris
from hive_acid.metastore.generated import ttypes
from hive_acid.metastore.thrift_client import ThriftMetastore
from hive_acid.metastore.types import (
    AddedFile,
    LockComponent,
    LockKind,
    MetastoreLine,
    OperationKind,
    ServerInfo,
    TransactionState,
)
from hive_acid.model.table import TableDescription, TableName
from hive_acid.model.write_ids import ValidTxnList, ValidWriteIdList
from support.fake_metastore_server import Answer, FakeMetastoreServer, broken, dropped, no_transactions, unknown

TABLE = TableName("db", "t")
COMPONENT = LockComponent(TABLE, LockKind.SHARED_READ, OperationKind.INSERT)


@pytest.fixture
def server() -> Iterator[FakeMetastoreServer]:
    with FakeMetastoreServer() as server:
        yield server


@pytest.fixture
def client(server: FakeMetastoreServer) -> Iterator[ThriftMetastore]:
    client = ThriftMetastore(server.uri, timeout_ms=5_000, user="alice")
    yield client
    client.close()


def fail(error: Exception):
    def answer(*_: object) -> object:
        raise error

    return answer


def test_a_connection_begins_with_the_user(server: FakeMetastoreServer, client: ThriftMetastore) -> None:
    server.answers["get_config_value"] = [lambda name, default: default]
    client.config_value("a", "b")
    assert [(method, arguments) for _, method, arguments in server.calls] == [
        ("set_ugi", ("alice", [])),
        ("get_config_value", ("a", "b")),
    ]


def test_each_thread_has_one_connection_of_its_own(server: FakeMetastoreServer, client: ThriftMetastore) -> None:
    server.answers["get_config_value"] = [lambda name, default: default]

    def ask_twice() -> None:
        client.config_value("a", "b")
        client.config_value("a", "b")

    for _ in range(2):
        thread = threading.Thread(target=ask_twice)
        thread.start()
        thread.join(10)
    assert [number for number, _, _ in server.calls] == [1, 1, 1, 2, 2, 2]


def test_a_server_without_the_new_method_is_of_the_old_line_and_is_asked_once(
    server: FakeMetastoreServer, client: ThriftMetastore
) -> None:
    server.answers["get_open_txns_req"] = [unknown]
    assert [client.line, client.line] == [MetastoreLine.HIVE_3] * 2
    assert server.methods() == ["get_open_txns_req"]
    server.answers["get_open_txns"] = [lambda: no_transactions()]
    client.valid_transactions(0)
    assert server.connections == 1


@pytest.mark.parametrize(
    ("answer", "has_it"), [(unknown, False), (fail(ttypes.NoSuchObjectException("no table")), True)]
)
def test_what_a_server_shows_of_itself(
    server: FakeMetastoreServer, client: ThriftMetastore, answer: Answer, has_it: bool
) -> None:
    server.answers["getVersion"] = [lambda: "4.0.1"]
    server.answers["get_table"] = [answer]
    server.answers["get_config_value"] = [lambda name, default: " some.Transformer "]
    assert client.server_info() == ServerInfo("4.0.1", has_it, transforms_tables=True)
    server.answers["get_config_value"] = [lambda name, default: " "]
    assert client.server_info() == ServerInfo("4.0.1", has_it, transforms_tables=False)


@pytest.mark.parametrize(
    ("database", "managed", "settings", "location"),
    [
        ("shop", None, {}, None),
        ("shop", None, {"external.dir": "/ext", "dir": "/managed/"}, "/managed/shop.db/t"),
        ("default", None, {"external.dir": "/ext", "dir": "/managed"}, "/managed/t"),
        ("shop", "hdfs://nn/own/", {"external.dir": "/ext", "dir": "/managed"}, "hdfs://nn/own/t"),
    ],
)
def test_a_new_table_lies_where_managed_tables_are_kept(
    server: FakeMetastoreServer,
    client: ThriftMetastore,
    database: str,
    managed: str | None,
    settings: Mapping[str, str],
    location: str | None,
) -> None:
    server.answers["get_config_value"] = [
        lambda name, default: settings.get(name.removeprefix("metastore.warehouse."), default)
    ]
    server.answers["get_database_req"] = [lambda _: ttypes.Database(name=database, managedLocationUri=managed)]
    assert client.new_table_location(TableName(database, "t")) == location


def test_the_old_line_keeps_all_tables_in_one_place(server: FakeMetastoreServer, client: ThriftMetastore) -> None:
    server.answers["get_open_txns_req"] = [unknown]
    assert client.new_table_location(TABLE) is None


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


def test_a_question_is_asked_once_more_on_a_new_connection(
    server: FakeMetastoreServer, client: ThriftMetastore
) -> None:
    server.answers["get_open_txns"] = [dropped, lambda: no_transactions(9)]
    assert client.valid_transactions(0).high_water_mark == 9
    assert server.connections == 2


def test_a_question_is_not_asked_a_third_time(server: FakeMetastoreServer, client: ThriftMetastore) -> None:
    server.answers["get_open_txns"] = [dropped]
    with pytest.raises(MetastoreUnavailable, match=r"get_open_txns.*08006"):
        client.valid_transactions(0)
    assert server.methods() == ["get_open_txns"] * 2


def test_a_connection_that_was_closed_while_idle_is_replaced_before_anything_is_sent(
    server: FakeMetastoreServer, client: ThriftMetastore
) -> None:
    server.answers["commit_txn"] = [lambda _: None]
    client.commit(5)
    server.close_connections()
    client.commit(6)
    assert server.methods().count("commit_txn") == 2
    assert server.connections == 2


def test_a_server_that_does_not_answer_in_time_is_a_named_error(server: FakeMetastoreServer) -> None:
    release = threading.Event()
    server.answers["get_open_txns"] = [lambda: (release.wait(30), no_transactions())[1]]
    client = ThriftMetastore(server.uri, timeout_ms=50, user="alice")
    with pytest.raises(MetastoreUnavailable, match="timeout"):
        client.valid_transactions(0)
    release.set()
    assert server.methods() == ["get_open_txns"]
    client.close()


def test_a_late_answer_is_not_taken_for_the_next_one(server: FakeMetastoreServer) -> None:
    release = threading.Event()
    server.answers["get_open_txns"] = [
        lambda: (release.wait(30), no_transactions(1))[1],
        lambda: no_transactions(2),
    ]
    client = ThriftMetastore(server.uri, timeout_ms=500, user="alice")
    with pytest.raises(MetastoreUnavailable):
        client.valid_transactions(0)
    release.set()
    assert client.valid_transactions(0).high_water_mark == 2
    client.close()


def test_nobody_listening_is_a_named_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    client = ThriftMetastore(f"thrift://127.0.0.1:{port}", timeout_ms=5_000, user="alice")
    with pytest.raises(MetastoreUnavailable, match=str(port)):
        client.table(TABLE)


def test_the_second_address_serves_when_the_first_does_not(server: FakeMetastoreServer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        dead = listener.getsockname()[1]
    server.answers["get_open_txns"] = [lambda: no_transactions(3)]
    client = ThriftMetastore(f"thrift://127.0.0.1:{dead}, {server.uri}", timeout_ms=5_000, user="alice")
    assert client.valid_transactions(0).high_water_mark == 3
    client.close()


@pytest.mark.parametrize("uris", ["", " , ", "localhost:9083", "http://localhost", "thrift://", "thrift://h:99999"])
def test_an_address_that_is_none_is_a_named_error(uris: str) -> None:
    with pytest.raises(ConfigurationError):
        ThriftMetastore(uris)


def test_an_address_without_a_port_means_the_usual_one() -> None:
    assert parse_uris("thrift://h, thrift://[::1]:9") == (Endpoint("h", 9083), Endpoint("::1", 9))


def test_a_connection_is_not_used_again_after_an_internal_error(
    server: FakeMetastoreServer, client: ThriftMetastore
) -> None:
    server.answers["show_locks"] = [broken, lambda _: ttypes.ShowLocksResponse([])]
    with pytest.raises(MetastoreRefused, match="show_locks"):
        client.held_locks()
    assert client.held_locks() == []
    assert server.connections == 2


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


def test_a_closed_client_fails_by_name_in_every_thread(server: FakeMetastoreServer, client: ThriftMetastore) -> None:
    server.answers["get_open_txns"] = [lambda: no_transactions()]
    client.valid_transactions(0)
    client.close()
    with pytest.raises(MetastoreUnavailable, match="closed"):
        client.valid_transactions(0)


def test_closing_ends_a_call_that_waits_in_another_thread(server: FakeMetastoreServer) -> None:
    began, release = threading.Event(), threading.Event()
    server.answers["get_open_txns"] = [lambda: (began.set(), release.wait(30), no_transactions())[2]]
    client = ThriftMetastore(server.uri, timeout_ms=30_000, user="alice")
    caught: list[BaseException] = []

    def ask() -> None:
        try:
            client.valid_transactions(0)
        except MetastoreUnavailable as error:
            caught.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    assert began.wait(10)
    client.close()
    thread.join(10)
    release.set()
    assert len(caught) == 1


@pytest.mark.parametrize(
    "told",
    [
        'java.security.AccessControlException: Permission denied: user=mallory, path="file:/w/t":root:root:drwx------',
        "Permission denied: user [mallory] does not have [SELECT] privilege on [sales/orders]",
        "HiveAccessControlException user [mallory] does not have [ALTER] privilege on [sales/orders]",
    ],
)
def test_what_a_user_may_not_do_is_a_refusal_of_its_own(
    server: FakeMetastoreServer, client: ThriftMetastore, told: str
) -> None:
    server.answers["get_table_req"] = [fail(ttypes.MetaException(told))]
    with pytest.raises(MetastoreRefused) as caught:
        client.table(TableName("sales", "orders"))
    assert caught.value.getCondition() == "HIVE_ACID_METASTORE_DENIED"
    assert caught.value.getSqlState() == "42501"
    assert "mallory" in caught.value.getMessageParameters()["reason"]


def test_a_metastore_that_may_not_use_its_own_database_denies_nobody(
    server: FakeMetastoreServer, client: ThriftMetastore
) -> None:
    told = "Unable to open a connection: Access denied for user 'hive'@'db.example'"
    server.answers["get_table_req"] = [fail(ttypes.MetaException(told))]
    with pytest.raises(MetastoreRefused) as caught:
        client.table(TableName("sales", "orders"))
    assert caught.value.getCondition() == "HIVE_ACID_METASTORE_REFUSED"


@pytest.mark.parametrize("is_dynamic", [False, True])
def test_a_lock_says_everything_that_releases_understand_differently(
    server: FakeMetastoreServer, client: ThriftMetastore, is_dynamic: bool
) -> None:
    server.answers["lock"] = [lambda _: ttypes.LockResponse(3, ttypes.LockState.ACQUIRED)]
    component = LockComponent(TABLE, LockKind.SHARED_READ, OperationKind.INSERT, None, is_dynamic)
    client.lock(5, [component], "alice", "host", "agent")
    (part,) = server.calls[-1][2][0].component
    assert (part.operationType, part.isTransactional, part.isDynamicPartitionWrite) == (2, True, is_dynamic)


def test_an_answer_about_another_table_is_a_named_error(server: FakeMetastoreServer, client: ThriftMetastore) -> None:
    other = ttypes.TableValidWriteIds("db.other", 1, [], None, b"")
    server.answers["get_valid_write_ids"] = [lambda _: ttypes.GetValidWriteIdsResponse([other])]
    with pytest.raises(MetastoreRefused, match=r"db\.t"):
        client.valid_write_ids([TABLE], ValidTxnList(1))


@pytest.mark.parametrize(
    ("is_new", "methods"), [(True, ["get_valid_write_ids"]), (False, ["get_open_txns", "get_valid_write_ids"])]
)
def test_what_counts_now_is_one_question_to_servers_that_make_the_list_themselves(
    server: FakeMetastoreServer, client: ThriftMetastore, is_new: bool, methods: list[str]
) -> None:
    server.answers["get_open_txns_req"] = [(lambda _: no_transactions()) if is_new else unknown]
    server.answers["get_open_txns"] = [lambda: no_transactions()]
    found = ttypes.TableValidWriteIds("db.t", 4, [3], None, b"")
    server.answers["get_valid_write_ids"] = [lambda _: ttypes.GetValidWriteIdsResponse([found])]
    assert client.valid_write_ids([TABLE], None)[TABLE].open == {3}
    assert server.methods() == ["get_open_txns_req", *methods]
    assert (server.calls[-1][2][0].validTxnList is None) == is_new, "3.1 takes no request without a list"


def test_an_answer_about_another_partition_is_a_named_error(
    server: FakeMetastoreServer, client: ThriftMetastore
) -> None:
    other = ttypes.Partition(values=["2"], sd=ttypes.StorageDescriptor(location="file:/t/d=2"))
    server.answers["get_partitions_by_names"] = [lambda *_: [other]]
    with pytest.raises(MetastoreRefused, match="not asked for"):
        client.partitions(TABLE, ["d=1"])


def test_a_table_that_cannot_be_written_back_unharmed_is_refused(
    server: FakeMetastoreServer, client: ThriftMetastore
) -> None:
    storage = ttypes.StorageDescriptor(storedAsSubDirectories=True)
    stored = ttypes.Table(tableName="t", dbName="db", sd=storage, parameters={"numRows": "1"})
    server.answers["get_table_req"] = [lambda _: ttypes.GetTableResult(stored)]
    server.answers["update_table_column_statistics_req"] = [lambda _: ttypes.SetPartitionsStatsResponse(result=True)]
    with pytest.raises(UnsupportedOperation, match=r"db\.t.*SKEWED"):
        client.drop_statistics(TableDescription(TABLE, "file:/t", ()), 1, ValidWriteIdList("db.t", 1))
    assert "alter_table_req" not in server.methods()


def test_a_write_id_whose_move_collides_with_another_is_moved_again(server: FakeMetastoreServer) -> None:
    def collide(_: object) -> None:
        raise RuntimeError("duplicate key")

    flat = TableDescription(TABLE, "file:/t", ())
    stored = ttypes.Table(tableName="t", dbName="db", sd=ttypes.StorageDescriptor(), parameters={})
    moved = ttypes.SetPartitionsStatsResponse(result=True)
    server.answers["get_table_req"] = [lambda _: ttypes.GetTableResult(stored)]
    server.answers["update_table_column_statistics_req"] = [collide, collide, lambda _: moved]
    paused: list[int] = []
    with closing(ThriftMetastore(server.uri, pause_ms=paused.append)) as client:
        client.drop_statistics(flat, 1, ValidWriteIdList("db.t", 1))
        assert paused == [50, 100]
        server.answers["update_table_column_statistics_req"] = [collide]
        with pytest.raises(MetastoreRefused, match="update_table_column_statistics_req"):
            client.drop_statistics(flat, 1, ValidWriteIdList("db.t", 1))


FILES = {
    "d=1/e=a%2Fb": [AddedFile("/t/1/delta/bucket_00000", "delta", "ab")],
    "d=2/e=c": [AddedFile("/t/2/delta/bucket_00000", "delta", "")],
}


def test_partitions_are_told_of_in_one_call_on_the_new_line(
    server: FakeMetastoreServer, client: ThriftMetastore
) -> None:
    server.answers["add_write_notification_log_in_batch"] = [lambda _: ttypes.WriteNotificationLogBatchResponse()]
    client.notify_write(5, 3, TABLE, FILES)
    _, method, (batch,) = server.calls[-1]
    assert (method, batch.catalog, batch.db, batch.table) == (
        "add_write_notification_log_in_batch",
        "hive",
        "db",
        "t",
    )
    first, second = batch.requestList
    assert (first.txnId, first.writeId, first.partitionVals) == (5, 3, ["1", "a/b"])
    info = first.fileInfo
    assert (info.replace, info.filesAdded, info.filesAddedChecksum, info.subDirectoryList) == (
        True,
        ["/t/1/delta/bucket_00000"],
        ["ab"],
        ["delta"],
    )
    assert (second.partitionVals, second.fileInfo.filesAddedChecksum) == (["2", "c"], [""])


def test_a_flat_table_is_told_of_without_partition_values(server: FakeMetastoreServer, client: ThriftMetastore) -> None:
    server.answers["add_write_notification_log"] = [lambda _: ttypes.WriteNotificationLogResponse()]
    client.notify_write(5, 3, TABLE, {"": FILES["d=2/e=c"]})
    _, method, (request,) = server.calls[-1]
    assert (method, request.db, request.table, request.partitionVals) == ("add_write_notification_log", "db", "t", None)


def test_on_the_old_line_each_partition_has_an_insert_event(
    server: FakeMetastoreServer, client: ThriftMetastore
) -> None:
    server.answers["get_open_txns_req"] = [unknown]
    server.answers["fire_listener_event"] = [lambda _: ttypes.FireEventResponse()]
    client.notify_write(5, 3, TABLE, FILES)
    events = [arguments[0] for _, method, arguments in server.calls if method == "fire_listener_event"]
    assert [event.partitionVals for event in events] == [["1", "a/b"], ["2", "c"]]
    assert [(event.successful, event.dbName, event.tableName) for event in events] == 2 * [(True, "db", "t")]
    data = events[0].data.insertData
    assert (data.replace, data.filesAdded, data.filesAddedChecksum) == (False, ["/t/1/delta/bucket_00000"], ["ab"])
