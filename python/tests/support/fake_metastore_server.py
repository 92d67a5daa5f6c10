"""A thrift server on a free port that answers as told: for what a real metastore does only when something breaks."""

from __future__ import annotations

import socket
import threading
from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.Thrift import TApplicationException, TException
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TBufferedTransport, TTransportException

from hive_acid.metastore.generated import ThriftHiveMetastore, ttypes

if TYPE_CHECKING:
    from typing_extensions import Self

Answer = Callable[..., Any]


def dropped(*_: Any) -> Any:
    """Closes the connection instead of answering."""
    raise TTransportException(TTransportException.END_OF_FILE, "dropped on purpose")


def broken(*_: Any) -> Any:
    """An internal error of the server."""
    raise TApplicationException(TApplicationException.INTERNAL_ERROR, "Internal error processing it")


def unknown(*_: Any) -> Any:
    """A method the server does not have."""
    raise TApplicationException(TApplicationException.UNKNOWN_METHOD, "Invalid method name")


def open_plainly(handle: socket.socket) -> Any:
    """The transport of a connection that is what it is."""
    transport = TSocket()
    transport.setHandle(handle)
    return TBufferedTransport(transport)


class FakeMetastoreServer:
    """`answers[method]` is a list of what to do, first to last; the last one stays. `calls` is what came, in order:
    number of the connection, method, arguments. `secure` makes the transport of a connection, and may raise OSError.
    `port` 0 is any free one."""

    def __init__(self, secure: Callable[[socket.socket], Any] = open_plainly, port: int = 0) -> None:
        self._secure = secure
        self.calls: list[tuple[int, str, tuple[Any, ...]]] = []
        self.answers: dict[str, list[Answer]] = defaultdict(list)
        self.answers["set_ugi"] = [lambda *_: []]
        self.answers["get_open_txns_req"] = [lambda *_: no_transactions()]
        self._listener = socket.create_server(("127.0.0.1", port))
        self._open: list[socket.socket] = []
        self.connections = 0
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def uri(self) -> str:
        return f"thrift://127.0.0.1:{self._listener.getsockname()[1]}"

    def methods(self) -> list[str]:
        """Methods that were called, without the greeting of each connection."""
        return [method for _, method, _ in self.calls if method != "set_ugi"]

    def close_connections(self) -> None:
        """What an idle time-out or a restart of the server does."""
        for handle in self._open:
            _end(handle)
        self._open.clear()

    def _accept(self) -> None:
        while True:
            try:
                handle, _ = self._listener.accept()
            except OSError:  # closed: the end of the test
                return
            self.connections += 1
            kept = handle.dup()  # TLS takes the handle away
            self._open.append(kept)
            threading.Thread(target=self._serve, args=(handle, kept, self.connections), daemon=True).start()

    def _serve(self, handle: socket.socket, kept: socket.socket, number: int) -> None:
        processor = ThriftHiveMetastore.Processor(_Handler(self, number))
        try:
            protocol = TBinaryProtocol(self._secure(handle))
            while True:
                processor.process(protocol, protocol)
        except (TException, OSError):
            _end(kept)
            handle.close()

    def answer(self, number: int, method: str, arguments: tuple[Any, ...]) -> Any:
        self.calls.append((number, method, arguments))
        planned = self.answers[method]
        return (planned.pop(0) if len(planned) > 1 else planned[0])(*arguments)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # the thread that accepts would take one more otherwise
        self._listener.close()
        self.close_connections()


def _end(handle: socket.socket) -> None:
    with handle, suppress(OSError):  # it has ended already
        handle.shutdown(socket.SHUT_RDWR)


class _Handler:
    def __init__(self, server: FakeMetastoreServer, number: int) -> None:
        self._server = server
        self._number = number

    def __getattr__(self, method: str) -> Answer:
        return lambda *arguments: self._server.answer(self._number, method, arguments)


def no_transactions(high_water_mark: int = 7) -> Any:
    """GetOpenTxnsResponse without open or aborted transactions."""
    return ttypes.GetOpenTxnsResponse(high_water_mark, [], None, b"")


def fail(error: Exception) -> Answer:
    """An answer that is this error, one of the service's or any other."""

    def answer(*_: object) -> object:
        raise error

    return answer
