"""How a metastore wants to be spoken to, found out after a connection to it has come to nothing.

A server that is spoken to in another way than it knows says so by no word: it drops the connection, or waits for more.
"""

from __future__ import annotations

import socket
import ssl
from dataclasses import dataclass

from hive_acid.api.connections import LoginFailed, Security
from hive_acid_login.sasl_transport import Status

_LIMIT_S = 3.0
_NAME = b"getVersion"
_QUESTION = b"\x80\x01\x00\x01" + len(_NAME).to_bytes(4, "big") + _NAME + bytes(4) + b"\0"
"""A call without arguments, in thrift's strict binary protocol."""
_HTTP = b"HTTP/"
"""The beginning of any answer of a server of HTTP."""
_UNKNOWN_LOGIN = b"NONE"
_BEGINNING = bytes([Status.START]) + len(_UNKNOWN_LOGIN).to_bytes(4, "big") + _UNKNOWN_LOGIN
"""A login of a kind that nobody has."""


@dataclass(frozen=True)
class Manner:
    """How a server is spoken to."""

    is_encrypted: bool
    wants_login: bool
    by_http: bool = False


def find_mismatch(address: tuple[str, int], security: Security) -> LoginFailed | None:
    """The name of a connection's failure, if it was made in another way than the server knows; else None."""
    found = find_manner(address)
    if found is None:
        return None
    ways: tuple[tuple[bool, object, str, str], ...] = (
        (
            found.is_encrypted,
            security.tls,
            "HIVE_ACID_METASTORE_LOGIN.TLS_EXPECTED",
            "HIVE_ACID_METASTORE_LOGIN.TLS_NOT_EXPECTED",
        ),
        (
            found.by_http,
            security.http,
            "HIVE_ACID_METASTORE_LOGIN.HTTP_EXPECTED",
            "HIVE_ACID_METASTORE_LOGIN.HTTP_NOT_EXPECTED",
        ),
        (
            found.wants_login,
            security.login,
            "HIVE_ACID_METASTORE_LOGIN.LOGIN_EXPECTED",
            "HIVE_ACID_METASTORE_LOGIN.LOGIN_NOT_EXPECTED",
        ),
    )
    for is_servers, ours, expected, not_expected in ways:
        if is_servers != (ours is not None):
            return LoginFailed(expected if is_servers else not_expected)
    return None


def find_manner(address: tuple[str, int]) -> Manner | None:
    """How the server at this host and port is spoken to; None if nothing shows it. Waits a few seconds at most."""
    is_encrypted = _ask(address, None, is_encrypted=True) is not None
    answer = _ask(address, _QUESTION, is_encrypted=is_encrypted)
    if answer and answer.startswith(_HTTP):
        return Manner(is_encrypted, wants_login=False, by_http=True)
    if answer and _NAME in answer:
        return Manner(is_encrypted, wants_login=False)
    answer = _ask(address, _BEGINNING, is_encrypted=is_encrypted)
    if answer and answer[0] in (Status.BAD, Status.ERROR):
        return Manner(is_encrypted, wants_login=True)
    return None


def _ask(address: tuple[str, int], question: bytes | None, *, is_encrypted: bool) -> bytes | None:
    """The beginning of the answer, empty if there is no question; None without a connection or an answer."""
    try:
        with socket.create_connection(address, _LIMIT_S) as plain:
            handle = _encrypt(plain) if is_encrypted else plain
            with handle:
                if question is None:
                    return b""
                handle.sendall(question)
                return handle.recv(200) or None
    except OSError:
        return None


def _encrypt(handle: socket.socket) -> ssl.SSLSocket:
    """For somebody who may be anybody: nothing secret is said."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context.wrap_socket(handle)
