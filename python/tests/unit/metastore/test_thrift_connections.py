"""Connections of the thrift client: one for each thread, given up when they break or stay silent, closed by name."""

from __future__ import annotations

import socket
import threading

import pytest

from hive_acid.errors import ConfigurationError, MetastoreRefused, MetastoreUnavailable
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.metastore.generated import ttypes
from hive_acid.metastore.transports.endpoints import Endpoint, parse_uris
from hive_acid.model.table import TableName
from support.fake_metastore_server import FakeMetastoreServer, broken, dropped, no_transactions

TABLE = TableName("db", "t")


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
