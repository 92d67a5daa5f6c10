"""Connections to the metastore: one per thread, thrift's binary protocol over a plain or a secured transport or HTTP.

A connection logs in, or tells the user's name (`set_ugi`, its first call). It is thrown away after anything but a
proper answer, because what the server would send next is then unknown, and after minutes without a call, because
networks forget those and tell nobody. Where there are several endpoints, servers of
one metastore, the next connection then goes to the next of them. Where none of them accepts, a call of any kind goes
round again, for nothing of it was sent.
"""

from __future__ import annotations

import ssl
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from thrift.protocol.TProtocol import TProtocolException
from thrift.Thrift import TApplicationException, TException
from thrift.transport.TTransport import TTransportException

from hive_acid.clock import monotonic_ms
from hive_acid.metastore.transports.binary_connection import BinaryConnection, RequestNotSent
from hive_acid.metastore.transports.endpoints import Endpoint
from hive_acid.metastore.transports.patience import Patience
from hive_acid.metastore.transports.security import NO_SECURITY, Connection, LoginFailed, Security, find_mismatch

LONGEST_IDLE_MS = 180_000
"""Gateways of clouds forget connections after four minutes or more."""
_OTHER_USER = "HIVE_ACID_METASTORE_LOGIN.OTHER_USER"
_OTHER_USER_PREFIX = f"[{_OTHER_USER}] "
"""An embedded metastore answers so to the first call of anybody but its owner (`Door` in the shim's sources)."""


def is_unknown_method(error: BaseException) -> bool:
    """True if the server answered that it does not have the method."""
    return isinstance(error, TApplicationException) and error.type == TApplicationException.UNKNOWN_METHOD


def is_answer(error: BaseException) -> bool:
    """True if the server answered with an exception the method declares, or that it does not have the method."""
    broken = isinstance(error, TTransportException | TProtocolException | TApplicationException)
    return is_unknown_method(error) or (isinstance(error, TException) and not broken)


def _was_dropped(error: BaseException) -> bool:
    """True if an open connection ended before an answer came; after a timeout the server may still be at work."""
    if isinstance(error, TTransportException):
        return error.type not in (TTransportException.TIMED_OUT, TTransportException.NOT_OPEN)
    return isinstance(error, OSError) and not isinstance(error, TimeoutError)


def _has_timed_out(error: BaseException) -> bool:
    """True if no answer came in time."""
    timed_out = isinstance(error, TTransportException) and error.type == TTransportException.TIMED_OUT
    return timed_out or isinstance(error, TimeoutError)


def _is_unreached(error: BaseException) -> bool:
    """True if there was no connection at all."""
    return isinstance(error, TTransportException) and error.type == TTransportException.NOT_OPEN


def _find_refusal(error: BaseException) -> LoginFailed | None:
    """The name of the answer to a first call, if it came from an embedded metastore of another user; else None."""
    text = str(getattr(error, "message", None) or "")
    if not isinstance(error, TApplicationException) or not text.startswith(_OTHER_USER_PREFIX):
        return None
    return LoginFailed(_OTHER_USER, reason=text.removeprefix(_OTHER_USER_PREFIX).rstrip("."))


def has_failed_inside(error: BaseException) -> bool:
    """True if the server may have failed at the call itself: newer ones say so, 3.1 just drops the connection."""
    return (isinstance(error, TApplicationException) and not is_unknown_method(error)) or _was_dropped(error)


