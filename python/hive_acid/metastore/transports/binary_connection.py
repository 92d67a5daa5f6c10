"""A connection on which calls follow each other as they are, after a login or a greeting."""

from __future__ import annotations

from typing import Any

from thrift.protocol.TBinaryProtocol import TBinaryProtocolAccelerated
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TBufferedTransport, TTransportException

from hive_acid.metastore.generated import ThriftHiveMetastore
from hive_acid.metastore.transports import sockets
from hive_acid.metastore.transports.endpoints import Endpoint
from hive_acid.metastore.transports.security import NO_SECURITY, Security


def build_client(transport: Any) -> Any:
    """Thrift's client for the metastore interface, over a Thrift transport."""
    return ThriftHiveMetastore.Client(TBinaryProtocolAccelerated(transport))


class RequestNotSent(TTransportException):  # type: ignore[misc]
    """The connection broke before the whole request was handed to it, so that no server has carried it out."""


class _CheckedSocket(TSocket):  # type: ignore[misc]
    """Tells a request that broke off from one that was not answered."""

    def write(self, buff: bytes) -> None:
        """Raises RequestNotSent. A request is one write: the transports above keep its parts until it is whole."""
        try:
            super().write(buff)
        except TTransportException as error:
            raise RequestNotSent(error.type, error.message, error.inner) from error


class BinaryConnection:
    """An open connection. `client` is the generated client."""

    def __init__(self, endpoint: Endpoint, timeout_ms: int, security: Security = NO_SECURITY) -> None:
        """Raises LoginFailed and OSError; what else may come of `greet` is thrift's."""
        self.endpoint = endpoint
        self._security = security
        self._handle = sockets.open_socket(endpoint, timeout_ms, security.tls)
        below = _CheckedSocket(endpoint.host, endpoint.port)
        below.setHandle(self._handle)
        self._transport = TBufferedTransport(below)
        self.client: Any = build_client(self._transport)

    def greet(self, user: str) -> None:
        """Logs in, or else tells the user's name, which the server believes."""
        if self._security.login is None:
            self.client.set_ugi(user, [])
            return
        transport = self._security.login.log_in(self._transport, self.endpoint.host)
        self.client = build_client(transport)

    @property
    def is_open(self) -> bool:
        """False once either end has closed it."""
        return sockets.is_open(self._handle)

    def shutdown(self) -> None:
        """Ends it; a call that waits in another thread fails at once."""
        sockets.shut_down(self._handle)
