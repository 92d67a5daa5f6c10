"""The demands of a secured metastore on each connection: a login, and who is trusted to be the metastore.

The client knows these protocols alone. Tickets, credential stores and trust stores are a JVM's, to which `jvm_logins`
speaks.
"""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from thrift.transport.TTransport import TTransportException


class LoginFailed(TTransportException):  # type: ignore[misc]
    """A connection that is not made, for its ends do not agree who they are, or will not tell.

    `condition` is one of HIVE_ACID_METASTORE_LOGIN, `params` those of its own part.
    """

    def __init__(self, condition: str, **params: str) -> None:
        super().__init__(TTransportException.NOT_OPEN, params.get("reason") or condition)
        self.condition = condition
        self.params = params


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


class Login(Protocol):
    """The one who logs in, on any thread, each time a connection is made."""

    @property
    def user(self) -> str:
        """The name by which the metastore will know the connection."""

    def begin(self, host: str) -> Mechanism:
        """A login to the metastore at this host. Raises LoginFailed."""


class HttpCaller(Protocol):
    """The one who asks where each call is a request of HTTP."""

    @property
    def path(self) -> str:
        """The path of all requests, from its slash on."""

    @property
    def user(self) -> str:
        """The name by which the metastore will know the requests; empty for that of the process."""

    def headers(self, user: str) -> Mapping[str, str]:
        """The headers that tell who asks; `user` is the name of the process's user. Raises LoginFailed."""

    def explain(self, reason: str) -> LoginFailed:
        """The name of a refusal to let the request in."""


@dataclass(frozen=True)
class Security:
    """The steps of each connection beyond a plain one. Without a login it tells the user's name.

    With `http` calls are requests, and there is no login.
    """

    login: Login | None = None
    tls: ssl.SSLContext | None = None
    http: HttpCaller | None = None

    @property
    def user(self) -> str:
        """The name by which the metastore will know the connection; empty for that of the process."""
        who = self.login or self.http
        return who.user if who else ""


NO_SECURITY = Security()