class Connections:
    """One connection per calling thread, opened when first needed.

    New ones go to the endpoint that served last, at first the first one, and from there on to the first that accepts.
    """

    def __init__(
        self,
        endpoints: Sequence[Endpoint],
        timeout_ms: int,
        user: str,
        security: Security = NO_SECURITY,
        *,
        patience: Patience,
        clock_ms: Callable[[], int] = monotonic_ms,
    ) -> None:
        self._endpoints = tuple(endpoints)
        self._timeout_ms = timeout_ms
        self._patience = patience
        self._clock_ms = clock_ms
        self._user = user
        self._security = security
        self._own = threading.local()
        self._guard = threading.Lock()
        self._all: weakref.WeakSet[Connection] = weakref.WeakSet()
        self._is_closed = False
        self._preferred = 0

    def send(self, call: Callable[[Any], Any], *, is_idempotent: bool) -> Any:
        """`call` applied to this thread's client.

        A request that was not sent as a whole is sent on a new connection. An idempotent call is so too if its
        connection is dropped before the answer; with several endpoints once to each of them and once more, and also if
        no answer comes in time. `call` is not called without a connection. Raises what thrift and the socket raise, and
        what ends a pause between two rounds.
        """
        for tries_left in reversed(range(1 + len(self._endpoints))):
            try:
                return self._send_once(call)
            except (TException, OSError) as error:
                can_repeat = isinstance(error, RequestNotSent) or (is_idempotent and self._can_go_on(error))
                if not tries_left or not can_repeat:
                    raise
        raise AssertionError("unreachable")

    def _can_go_on(self, error: BaseException) -> bool:
        return _was_dropped(error) or (len(self._endpoints) > 1 and _has_timed_out(error))

    def _send_once(self, call: Callable[[Any], Any]) -> Any:
        connection = self._current()
        try:
            return call(connection.client)
        except BaseException as error:
            if not is_answer(error):
                self._discard(connection)
            raise
        finally:
            self._own.used_ms = self._clock_ms()

    def _current(self) -> Connection:
        old: Connection | None = getattr(self._own, "connection", None)
        if old is None:
            return self._replace(None)
        if not old.is_open:
            return self._replace(old)
        if self._clock_ms() - self._own.used_ms < LONGEST_IDLE_MS:
            return old
        try:
            return self._replace(old)
        except (LoginFailed, TException, OSError):
            if not old.is_open:
                raise
            return old  # a ticket may have ended since, and the connection outlives it

    def _replace(self, old: Connection | None) -> Connection:
        """A new connection, which takes the place of the thread's old one once it is there."""
        connection = self._open()
        if old is not None:
            self._forget(old)
        with self._guard:
            if self._is_closed:
                connection.shutdown()
                raise TTransportException(TTransportException.NOT_OPEN, "this client was closed")
            self._all.add(connection)
        self._own.used_ms = self._clock_ms()
        self._own.connection = connection
        return connection

    def _open(self) -> Connection:
        first_try_ms = self._clock_ms()
        while True:
            try:
                connection = self._go_round()
            except LoginFailed:  # which another round would not change
                raise
            except (TException, OSError) as error:
                is_nobody_there = _is_unreached(error) or _was_dropped(error)
                if self._is_closed or not is_nobody_there or not self._patience.wait(first_try_ms):
                    raise
            else:
                self._patience.forget()
                return connection

    def _go_round(self) -> Connection:
        """A connection to the first endpoint that accepts. Raises LoginFailed if one of them refused the login."""
        failures: list[str] = []
        refused: LoginFailed | None = None
        first = self._preferred
        for step in range(len(self._endpoints)):
            number = (first + step) % len(self._endpoints)
            endpoint = self._endpoints[number]
            try:
                connection = self._open_one(endpoint)
            except LoginFailed as error:
                refused = error
            except (TException, OSError) as error:
                is_another_asked = len(self._endpoints) > 1 and (_was_dropped(error) or _has_timed_out(error))
                if not is_another_asked and not _is_unreached(error):
                    raise
                failures.append(f"{endpoint}: {error}")
            else:
                self._preferred = number
                return connection
        raise refused or TTransportException(TTransportException.NOT_OPEN, "; ".join(failures))

    def _open_one(self, endpoint: Endpoint) -> Connection:
        """A connection that is logged in. Raises LoginFailed if the two ends did not speak of the same thing."""
        try:
            connection = self._connect(endpoint)
        except ssl.SSLError as error:
            raise self._name(endpoint, error) from error
        except OSError as error:
            raise TTransportException(TTransportException.NOT_OPEN, str(error)) from error
        try:
            connection.greet(self._user)
        except BaseException as error:
            connection.shutdown()
            refused = _find_refusal(error)
            if refused:
                raise refused from error
            if (
                _was_dropped(error)
                or isinstance(error, TProtocolException)
                or ((self._security.login or self._security.http) and _has_timed_out(error))
            ):
                raise self._name(endpoint, error) from error
            raise
        return connection

    def _connect(self, endpoint: Endpoint) -> Connection:
        if self._security.http is not None:
            return self._security.http.connect(endpoint, self._timeout_ms, self._security.tls)
        return BinaryConnection(endpoint, self._timeout_ms, self._security)

    def _name(self, endpoint: Endpoint, error: BaseException) -> BaseException:
        """The failure as the server's own manner explains it; the error itself if it does not."""
        found = find_mismatch(endpoint, self._security)
        if found is not None or not isinstance(error, ssl.SSLError):
            return found or error
        return LoginFailed("HIVE_ACID_METASTORE_LOGIN.CERTIFICATE_INVALID", reason=str(error))

    def _discard(self, connection: Connection) -> None:
        if self._endpoints[self._preferred] == connection.endpoint:
            self._preferred = (self._preferred + 1) % len(self._endpoints)
        self._forget(connection)

    def _forget(self, connection: Connection) -> None:
        self._own.connection = None
        with self._guard:
            self._all.discard(connection)
        connection.shutdown()

    def close(self) -> None:
        """Closes the connections of all threads; later calls fail."""
        with self._guard:
            self._is_closed = True
            open_ones = list(self._all)
            self._all.clear()
        for connection in open_ones:
            connection.shutdown()
