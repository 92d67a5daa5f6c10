"""A connection on which each call is a request of HTTP that says who asks (HiveMetaStoreClient.createHttpClient, 4.0).

Thrift's own client of HTTP connects anew for each call, takes what is no answer for one, and goes through proxies that
are meant for other things; so this is the one of Python's library, on one connection.
"""

from __future__ import annotations

import http
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import partial
from http.client import HTTPConnection, HTTPException
from io import BytesIO
from typing import Any

from thrift.transport.TTransport import CReadableTransport, TTransportBase, TTransportException

from hive_acid.api.connections import Encryption, Endpoint, LoginFailed, build_client, is_open, open_socket, shut_down

_LONGEST_REASON = 300


class HttpCaller(ABC):
    """The one who asks where each call is a request of HTTP to `path`, which begins with a slash."""

    def __init__(self, path: str) -> None:
        self.path = path

    @property
    @abstractmethod
    def user(self) -> str:
        """The name by which the metastore will know the requests; empty for that of the process."""

    def connect(self, endpoint: Endpoint, timeout_ms: int, tls: Encryption | None) -> HttpConnection:
        return HttpConnection(endpoint, timeout_ms, tls, self)

    @abstractmethod
    def headers(self, user: str) -> Mapping[str, str]:
        """The headers that tell who asks; `user` is the name of the process's user. Raises LoginFailed."""

    @abstractmethod
    def explain(self, reason: str) -> LoginFailed:
        """The name of a refusal to let the request in."""


class HttpConnection:
    """An open connection, in whose place another one comes where the server ends it with an answer, as it may.

    `client` is the generated client.
    """

    def __init__(self, endpoint: Endpoint, timeout_ms: int, tls: Encryption | None, caller: HttpCaller) -> None:
        """Raises LoginFailed and OSError; what else may come of `greet` is thrift's."""
        self.endpoint = endpoint
        self._is_shut = False
        self._http = HTTPConnection(endpoint.host, endpoint.port)
        self._http.auto_open = 0  # without the settings of ours
        self._open_socket = partial(open_socket, endpoint, timeout_ms, tls)
        self._transport = _RequestTransport(self._http, caller, self._reopen)
        self._reopen()
        self.client: Any = build_client(self._transport)

    def _reopen(self) -> None:
        if self._is_shut:
            raise TTransportException(TTransportException.NOT_OPEN, "this connection was ended")
        if self._http.sock is None:
            self._http.sock = self._open_socket()

    def greet(self, user: str) -> None:
        """Asks the release, so that who is not let in hears so before anything is begun."""
        self._transport.user = user
        self.client.getVersion()

    @property
    def is_open(self) -> bool:
        """False once this end has closed it, or the other end without a word.

        One that the server ended with an answer is opened again here, so that no call begins which cannot be sent.
        """
        if self._is_shut:
            return False
        if self._http.sock is not None:
            return is_open(self._http.sock)
        try:
            self._reopen()
        except (OSError, TTransportException):
            return False
        return True

    def shutdown(self) -> None:
        """Ends it; a call that waits in another thread fails at once."""
        self._is_shut = True
        handle = self._http.sock
        if handle is not None:
            shut_down(handle)


class _RequestTransport(TTransportBase, CReadableTransport):  # type: ignore[misc]
    """A thrift transport whose flush sends a request and awaits its answer; `reopen` goes before each."""

    def __init__(self, connection: HTTPConnection, caller: HttpCaller, reopen: Callable[[], None]) -> None:
        self.user = ""
        self._connection = connection
        self._caller = caller
        self._reopen = reopen
        self._outgoing = BytesIO()
        self._incoming = BytesIO()

    def write(self, data: bytes) -> None:
        self._outgoing.write(data)

    def flush(self) -> None:
        """Raises LoginFailed if who asks is not let in, OSError, and what a dropped connection raises."""
        data, self._outgoing = self._outgoing.getvalue(), BytesIO()
        self._reopen()
        headers = {"Content-Type": "application/x-thrift", **self._caller.headers(self.user)}
        try:
            self._connection.request("POST", self._caller.path, data, headers)
            response = self._connection.getresponse()
            content = response.read()
        except HTTPException as error:
            if isinstance(error, OSError):
                raise
            reason = f"it did not answer as servers of HTTP do ({type(error).__name__})"
            raise TTransportException(TTransportException.END_OF_FILE, reason) from error
        if response.status != http.HTTPStatus.OK:
            text = content.decode("utf-8", "replace")[:_LONGEST_REASON].split("\n")[0].strip()
            raise self._name(response.status, f"HTTP {response.status} {text or response.reason}")
        self._incoming = BytesIO(content)

    def _name(self, status: int, reason: str) -> TTransportException:
        """The failure for an answer that is none of thrift's: whether the call was carried out is not known."""
        if status in (http.HTTPStatus.UNAUTHORIZED, http.HTTPStatus.FORBIDDEN):
            return self._caller.explain(reason)
        return TTransportException(TTransportException.END_OF_FILE, reason)

    def isOpen(self) -> bool:  # noqa: N802 (thrift's name)
        return self._connection.sock is not None

    def close(self) -> None:
        self._connection.close()

    def read(self, size: int) -> bytes:
        """Up to `size` bytes of the answer. Raises the end of the file if there are no more."""
        data = self._incoming.read(size)
        if size and not data:
            raise TTransportException(TTransportException.END_OF_FILE, "the answer is not whole")
        return data

    @property
    def cstringio_buf(self) -> BytesIO:
        """The rest of the answer, for the accelerated protocol."""
        return self._incoming

    def cstringio_refill(self, partial: bytes, wanted: int) -> BytesIO:
        """Nothing follows the answer, for the accelerated protocol."""
        raise TTransportException(TTransportException.END_OF_FILE, f"{wanted - len(partial)} bytes are missing")
