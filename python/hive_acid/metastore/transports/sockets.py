"""TCP connections to a metastore, plain or encrypted, below whatever is spoken over them."""

from __future__ import annotations

import socket
import ssl

from hive_acid.metastore.transports.endpoints import Endpoint
from hive_acid.metastore.transports.security import Encryption

_QUIET_S, _PROBE_PAUSE_S, _PROBES = 60, 10, 6
_KEEP_ALIVE = (
    ("TCP_KEEPIDLE", _QUIET_S),
    ("TCP_KEEPALIVE", _QUIET_S),  # its name on macOS
    ("TCP_KEEPINTVL", _PROBE_PAUSE_S),
    ("TCP_KEEPCNT", _PROBES),
)
"""Probes of a connection on which nothing is said, as none is while a job runs.

Firewalls and gateways forget connections that are quiet for minutes, and drop what follows; Linux sends its first probe
after two hours.
"""


def open_socket(endpoint: Endpoint, timeout_ms: int, tls: Encryption | None) -> socket.socket:
    """A new connection, whose reads and writes fail after `timeout_ms`. Raises LoginFailed and OSError."""
    handle = socket.create_connection((endpoint.host, endpoint.port), timeout=timeout_ms / 1000)
    try:
        handle.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        _keep_alive(handle)
        return handle if tls is None else tls.wrap(handle, endpoint.host)
    except BaseException:
        handle.close()
        raise


def _keep_alive(handle: socket.socket) -> None:
    handle.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _KEEP_ALIVE:
        option: int | None = getattr(socket, name, None)
        if option is not None:
            handle.setsockopt(socket.IPPROTO_TCP, option, value)


def is_open(handle: socket.socket) -> bool:
    """False once either side has closed it; it is then closed here. The server sends nothing between two calls."""
    if handle.fileno() < 0:
        return False
    timeout = handle.gettimeout()
    handle.settimeout(0)
    try:
        handle.recv(1)
    except (BlockingIOError, ssl.SSLWantReadError):
        handle.settimeout(timeout)
        return True
    except OSError:
        pass
    handle.close()
    return False


def shut_down(handle: socket.socket) -> None:
    """Ends both directions; a call that waits in another thread fails at once."""
    try:
        handle.shutdown(socket.SHUT_RDWR)
    except OSError:  # the other end was faster
        return
    finally:
        handle.close()
