"""The server's end of logins, in this process."""

from __future__ import annotations

import socket
import ssl
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from thrift.transport.TTransport import TFramedTransport, TTransportException

from hive_acid.metastore.transports.security import LoginFailed
from hive_acid_login.sasl_transport import SaslLogin
from support.fake_metastore_server import open_plainly

START, OK, BAD, ERROR, COMPLETE = range(1, 6)
Say = Callable[[int, bytes], tuple[int, bytes] | None]
"""Given a message of the client's, what the server says: status and text, or nothing."""


def scramble(data: bytes) -> bytes:
    """Protection of a kind: another length, other bytes."""
    return b"<" + bytes(byte ^ 0x55 for byte in data) + b">"


def unscramble(data: bytes) -> bytes:
    assert data[:1] + data[-1:] == b"<>"
    return bytes(byte ^ 0x55 for byte in data[1:-1])


@dataclass
class ScriptedMechanism:
    """The client's end of a login that says what it is told to, `steps`, and notes what it hears."""

    steps: Sequence[bytes] = ()
    wraps: bool = False
    first: bytes = b"hello"
    name: str = "SCRIPTED"
    heard: list[bytes] = field(default_factory=list)

    def start(self) -> bytes:
        return self.first

    def step(self, challenge: bytes) -> bytes:
        self.heard.append(challenge)
        return self.steps[len(self.heard) - 1]

    @property
    def is_complete(self) -> bool:
        return len(self.heard) == len(self.steps)

    def wrap(self, data: bytes) -> bytes:
        return scramble(data)

    def unwrap(self, data: bytes) -> bytes:
        return unscramble(data)

    def explain(self, reason: str) -> LoginFailed:
        return LoginFailed("HIVE_ACID_METASTORE_LOGIN.FAILED", reason=reason)


@dataclass
class ScriptedLogin(SaslLogin):
    """One who logs in with such mechanisms."""

    make: Callable[[], Any] = ScriptedMechanism
    user: str = "alice"
    hosts: list[str] = field(default_factory=list)

    def begin(self, host: str) -> Any:
        self.hosts.append(host)
        return self.make()


class _Protected(TFramedTransport):  # type: ignore[misc]
    """Frames, scrambled."""

    def readFrame(self) -> None:  # noqa: N802 (thrift's name)
        super().readFrame()
        buffer = f"_{TFramedTransport.__name__}__rbuf"
        setattr(self, buffer, type(getattr(self, buffer))(unscramble(getattr(self, buffer).read())))

    def flush(self) -> None:
        buffer = f"_{TFramedTransport.__name__}__wbuf"
        whole = getattr(self, buffer).getvalue()
        setattr(self, buffer, type(getattr(self, buffer))())
        self.write(scramble(whole))
        super().flush()


def expect_login(say: Say, heard: list[tuple[int, bytes]], *, protects: bool = False) -> Callable[[socket.socket], Any]:
    """A server's transport for those who go through the login; `heard` has status and text of their messages."""

    def secure(handle: socket.socket) -> Any:
        below = open_plainly(handle)
        while True:
            status, length = struct.unpack(">BI", below.readAll(5))
            if status not in (START, OK, COMPLETE) or length > 1000:
                raise TTransportException(TTransportException.END_OF_FILE, "no login")
            text = below.readAll(length)
            heard.append((status, text))
            said = say(status, text)
            if said is not None:
                below.write(struct.pack(">BI", said[0], len(said[1])) + said[1])
                below.flush()
                if said[0] in (BAD, ERROR):
                    raise TTransportException(TTransportException.END_OF_FILE, "refused")
                if said[0] == COMPLETE:
                    return _Protected(below) if protects else TFramedTransport(below)

    return secure


def encrypt(server: Path, then: Callable[[socket.socket], Any] = open_plainly) -> Callable[[socket.socket], Any]:
    """A server's transport over TLS, with key and certificate in a file."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(server)
    return lambda handle: then(context.wrap_socket(handle, server_side=True))
