"""The server's end of connections on which each call is a request of HTTP."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from io import BytesIO
from typing import Any

from thrift.transport.TTransport import TTransportBase, TTransportException

Headers = Mapping[str, str]
Refusal = Callable[[str, Headers], "tuple[int, str] | None"]
"""The status and text of an answer that is none of thrift's, by path and headers of the request; None to serve it."""


def serve_requests(refuse: Refusal = lambda *_: None, *, keeps: bool = True) -> Callable[[socket.socket], Any]:
    """What FakeMetastoreServer makes its connections by. Unless it `keeps` a connection, that ends with its answer."""
    return lambda handle: _Requests(handle, refuse, keeps=keeps)


class _Requests(TTransportBase):
    """A thrift transport that reads what requests hold, and sends each flush as an answer."""

    def __init__(self, handle: socket.socket, refuse: Refusal, *, keeps: bool) -> None:
        self._handle = handle
        self._lines = handle.makefile("rb")
        self._refuse = refuse
        self._keeps = keeps
        self._incoming = BytesIO()
        self._outgoing = BytesIO()

    def read(self, size: int) -> bytes:
        while True:
            data = self._incoming.read(size)
            if data or not size:
                return data
            self._incoming = BytesIO(self._next_request())

    def _next_request(self) -> bytes:
        while True:
            letter = self._lines.read(1)
            if not letter:
                raise TTransportException(TTransportException.END_OF_FILE, "no more requests")
            if not letter.isalpha():
                self._keeps = False
                self._answer(400, b"no request")
            _, path, _ = self._lines.readline().decode("latin-1").split(" ", 2)
            headers = {}
            while (line := self._lines.readline().strip()) != b"":
                name, _, value = line.decode("latin-1").partition(":")
                headers[name.lower()] = value.strip()
            content = self._lines.read(int(headers.get("content-length", "0")))
            refused = self._refuse(path, headers)
            if refused is None:
                return content
            self._answer(refused[0], refused[1].encode())

    def _answer(self, status: int, content: bytes) -> None:
        kept = "" if self._keeps else "Connection: close\r\n"
        head = f"HTTP/1.1 {status} Anything\r\n{kept}Content-Length: {len(content)}\r\n\r\n"
        self._handle.sendall(head.encode() + content)
        if not self._keeps:
            raise TTransportException(TTransportException.END_OF_FILE, "as announced")

    def write(self, data: bytes) -> None:
        self._outgoing.write(data)

    def flush(self) -> None:
        content, self._outgoing = self._outgoing.getvalue(), BytesIO()
        self._answer(200, content)
