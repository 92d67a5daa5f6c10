"""The thrift client asks each release what it understands, and an answer that it cannot use is a named error."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing

import pytest

from hive_acid.errors import HiveAcidError, MetastoreRefused, UnsupportedOperation
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.metastore.generated import ttypes
from hive_acid.metastore.transports.patience import Waits
from hive_acid.metastore.types import AddedFile, MetastoreLine, ServerInfo
from hive_acid.model.table import TableDescription, TableName
from hive_acid.model.write_ids import ValidTxnList, ValidWriteIdList
from support.fake_metastore_server import Answer, FakeMetastoreServer, broken, fail, no_transactions, unknown

TABLE = TableName("db", "t")


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
    server.answers["get_database_req"] = [lambda _: ttypes.Database(name="default", locationUri="hdfs://nn/warehouse")]
    assert client.server_info() == ServerInfo("4.0.1", has_it, transforms_tables=True, warehouse="hdfs://nn/warehouse")
    server.answers["get_config_value"] = [lambda name, default: " "]
    assert not client.server_info().transforms_tables


def test_the_warehouse_is_not_known_to_those_who_may_not_see_it(
    server: FakeMetastoreServer, client: ThriftMetastore
) -> None:
    server.answers["getVersion"] = [lambda: "4.0.1"]
    server.answers["get_table"] = [unknown]
    server.answers["get_config_value"] = [lambda name, default: " "]
    server.answers["get_database_req"] = [fail(ttypes.MetaException("Permission denied: user=alice"))]
    assert client.server_info().warehouse is None
    server.answers["get_database_req"] = [fail(ttypes.MetaException("the database is down"))]
    with pytest.raises(HiveAcidError, match="the database is down"):
        client.server_info()


def test_the_warehouse_of_the_3_1_line_is_that_of_its_settings(
    server: FakeMetastoreServer, client: ThriftMetastore
) -> None:
    server.answers["get_open_txns_req"] = [unknown]
    server.answers["getVersion"] = [lambda: "3.0"]
    server.answers["get_table"] = [fail(ttypes.NoSuchObjectException("no table"))]
    settings = {"hive.metastore.warehouse.dir": "/user/hive/warehouse"}
    server.answers["get_config_value"] = [lambda name, default: settings.get(name, default)]
    assert client.server_info().warehouse == "/user/hive/warehouse"


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


@pytest.mark.parametrize(("open_count", "is_named"), [(10, True), (9, True), (8, False)])
def test_a_metastore_that_opens_no_more_transactions_is_told_with_its_setting(
    server: FakeMetastoreServer, client: ThriftMetastore, open_count: int, is_named: bool
) -> None:
    server.answers["open_txns"] = [broken]
    server.answers["get_config_value"] = [lambda name, default: {"hive.max.open.txns": "10"}.get(name, default)]
    ids = list(range(1, open_count + 3))  # two of them aborted
    found = ttypes.GetOpenTxnsResponse(len(ids), ids, None, bytes([0b11]))
    server.answers["get_open_txns"] = [lambda: found]
    with pytest.raises(MetastoreRefused) as caught:
        client.open_transaction("user", "host", "agent")
    if is_named:
        assert caught.value.getCondition() == "HIVE_ACID_TOO_MANY_TRANSACTIONS"
        assert caught.value.getMessageParameters() == {"uri": client.uri, "count": str(open_count), "limit": "10"}
        assert "hive.max.open.txns" in str(caught.value)
    else:
        assert caught.value.getCondition() == "HIVE_ACID_METASTORE_REFUSED"


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
    with closing(ThriftMetastore(server.uri, waits=Waits(paused.append))) as client:
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
