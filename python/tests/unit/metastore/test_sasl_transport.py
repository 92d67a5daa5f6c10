"""Messages of a login and frames behind it, as Java's TSaslTransport reads and writes them."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from thrift.transport.TTransport import TMemoryBuffer, TTransportException

from hive_acid.metastore.transports.security import LoginFailed
from hive_acid_login.sasl_transport import SaslTransport
from support.secured.fake_logins import BAD, COMPLETE, ERROR, OK, START, ScriptedMechanism


class Wire:
    """Both directions of a connection: what comes is given, what goes is kept."""

    def __init__(self, incoming: bytes) -> None:
        self._incoming = TMemoryBuffer(incoming)
        self.sent = b""

    def readAll(self, size: int) -> bytes:  # noqa: N802 (likewise)
        data: bytes = self._incoming.readAll(size)
        return data

    def write(self, data: bytes) -> None:
        self.sent += data

    def flush(self) -> None:
        self.flushed = self.sent

    def isOpen(self) -> bool:  # noqa: N802 (thrift's name)
        return True


def message(status: int, text: bytes = b"") -> bytes:
    return struct.pack(">BI", status, len(text)) + text


def frame(data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + data


def opened(incoming: bytes, mechanism: ScriptedMechanism) -> tuple[SaslTransport, Wire]:
    wire = Wire(message(COMPLETE) + incoming)
    transport = SaslTransport(wire, mechanism)
    transport.log_in()
    wire.sent = b""
    return transport, wire


def test_a_login_is_said_as_java_says_it() -> None:
    mechanism = ScriptedMechanism(steps=(b"second", b"third"))
    wire = Wire(message(OK, b"a") + message(OK, b"b") + message(COMPLETE))
    SaslTransport(wire, mechanism).log_in()
    assert wire.flushed == b"".join(
        [message(START, b"SCRIPTED"), message(OK, b"hello"), message(OK, b"second"), message(COMPLETE, b"third")]
    )
    assert mechanism.heard == [b"a", b"b"]


def test_a_login_of_one_message_is_complete_with_it() -> None:
    wire = Wire(message(COMPLETE))
    SaslTransport(wire, ScriptedMechanism()).log_in()
    assert wire.flushed == message(START, b"SCRIPTED") + message(COMPLETE, b"hello")


def test_what_comes_with_the_end_is_looked_at_and_not_answered() -> None:
    mechanism = ScriptedMechanism(steps=(b"second", b""))
    wire = Wire(message(OK, b"a") + message(COMPLETE, b"proof"))
    SaslTransport(wire, mechanism).log_in()
    assert wire.flushed.endswith(message(OK, b"second"))
    assert mechanism.heard == [b"a", b"proof"]


def test_a_server_that_ends_the_login_before_it_has_proved_who_it_is_is_not_believed() -> None:
    wire = Wire(message(COMPLETE))
    with pytest.raises(LoginFailed, match="before it had proved"):
        SaslTransport(wire, ScriptedMechanism(steps=(b"", b"never"))).log_in()


@pytest.mark.parametrize("status", [BAD, ERROR])
def test_a_refusal_is_explained_by_the_kind_of_login(status: int) -> None:
    with pytest.raises(LoginFailed) as caught:
        SaslTransport(Wire(message(status, b"go away")), ScriptedMechanism(steps=(b"",))).log_in()
    assert (caught.value.condition, caught.value.params["reason"]) == ("HIVE_ACID_METASTORE_LOGIN.FAILED", "go away")


@pytest.mark.parametrize("answer", [b"\x80\x01\x00\x02\x00\x00\x00", b"\x00\x00\x00\x00\x05", b"\x02\x7f\xff\xff\xff"])
def test_a_server_that_answers_in_another_way_knows_no_logins(answer: bytes) -> None:
    with pytest.raises(LoginFailed) as caught:
        SaslTransport(Wire(answer), ScriptedMechanism(steps=(b"",))).log_in()
    assert caught.value.condition == "HIVE_ACID_METASTORE_LOGIN.LOGIN_NOT_EXPECTED"


@given(st.lists(st.lists(st.binary(max_size=50), max_size=4), max_size=6), st.booleans())
def test_each_flush_is_one_frame(flushes: list[list[bytes]], wraps: bool) -> None:
    mechanism = ScriptedMechanism(wraps=wraps)
    transport, wire = opened(b"", mechanism)
    for writes in flushes:
        for data in writes:
            transport.write(data)
        transport.flush()
    wholes = [b"".join(writes) for writes in flushes]
    assert wire.sent == b"".join(frame(mechanism.wrap(whole) if wraps else whole) for whole in wholes)


def opened_before(frames: list[bytes], wraps: bool) -> SaslTransport:
    """A transport after its login, to which the server has sent these frames."""
    mechanism = ScriptedMechanism(wraps=wraps)
    transport, _ = opened(b"".join(frame(mechanism.wrap(data) if wraps else data) for data in frames), mechanism)
    return transport


@given(st.lists(st.binary(max_size=40), max_size=8), st.lists(st.integers(1, 70), max_size=40), st.booleans())
def test_frames_are_read_in_pieces_of_any_length(frames: list[bytes], sizes: list[int], wraps: bool) -> None:
    transport, rest = opened_before(frames, wraps), b"".join(frames)
    for size in sizes:
        if len(rest) < size:
            break
        assert transport.readAll(size) == rest[:size]
        rest = rest[size:]


@given(st.lists(st.binary(max_size=40), max_size=8), st.lists(st.integers(1, 70), max_size=20), st.booleans())
def test_the_accelerated_protocol_finds_the_same_bytes(frames: list[bytes], sizes: list[int], wraps: bool) -> None:
    """It reads from the buffer, and where that ends asks for one that begins with what it has taken already."""
    transport, rest = opened_before(frames, wraps), b"".join(frames)
    for size in sizes:
        if len(rest) < size:
            break
        taken = transport.cstringio_buf.read(size)
        if len(taken) < size:
            taken = transport.cstringio_refill(taken, size).read(size)
        assert taken == rest[:size]
        rest = rest[size:]


def test_a_frame_of_less_than_nothing_is_an_error() -> None:
    transport, _ = opened(b"\xff\xff\xff\xff", ScriptedMechanism())
    with pytest.raises(TTransportException) as caught:
        transport.read(1)
    assert caught.value.type == TTransportException.NEGATIVE_SIZE
