"""A metastore that restarts is back in seconds: a call tries to connect until then, and is sent once."""

from __future__ import annotations

import errno
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TTransportException

from hive_acid.errors import HiveAcidError, MetastoreUnavailable, build_error
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.metastore.generated import ttypes
from hive_acid.metastore.transports.patience import PAUSE_MS, Patience, Waits
from hive_acid.metastore.transports.security import Security
from hive_acid_login.http_callers import NamedCaller
from hive_acid_login.mechanisms import PasswordLogin
from support.fake_metastore_server import FakeMetastoreServer, dropped
from support.faults import Clock
from support.secured.fake_http import serve_requests
from support.secured.fake_logins import BAD, START, expect_login

LIMIT_MS = 60_000


@pytest.fixture
def port() -> Iterator[int]:
    """One on which nobody listens yet."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    yield port


def build(uri: str, on_pause: Callable[[int], None], limit_ms: int = LIMIT_MS) -> ThriftMetastore:
    return ThriftMetastore(uri, timeout_ms=5_000, user="alice", waits=Waits(on_pause, limit_ms))


def open_one(server: FakeMetastoreServer) -> FakeMetastoreServer:
    server.answers["open_txns"] = [lambda _: ttypes.OpenTxnsResponse([7])]
    return server


def test_a_call_that_must_not_be_repeated_waits_for_somebody_who_accepts(port: int) -> None:
    pauses: list[int] = []
    started: list[FakeMetastoreServer] = []

    def start_in_third(pause_ms: int) -> None:
        pauses.append(pause_ms)
        if len(pauses) == 3:
            started.append(open_one(FakeMetastoreServer(port=port)))

    with closing(build(f"thrift://127.0.0.1:{port}", start_in_third)) as client:
        assert client.open_transaction("alice", "host", "agent") == 7
    with started[0] as server:
        assert server.methods() == ["open_txns"]
    assert pauses == [PAUSE_MS] * 3


def test_a_metastore_that_goes_away_between_two_calls_of_a_statement_is_waited_for(port: int) -> None:
    started: list[FakeMetastoreServer] = []

    def start(_: int) -> None:
        started.append(open_one(FakeMetastoreServer(port=port)))

    with closing(build(f"thrift://127.0.0.1:{port}", start)) as client:
        with open_one(FakeMetastoreServer(port=port)):
            assert client.open_transaction("alice", "host", "agent") == 7
        assert client.open_transaction("alice", "host", "agent") == 7
    with started[0] as server:
        assert server.methods() == ["open_txns"]


@pytest.fixture
def break_writes(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Has the next writes fail, as on a connection whose other end has gone."""
    left = [0]
    write = TSocket.write

    def fail(self: TSocket, data: bytes) -> None:
        if left[0]:
            left[0] -= 1
            error = BrokenPipeError(errno.EPIPE, "Broken pipe")
            raise TTransportException(message="unexpected exception", inner=error)
        write(self, data)

    monkeypatch.setattr(TSocket, "write", fail)
    return lambda count: left.__setitem__(0, count)


def test_a_request_that_could_not_be_sent_is_sent_on_a_new_connection(break_writes: Callable[[int], None]) -> None:
    with open_one(FakeMetastoreServer()) as server, closing(build(server.uri, lambda _: None)) as client:
        server.answers["commit_txn"] = [lambda _: None]
        transaction = client.open_transaction("alice", "host", "agent")
        break_writes(1)
        client.commit(transaction)
        assert server.methods().count("commit_txn") == 1


def test_a_request_that_can_never_be_sent_is_named_and_known_not_to_be_carried_out(
    break_writes: Callable[[int], None],
) -> None:
    with open_one(FakeMetastoreServer()) as server, closing(build(server.uri, lambda _: None, 0)) as client:
        transaction = client.open_transaction("alice", "host", "agent")
        break_writes(10)
        with pytest.raises(MetastoreUnavailable, match=r"BrokenPipeError: .*Broken pipe") as caught:
            client.commit(transaction)
        assert not caught.value.was_sent


def test_a_request_that_could_not_be_sent_to_a_metastore_that_is_gone_was_not_carried_out(
    break_writes: Callable[[int], None],
) -> None:
    with open_one(FakeMetastoreServer()) as server, closing(build(server.uri, lambda _: None, 0)) as client:
        transaction = client.open_transaction("alice", "host", "agent")
        server.__exit__()
        break_writes(1)
        with pytest.raises(MetastoreUnavailable) as caught:
            client.commit(transaction)
        assert not caught.value.was_sent


def test_a_request_that_was_sent_once_may_have_been_carried_out_whatever_became_of_it_the_second_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written: list[bytes] = []
    write = TSocket.write

    def fail(self: TSocket, data: bytes) -> None:
        written.extend([data] if b"heartbeat" in data else [])
        if len(written) > 1 and b"heartbeat" in data:
            raise TTransportException(message="unexpected exception", inner=BrokenPipeError())
        write(self, data)

    monkeypatch.setattr(TSocket, "write", fail)
    with open_one(FakeMetastoreServer()) as server, closing(build(server.uri, lambda _: None, 0)) as client:
        server.answers["heartbeat"] = [dropped]
        server.answers["get_open_txns"] = [dropped, dropped]
        with pytest.raises(MetastoreUnavailable) as caught:
            client.heartbeat(7)
        assert (len(written), caught.value.was_sent) == (2, True)


