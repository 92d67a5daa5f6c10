"""Thrift's SASL transport, as Java's TSaslTransport writes it.

While a login goes on, a message is a status, the length of what follows and that itself. Afterwards a frame is a length
and the bytes of what was sent up to a flush, protected if the login agreed so.
"""

from __future__ import annotations

import struct
from abc import ABC, abstractmethod
from collections.abc import Sequence
from enum import IntEnum
from io import BytesIO
from typing import Any, Protocol

from thrift.transport.TTransport import CReadableTransport, TTransportBase, TTransportException

from hive_acid.api.connections import LoginFailed

_HEADER = struct.Struct(">BI")
_LENGTH = struct.Struct(">i")
_LARGEST_MESSAGE = 1 << 20
"""No message of a login is near this long; a server that does not know SASL sends anything."""


class Status(IntEnum):
    """The first byte of a message of a login."""

    START = 1
    OK = 2
    BAD = 3
    ERROR = 4
    COMPLETE = 5


class Mechanism(Protocol):
    """The client's end of one SASL login, for one connection. Methods raise LoginFailed."""

    @property
    def name(self) -> str:
        """The name by which SASL knows the kind of login, such as GSSAPI."""

    def start(self) -> bytes:
        """The first message, empty if the server begins."""

    def step(self, challenge: bytes) -> bytes:
        """The answer to the server's message, empty if none is due."""

    @property
    def is_complete(self) -> bool:
        """True once this end is content: the server has proved what it had to."""

    @property
    def wraps(self) -> bool:
        """True if each later message is protected; known once the login is complete."""

    def wrap(self, data: bytes) -> bytes:
        """The protected form of what is sent."""

    def unwrap(self, data: bytes) -> bytes:
        """The content of what was received."""

    def explain(self, reason: str) -> LoginFailed:
        """The name of what the server said when it refused this login."""


class SaslTransport(TTransportBase, CReadableTransport):  # type: ignore[misc]
    """A thrift transport over another one, `below`, whose ends have agreed by `mechanism` who they are."""

    def __init__(self, below: Any, mechanism: Mechanism) -> None:
        self._below = below
        self._mechanism = mechanism
        self._wraps = False
        self._outgoing = BytesIO()
        self._incoming = BytesIO()

    def log_in(self) -> None:
        """Goes through the login. Raises LoginFailed, and what the transport below raises."""
        mechanism = self._mechanism
        first = mechanism.start()  # before anything is sent: without a ticket nothing is
        self._send(Status.START, mechanism.name.encode())
        self._send(Status.COMPLETE if mechanism.is_complete else Status.OK, first)
        status = Status.OK
        while status is not Status.COMPLETE:
            status, message = self._receive()
            if mechanism.is_complete:
                continue
            answer = mechanism.step(message)
            if status is Status.OK:
                self._send(Status.COMPLETE if mechanism.is_complete else Status.OK, answer)
        if not mechanism.is_complete:
            raise mechanism.explain("it ended the login before it had proved who it is")
        self._wraps = mechanism.wraps

    def _send(self, status: Status, message: bytes) -> None:
        self._below.write(_HEADER.pack(status, len(message)) + message)
        self._below.flush()

    def _receive(self) -> tuple[Status, bytes]:
        number, length = _HEADER.unpack(self._below.readAll(_HEADER.size))
        if number not in (Status.OK, Status.BAD, Status.ERROR, Status.COMPLETE) or length > _LARGEST_MESSAGE:
            raise LoginFailed("HIVE_ACID_METASTORE_LOGIN.LOGIN_NOT_EXPECTED")
        message: bytes = self._below.readAll(length)
        if number in (Status.BAD, Status.ERROR):
            raise self._mechanism.explain(message.decode("utf-8", "replace"))
        return Status(number), message

    def isOpen(self) -> bool:  # noqa: N802 (thrift's name)
        return bool(self._below.isOpen())

    def close(self) -> None:
        self._below.close()

    def write(self, data: bytes) -> None:
        self._outgoing.write(data)

    def flush(self) -> None:
        data, self._outgoing = self._outgoing.getvalue(), BytesIO()
        if self._wraps:
            data = self._mechanism.wrap(data)
        self._below.write(_LENGTH.pack(len(data)) + data)
        self._below.flush()

    def read(self, size: int) -> bytes:
        """Up to `size` bytes, at least one unless none are asked for."""
        data = self._incoming.read(size)
        while size and not data:
            self._incoming = BytesIO(self._read_frame())
            data = self._incoming.read(size)
        return data

    def _read_frame(self) -> bytes:
        (length,) = _LENGTH.unpack(self._below.readAll(_LENGTH.size))
        if length < 0:
            raise TTransportException(TTransportException.NEGATIVE_SIZE, f"a frame of {length} bytes")
        data: bytes = self._below.readAll(length)
        return self._mechanism.unwrap(data) if self._wraps else data

    @property
    def cstringio_buf(self) -> BytesIO:
        """The rest of the frame, for the accelerated protocol."""
        return self._incoming

    def cstringio_refill(self, partial: bytes, wanted: int) -> BytesIO:
        """The buffer with `partial` and what follows, `wanted` bytes at least, for the accelerated protocol."""
        while len(partial) < wanted:
            partial += self.read(wanted - len(partial)) + self._incoming.read()
        self._incoming = BytesIO(partial)
        return self._incoming


class SaslLogin(ABC):
    """One who logs in by SASL, on any thread, each time a connection is made."""

    @abstractmethod
    def begin(self, host: str) -> Mechanism:
        """A login to the metastore at this host. Raises LoginFailed."""

    def log_in(self, below: Any, host: str) -> SaslTransport:
        transport = SaslTransport(below, self.begin(host))
        transport.log_in()
        return transport

    def explain_other(self, causes: Sequence[str], host: str) -> LoginFailed | None:
        return None
