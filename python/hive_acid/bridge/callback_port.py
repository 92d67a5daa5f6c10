"""The port at which Python is called back: it answers the JVM of its session and nobody else.

PySpark starts py4j's callback server without a token, so that any user of the machine could call what Python has
registered, with the rights of its user. The server is the session's, whoever has started it: what else is called back,
as a stream's `foreachBatch`, comes by connections that have told the token, too.
"""

from __future__ import annotations

import os
import secrets
import socket
import struct
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from py4j.clientserver import ClientServer
from py4j.java_gateway import JavaObject
from py4j.protocol import GATEWAY_SERVER_OBJECT_ID, escape_new_line, unescape_new_line

from hive_acid.bridge.secrets import unlogged

_TOKEN_BYTES: Final = 32
_LISTS: Final = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_IPV4_WITHIN_IPV6: Final = struct.pack(">10xH", 0xFFFF)
_ESTABLISHED: Final = "01"


def ask_for_token(gateway: Any) -> None:
    """Has the gateway's callback server ask each new connection for a token, which its JVM tells from now on.

    The server may run already. If it did so without a token, the connections of other users are closed. The user's own
    connections go on, because a call may run over them. All go on where the system does not tell whose they are.
    """
    parameters = gateway.callback_server_parameters
    asked_before = parameters.auth_token is not None
    if isinstance(gateway, ClientServer):
        token = unescape_new_line(parameters.auth_token) or secrets.token_hex(_TOKEN_BYTES)
        with unlogged():
            server = JavaObject(GATEWAY_SERVER_OBJECT_ID, gateway._gateway_client)
            gateway.jvm.hiveacid.api.JvmApi.tellToken(server, token)
        parameters.auth_token = escape_new_line(token)
    elif not asked_before:  # threads share connections, and their JVM tells the gateway's own token
        parameters.auth_token = gateway.gateway_parameters.auth_token
    if gateway._callback_server is not None and not asked_before:
        _hang_up_on_others(gateway._callback_server)


def _hang_up_on_others(server: Any) -> None:
    """Ends the server's connections with other users. The threads that answer them close them."""
    lists = [path for path in _LISTS if path.exists()]  # both, but for a machine without IPv6
    own = {ends for path in lists for ends in _connections_of(os.geteuid(), path)}
    with server.lock:
        sockets = [connection.socket for connection in server.connections if connection.socket is not None]
    for end in sockets:
        with suppress(OSError):  # it has been closed
            if lists and own.isdisjoint(_spellings(end)):
                end.shutdown(socket.SHUT_RDWR)


def _connections_of(user: int, path: Path) -> Iterator[tuple[str, str]]:
    """Both ends of each connection that this user has made or accepted, its own end first, as Linux lists them."""
    for line in path.read_text("ascii").splitlines()[1:]:
        row = line.split()
        if row[3] == _ESTABLISHED and row[7] == str(user) and row[9] != "0":
            yield row[1], row[2]


def _spellings(end: socket.socket) -> Iterator[tuple[str, str]]:
    """How the lists have the other end of a connection, which may be a socket of IPv6 beside one of IPv4."""
    ends = end.getpeername(), end.getsockname()
    addresses = [(socket.inet_pton(end.family, host), port) for host, port, *_ in ends]
    yield _spell(addresses[0]), _spell(addresses[1])
    if end.family == socket.AF_INET:
        longer = [(_IPV4_WITHIN_IPV6 + address, port) for address, port in addresses]
        yield _spell(longer[0]), _spell(longer[1])


def _spell(end: tuple[bytes, int]) -> str:
    address, port = end
    words = struct.unpack(f"={len(address) // 4}I", address)
    return "".join(f"{word:08X}" for word in words) + f":{port:04X}"
