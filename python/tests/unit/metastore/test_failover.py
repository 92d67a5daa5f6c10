"""Several addresses are servers of one metastore: one that does not serve is passed over."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from hive_acid.errors import MetastoreUnavailable
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.metastore.generated import ttypes
from support.fake_metastore_server import Answer, FakeMetastoreServer, dropped

ANSWER_LIMIT_MS = 300


@pytest.fixture
def servers() -> Iterator[tuple[FakeMetastoreServer, FakeMetastoreServer]]:
    """Two that answer a question for a setting by their name."""
    with FakeMetastoreServer() as first, FakeMetastoreServer() as second:
        for name, server in (("first", first), ("second", second)):
            server.answers["get_config_value"] = [lambda *_, name=name: name]
        yield first, second


@pytest.fixture
def client(servers: tuple[FakeMetastoreServer, FakeMetastoreServer]) -> Iterator[ThriftMetastore]:
    client = ThriftMetastore(",".join(server.uri for server in servers), timeout_ms=ANSWER_LIMIT_MS)
    yield client
    client.close()


def silent_until(end: threading.Event) -> Answer:
    """No answer until then, and none afterwards."""

    def answer(*_: object) -> object:
        end.wait(10)
        return dropped()

    return answer


def ask(client: ThriftMetastore) -> str:
    return client.config_value("who", "")


def ask_in_new_thread(client: ThriftMetastore) -> str:
    answers: list[str] = []
    thread = threading.Thread(target=lambda: answers.append(ask(client)))
    thread.start()
    thread.join(10)
    return answers[0]


def test_the_first_address_serves_while_it_does(client: ThriftMetastore) -> None:
    assert [ask(client), ask_in_new_thread(client)] == ["first", "first"]


def test_a_dead_first_address_is_passed_over(servers: tuple[FakeMetastoreServer, FakeMetastoreServer]) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        uris = f"thrift://127.0.0.1:{nobody.getsockname()[1]},{servers[1].uri}"
        client = ThriftMetastore(uris)
        assert ask(client) == "second"
        client.close()


def test_one_that_takes_the_connection_and_is_silent_is_passed_over_once_for_all_threads(
    servers: tuple[FakeMetastoreServer, FakeMetastoreServer], client: ThriftMetastore
) -> None:
    end = threading.Event()
    servers[0].answers["set_ugi"] = [silent_until(end)]
    assert [ask(client), ask_in_new_thread(client)] == ["second", "second"]
    assert servers[0].connections == 1
    end.set()


def test_a_question_whose_server_dies_is_put_to_the_next_one(
    servers: tuple[FakeMetastoreServer, FakeMetastoreServer], client: ThriftMetastore
) -> None:
    assert ask(client) == "first"
    servers[0].answers["get_config_value"] = [dropped]
    assert [ask(client), ask_in_new_thread(client)] == ["second", "second"]


def test_a_question_that_gets_no_answer_in_time_is_put_to_the_next_one(
    servers: tuple[FakeMetastoreServer, FakeMetastoreServer], client: ThriftMetastore
) -> None:
    end = threading.Event()
    servers[0].answers["get_config_value"] = [silent_until(end)]
    assert ask(client) == "second"
    end.set()


def test_what_must_not_be_repeated_raises_and_the_next_call_goes_to_the_next_one(
    servers: tuple[FakeMetastoreServer, FakeMetastoreServer], client: ThriftMetastore
) -> None:
    servers[0].answers["open_txns"] = [dropped]
    servers[1].answers["open_txns"] = [lambda _: ttypes.OpenTxnsResponse([7])]
    with pytest.raises(MetastoreUnavailable, match="open_txns"):
        client.open_transaction("user", "host", "agent")
    assert servers[1].connections == 0
    assert client.open_transaction("user", "host", "agent") == 7


def test_if_none_serves_the_error_names_all_of_them() -> None:
    with ExitStack() as bound:
        ports = []
        for _ in range(2):
            nobody = bound.enter_context(socket.socket())
            nobody.bind(("127.0.0.1", 0))
            ports.append(nobody.getsockname()[1])
        client = ThriftMetastore(",".join(f"thrift://127.0.0.1:{port}" for port in ports))
        with pytest.raises(MetastoreUnavailable, match=f"(?s){ports[0]}.*{ports[1]}.*{ports[0]}.*{ports[1]}"):
            ask(client)


def test_calls_that_are_dropped_everywhere_end_after_each_was_asked_and_the_first_once_more(
    servers: tuple[FakeMetastoreServer, FakeMetastoreServer], client: ThriftMetastore
) -> None:
    for server in servers:
        server.answers["get_config_value"] = [dropped]
    with pytest.raises(MetastoreUnavailable):
        ask(client)
    assert [server.connections for server in servers] == [2, 1]
