"""The demands of a secured metastore on each connection: a login, who is trusted to be the metastore, and HTTP.

The client knows these protocols alone. The wing of logins has the rest.
"""

from __future__ import annotations

import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from thrift.transport.TTransport import TTransportException

from hive_acid.hive_settings import HiveSetting
from hive_acid.metastore.transports.endpoints import Endpoint
from hive_acid.transport import PLAIN, Transport
from hive_acid.wings import is_there, load_wing

_WING = "hive_acid_login"


class LoginFailed(TTransportException):  # type: ignore[misc]
    """No connection is made, because one side does not accept the identity of the other, or gives none.

    `condition` is one of HIVE_ACID_METASTORE_LOGIN, `params` those of its own part.
    """

    def __init__(self, condition: str, **params: str) -> None:
        super().__init__(TTransportException.NOT_OPEN, params.get("reason") or condition)
        self.condition = condition
        self.params = params


class Connection(Protocol):
    """An open connection to a metastore, for the calls of one thread."""

    endpoint: Endpoint
    client: Any
    """Thrift's client for the interface of metastores."""

    def greet(self, user: str) -> None:
        """Says who asks; `user` is the name of the process's user. Raises LoginFailed, OSError and what thrift does."""

    @property
    def is_open(self) -> bool:
        """False once either end has closed it."""

    def shutdown(self) -> None:
        """Ends it; a call that waits in another thread fails at once."""


class Login(Protocol):
    """Logs in each time a connection is made, on any thread."""

    @property
    def user(self) -> str:
        """The name by which the metastore will know the connection."""

    def log_in(self, below: Any, host: str) -> Any:
        """A transport of thrift's over the one `below`, after a login to the metastore at this host.

        Raises LoginFailed, and what the transport below raises.
        """

    def explain_other(self, causes: Sequence[str], host: str) -> LoginFailed | None:
        """The failure of the login of Hive's own client as the same user, by the texts of its exception's causes."""


class Encryption(Protocol):
    """TLS, and the certificates by which the metastore is trusted."""

    def wrap(self, handle: socket.socket, host: str) -> socket.socket:
        """The encrypted form of a connection to `host`. Raises LoginFailed for a bad certificate, and OSError."""


class Requests(Protocol):
    """Connections on which each call is a request of HTTP that says who asks."""

    @property
    def user(self) -> str:
        """The name by which the metastore will know the requests; empty for that of the process."""

    def connect(self, endpoint: Endpoint, timeout_ms: int, tls: Encryption | None) -> Connection:
        """A new connection. Raises LoginFailed and OSError."""


@dataclass(frozen=True)
class Security:
    """The security steps of each connection. Without a login it tells the user's name.

    With `http` calls are requests, and there is no login.
    """

    login: Login | None = None
    tls: Encryption | None = None
    http: Requests | None = None

    @property
    def user(self) -> str:
        """The name by which the metastore will know the connection; empty for that of the process."""
        who = self.login or self.http
        return who.user if who else ""


NO_SECURITY = Security()


def build_security(
    jvm: Any, transport: Transport, hive_setting: HiveSetting, configured: Mapping[str, str]
) -> Security:
    """The security of connections to the metastore, as the settings ask for it. `configured` are Spark's.

    The JVM must have the shim, unless the transport needs no JVM. Raises HIVE_ACID_CONFIGURATION for stores that cannot
    be read or lack the password, and for a secured transport without the wing. A login that cannot be made fails with
    the first connection.
    """
    if transport == PLAIN:
        return NO_SECURITY
    built: Security = _load_logins("jvm_logins", transport).build_security(jvm, transport, hive_setting, configured)
    return built


def find_security_without_jvm(transport: Transport) -> Security | None:
    """The security of a process without a JVM; None if it needs a JVM. A delegation token is found without one."""
    if transport == PLAIN:
        return NO_SECURITY
    found: Security | None = _load_logins("without_jvm", transport).find_security(transport)
    return found


def find_mismatch(endpoint: Endpoint, security: Security) -> LoginFailed | None:
    """The name of a connection's failure, if it was made in another way than the server knows; else None.

    None without the wing, too, so that a plain connection does without it.
    """
    if not is_there(_WING):
        return None
    diagnosis = load_wing(f"{_WING}.diagnosis", "a connection to a metastore")
    found: LoginFailed | None = diagnosis.find_mismatch((endpoint.host, endpoint.port), security)
    return found


def _load_logins(module: str, transport: Transport) -> Any:
    return load_wing(f"{_WING}.{module}", f"{transport.title} to a metastore")
