"""Networks forget connections that are quiet, as one is while its statement's job runs, and drop what follows."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.metastore.generated import ttypes
from hive_acid.metastore.transports import connection as connection_module
from hive_acid.metastore.transports.connection import LONGEST_IDLE_MS
from hive_acid.metastore.transports.endpoints import parse_uris
from hive_acid.metastore.transports.security import LoginFailed
from hive_acid.metastore.transports.sockets import open_socket
from support.fake_metastore_server import FakeMetastoreServer, no_transactions
from support.faults import Clock


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    real = connection_module.Connections
    monkeypatch.setattr(
        "hive_acid.metastore.client.calls.Connections", lambda *args, **how: real(*args, **how, clock_ms=clock)
    )
    return clock


Ask = Callable[[ThriftMetastore], Any]


@pytest.mark.parametrize(
    "ask",
    [lambda client: client.valid_transactions(0), lambda client: client.open_transaction("alice", "host", "agent")],
    ids=["that-may-be-repeated", "that-may-not"],
)
def test_a_call_after_a_long_job_goes_over_a_new_connection(
    server: FakeMetastoreServer, clock: Clock, ask: Ask
) -> None:
    server.answers["get_open_txns"] = [lambda: no_transactions()]
    server.answers["open_txns"] = [lambda _: ttypes.OpenTxnsResponse([7])]
    with closing(ThriftMetastore(server.uri, timeout_ms=5_000, user="alice")) as client:
        client.valid_transactions(0)
        clock.now_ms += LONGEST_IDLE_MS
        ask(client)
        ask(client)
    assert [number for number, method, _ in server.calls if method != "set_ugi"] == [1, 2, 2]


def test_a_connection_is_kept_as_long_as_there_are_calls(server: FakeMetastoreServer, clock: Clock) -> None:
    server.answers["get_open_txns"] = [lambda: no_transactions()]
    with closing(ThriftMetastore(server.uri, timeout_ms=5_000, user="alice")) as client:
        for _ in range(5):
            client.valid_transactions(0)
            clock.now_ms += LONGEST_IDLE_MS - 1
    assert server.connections == 1


def test_where_no_login_can_be_made_any_more_the_old_connection_serves(
    server: FakeMetastoreServer, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: object) -> None:
        raise LoginFailed("HIVE_ACID_METASTORE_LOGIN.TICKET_EXPIRED")

    server.answers["get_open_txns"] = [lambda: no_transactions()]
    with closing(ThriftMetastore(server.uri, timeout_ms=5_000, user="alice")) as client:
        client.valid_transactions(0)
        monkeypatch.setattr(connection_module.Connections, "_go_round", refuse)
        clock.now_ms += LONGEST_IDLE_MS
        client.valid_transactions(0)
    assert server.connections == 1


def test_a_quiet_connection_is_probed_each_minute(server: FakeMetastoreServer) -> None:
    handle = open_socket(parse_uris(server.uri)[0], 5_000, None)
    with closing(handle):
        quiet = "TCP_KEEPIDLE" if hasattr(socket, "TCP_KEEPIDLE") else "TCP_KEEPALIVE"  # on macOS
        names = (quiet, "TCP_KEEPINTVL", "TCP_KEEPCNT")
        found = [handle.getsockopt(socket.IPPROTO_TCP, getattr(socket, name)) for name in names]
        assert handle.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
    assert found == [60, 10, 6]