def test_a_connection_that_is_dropped_at_the_greeting_has_sent_nothing() -> None:
    """So does what stands before a metastore that is away: it accepts, and drops."""
    pauses: list[int] = []
    with open_one(FakeMetastoreServer()) as server, closing(build(server.uri, pauses.append)) as client:
        server.answers["set_ugi"] = [dropped, lambda *_: []]
        assert client.open_transaction("alice", "host", "agent") == 7
        assert server.methods().count("open_txns") == 1
    assert pauses == [PAUSE_MS]


def test_a_connection_of_requests_that_ended_with_an_answer_is_waited_for_too(port: int) -> None:
    started: list[FakeMetastoreServer] = []

    def serve() -> FakeMetastoreServer:
        server = open_one(FakeMetastoreServer(serve_requests(keeps=False), port=port))
        server.answers["getVersion"] = [lambda *_: "4.0.0"]
        return server

    security = Security(http=NamedCaller("/metastore"))
    waits = Waits(lambda _: started.append(serve()), LIMIT_MS)
    client = ThriftMetastore(f"thrift://127.0.0.1:{port}", timeout_ms=5_000, security=security, waits=waits)
    with closing(client):
        with serve():
            assert client.open_transaction("alice", "host", "agent") == 7
        assert client.open_transaction("alice", "host", "agent") == 7
    with started[0] as server:
        assert server.methods().count("open_txns") == 1


def test_a_login_that_is_refused_is_not_tried_again() -> None:
    pauses: list[int] = []
    refuse = expect_login(lambda got, _: None if got == START else (BAD, b"Error validating the login"), [])
    with FakeMetastoreServer(refuse) as server:
        client = ThriftMetastore(
            server.uri,
            security=Security(PasswordLogin("bob", "x")),
            waits=Waits(pauses.append, LIMIT_MS),
        )
        with closing(client), pytest.raises(MetastoreUnavailable):
            _ = client.version
    assert pauses == []


def test_a_statement_that_is_cancelled_waits_no_longer(port: int) -> None:
    def cancelled(_: int) -> None:
        raise build_error("HIVE_ACID_CANCELLED", reason="enough")

    with closing(build(f"thrift://127.0.0.1:{port}", cancelled)) as client, pytest.raises(HiveAcidError) as caught:
        client.open_transaction("alice", "host", "agent")
    assert caught.value.getCondition() == "HIVE_ACID_CANCELLED"


def test_a_client_that_is_closed_waits_no_longer(port: int) -> None:
    client = build(f"thrift://127.0.0.1:{port}", lambda _: client.close())
    with pytest.raises(MetastoreUnavailable):
        client.open_transaction("alice", "host", "agent")


def test_the_error_tells_whether_the_call_may_have_been_carried_out(port: int) -> None:
    with (
        closing(build(f"thrift://127.0.0.1:{port}", lambda _: None, 0)) as client,
        pytest.raises(MetastoreUnavailable) as unreached,
    ):
        client.commit(5)
    with FakeMetastoreServer() as server, closing(build(server.uri, lambda _: None)) as client:
        server.answers["commit_txn"] = [dropped]
        with pytest.raises(MetastoreUnavailable) as lost:
            client.commit(5)
    assert (unreached.value.was_sent, lost.value.was_sent) == (False, True)


def rounds(patience: Patience, clock: Clock) -> int:
    """Rounds of a call that never connects."""
    first_try_ms, count = clock(), 1
    while patience.wait(first_try_ms):
        count += 1
    return count


def test_a_call_goes_round_until_the_time_is_over() -> None:
    clock = Clock()
    assert rounds(Patience(Waits(clock.pause_ms, 2 * PAUSE_MS + 1), clock), clock) == 4
    assert clock() == Clock()() + 2 * PAUSE_MS + 1


def test_calls_that_follow_one_that_has_waited_in_vain_try_once() -> None:
    clock = Clock()
    patience = Patience(Waits(clock.pause_ms, 3 * PAUSE_MS), clock)
    assert [rounds(patience, clock) for _ in range(3)] == [4, 1, 1]
    clock.now_ms += 3 * PAUSE_MS + 1
    assert rounds(patience, clock) == 4


def test_each_outage_and_each_thread_has_the_whole_time() -> None:
    clock = Clock()
    patience = Patience(Waits(clock.pause_ms, 3 * PAUSE_MS), clock)
    counts = [rounds(patience, clock)]
    other = threading.Thread(target=lambda: counts.append(rounds(patience, clock)))
    other.start()
    other.join(10)
    patience.forget()
    assert [*counts, rounds(patience, clock)] == [4, 4, 4]


def test_a_connection_that_took_longer_to_fail_is_not_tried_again() -> None:
    clock = Clock()
    patience = Patience(Waits(clock.pause_ms, 3 * PAUSE_MS), clock)
    first_try_ms = clock()
    clock.now_ms += 60_000
    assert not patience.wait(first_try_ms)
