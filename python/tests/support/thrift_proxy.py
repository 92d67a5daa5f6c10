"""A proxy between a session and the metastore: it knows the methods called, and loses or holds those it is told to."""

from __future__ import annotations

import select
import socket
import threading
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.Thrift import TType
from thrift.transport.TTransport import TTransportBase, TTransportException

if TYPE_CHECKING:
    from typing_extensions import Self

LIMIT_SECONDS = 60.0


class Lost(Enum):
    """What is lost of a call: the request (nothing happened), or the answer (it happened). The connection drops."""

    REQUEST = "request"
    ANSWER = "answer"


@dataclass
class Loss:
    """Calls of `method` (None: of any) that are lost: the `nth` from now on (from 1), or all from it if `forever`."""

    method: str | None
    lost: Lost
    nth: int = 1
    forever: bool = False
    seen: int = 0

    def strikes(self, method: str) -> bool:
        """Counts a call; True if it is lost."""
        if self.method not in (None, method):
            return False
        self.seen += 1
        return self.seen == self.nth or (self.forever and self.seen > self.nth)


class Hold:
    """The next call of `method` waits in the proxy until it is released: not yet forwarded, or already answered."""

    def __init__(self, method: str, answered: bool) -> None:
        self.method = method
        self.answered = answered
        self._arrived = threading.Event()
        self._decided = threading.Event()
        self._forwards = True

    def wait(self) -> None:
        """Until the call has arrived. Fails after a limit."""
        assert self._arrived.wait(LIMIT_SECONDS), f"{self.method} was not called within {LIMIT_SECONDS} s"

    def release(self) -> None:
        """Lets the call, or its answer, go on."""
        self._decided.set()

    def drop(self) -> None:
        """Loses the call, or its answer."""
        self._forwards = False
        self._decided.set()

    def pass_through(self) -> bool:
        """The proxy's side: waits for the decision. False if the call is to be lost."""
        self._arrived.set()
        return self._decided.wait(LIMIT_SECONDS) and self._forwards


class _Skipper(TBinaryProtocol):  # type: ignore[misc]
    """Passes over messages; their texts need not be text (some fields are binary)."""

    def readString(self) -> bytes:  # noqa: N802 (thrift's name)
        data: bytes = self.readBinary()
        return data


class _Recorder(TTransportBase):  # type: ignore[misc]
    """Reads a socket for a protocol and keeps the bytes of the message."""

    def __init__(self, source: socket.socket) -> None:
        self._file = source.makefile("rb")
        self.recorded = bytearray()

    def readAll(self, size: int) -> bytes:  # noqa: N802 (thrift's name)
        data = self._file.read(size)
        if len(data) < size:
            raise EOFError
        self.recorded += data
        return data

    def message(self) -> tuple[str, bytes]:
        """The next message, whole: its method and its bytes. Raises EOFError or OSError at the end."""
        self.recorded.clear()
        protocol = _Skipper(self)
        name, _, _ = protocol.readMessageBegin()
        protocol.skip(TType.STRUCT)
        return name.decode(), bytes(self.recorded)


def _is_wanted(client: socket.socket, server: socket.socket) -> bool:
    """Waits for the next call. False if the server has gone, which the client must not find out by its next call."""
    readable, _, _ = select.select([client, server], [], [])
    return server not in readable


@dataclass
class ThriftProxy:
    """Listens at `uri`, forwards to `upstream`. `calls` are the methods that arrived, in order, lost ones too."""

    upstream: str
    calls: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        target = urlsplit(self.upstream)
        self._target = (target.hostname, target.port)
        self._guard = threading.Lock()
        self._losses: list[Loss] = []
        self._holds: list[Hold] = []
        self._server = socket.create_server(("127.0.0.1", 0))
        self.uri = f"thrift://127.0.0.1:{self._server.getsockname()[1]}"
        threading.Thread(target=self._accept, name="proxy", daemon=True).start()

    def lose(self, method: str | None, lost: Lost, *, nth: int = 1, forever: bool = False) -> Loss:
        """See `Loss`; until `heal`."""
        loss = Loss(method, lost, nth, forever)
        with self._guard:
            self._losses.append(loss)
        return loss

    def hold(self, method: str, *, answered: bool = False) -> Hold:
        """Once, the next call of the method: before it reaches the metastore, or when its answer is there."""
        hold = Hold(method, answered)
        with self._guard:
            self._holds.append(hold)
        return hold

    def heal(self) -> None:
        """Everything passes again; calls still held are lost."""
        with self._guard:
            self._losses.clear()
            held, self._holds = self._holds, []
        for hold in held:
            hold.drop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.heal()
        self._server.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._server.accept()
            except OSError:  # closed
                return
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._serve, args=(client,), name="proxy-connection", daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        """One connection; a message is one call, and nothing is sent before its answer has come."""
        try:
            with client, socket.create_connection(self._target) as server:
                server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                requests, answers = _Recorder(client), _Recorder(server)
                while _is_wanted(client, server) and self._pass_call(requests, answers, client, server):
                    pass
        except (EOFError, OSError, TTransportException):
            return  # either end has gone, or a stranger that speaks no Thrift has found the port

    def _pass_call(self, requests: _Recorder, answers: _Recorder, client: socket.socket, server: socket.socket) -> bool:
        method, request = requests.message()
        lost, hold = self._arrived(method)
        if hold is not None and not hold.answered and not hold.pass_through():
            return False
        if lost is Lost.REQUEST:
            return False
        server.sendall(request)
        _, answer = answers.message()
        if lost is Lost.ANSWER or (hold is not None and hold.answered and not hold.pass_through()):
            return False
        client.sendall(answer)
        return True

    def _arrived(self, method: str) -> tuple[Lost | None, Hold | None]:
        with self._guard:
            self.calls.append(method)
            hold: Any = next((hold for hold in self._holds if hold.method == method), None)
            if hold is not None:
                self._holds.remove(hold)
            lost = [loss.lost for loss in self._losses if loss.strikes(method)]
        return (lost[0] if lost else None), hold
