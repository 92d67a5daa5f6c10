"""How a metastore wants to be spoken to, found out after a connection to it has come to nothing.

A server that is spoken to in another way than it knows says so by no word: it drops the connection, or waits for more.
"""

from __future__ import annotations

import socket
import ssl
from dataclasses import dataclass

from thrift.Thrift import TApplicationException

from hive_acid.metastore.transports.security import LoginFailed, Security

OTHER_USER = "HIVE_ACID_METASTORE_LOGIN.OTHER_USER"
_OTHER_USER_PREFIX = f"[{OTHER_USER}] "
"""An embedded metastore answers so to the first call of anybody but its owner (`Door` in the shim's sources)."""
_LIMIT_S = 3.0
_NAME = b"getVersion"
_QUESTION = b"\x80\x01\x00\x01" + len(_NAME).to_bytes(4, "big") + _NAME + bytes(4) + b"\0"
"""A call without arguments, in thrift's strict binary protocol."""
_HTTP = b"HTTP/"
"""The beginning of any answer of a server of HTTP."""
_START, _BAD, _ERROR = 1, 3, 4
"""The first byte of a message of a login, as Java's TSaslTransport writes it."""
_UNKNOWN_LOGIN = b"NONE"
_BEGINNING = bytes([_START]) + len(_UNKNOWN_LOGIN).to_bytes(4, "big") + _UNKNOWN_LOGIN
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


def find_refusal(error: BaseException) -> LoginFailed | None:
    """The name of the answer to a first call, if it came from an embedded metastore of another user; else None."""
    text = str(getattr(error, "message", None) or "")
    if not isinstance(error, TApplicationException) or not text.startswith(_OTHER_USER_PREFIX):
        return None
    return LoginFailed(OTHER_USER, reason=text.removeprefix(_OTHER_USER_PREFIX).rstrip("."))


def find_manner(address: tuple[str, int]) -> Manner | None:
    """How the server at this host and port is spoken to; None if nothing shows it. Waits a few seconds at most."""
    is_encrypted = _ask(address, None, is_encrypted=True) is not None
    answer = _ask(address, _QUESTION, is_encrypted=is_encrypted)
    if answer and answer.startswith(_HTTP):
        return Manner(is_encrypted, wants_login=False, by_http=True)
    if answer and _NAME in answer:
        return Manner(is_encrypted, wants_login=False)
    answer = _ask(address, _BEGINNING, is_encrypted=is_encrypted)
    if answer and answer[0] in (_BAD, _ERROR):
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
