"""Logins that need no ticket: a password (PLAIN), a delegation token (DIGEST-MD5)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hive_acid.api.connections import LoginFailed
from hive_acid_login.sasl_transport import SaslLogin
from hive_acid_login.tokens import Token

_PAIR = re.compile(rb'([A-Za-z-]+)=(?:"((?:\\.|[^"\\])*)"|([^,\s]*))')
_COUNT = b"00000001"
_DIGEST_URI = b"null/default"
"""Hive's bridge names no protocol, and Java prints that (HadoopThriftAuthBridge.Client)."""


class _Clear:
    """A login that protects nothing of what is sent after it."""

    @property
    def wraps(self) -> bool:
        return False

    def wrap(self, data: bytes) -> bytes:
        return data

    def unwrap(self, data: bytes) -> bytes:
        return data


def _explain_refusal(mechanism: str, reason: str) -> LoginFailed | None:
    """The name of a refusal that does not lie in the credentials."""
    if "Unsupported mechanism type" in reason:
        return LoginFailed("HIVE_ACID_METASTORE_LOGIN.MECHANISM_REFUSED", mechanism=mechanism, reason=reason)
    return None


class PlainMechanism(_Clear):
    """PLAIN (RFC 4616): the password as it is, for connections over TLS."""

    name = "PLAIN"
    is_complete = True

    def __init__(self, user: str, password: str) -> None:
        self._user = user
        self._first = b"\0".join((b"", user.encode(), password.encode()))

    def start(self) -> bytes:
        return self._first

    def step(self, challenge: bytes) -> bytes:
        raise self.explain("it asks for more than a password")

    def explain(self, reason: str) -> LoginFailed:
        refused = LoginFailed("HIVE_ACID_METASTORE_LOGIN.PASSWORD_REFUSED", user=self._user, reason=reason)
        return _explain_refusal(self.name, reason) or refused


class DigestMechanism(_Clear):
    """DIGEST-MD5 (RFC 2831) with the identifier of a token for a name and its password; protection `auth` alone."""

    name = "DIGEST-MD5"

    def __init__(self, token: Token, make_nonce: Callable[[], str] = lambda: secrets.token_hex(16)) -> None:
        self._token = token
        self._make_nonce = make_nonce
        self._expected: bytes | None = None
        self.is_complete = False

    def start(self) -> bytes:
        return b""

    def step(self, challenge: bytes) -> bytes:
        fields = _parse_fields(challenge)
        if self._expected is None:
            return self._answer(fields)
        if not hmac.compare_digest(fields.get("rspauth", b""), self._expected):
            raise self.explain("it does not know the password of the token itself")
        self.is_complete = True
        return b""

    def _answer(self, fields: Mapping[str, bytes]) -> bytes:
        if "nonce" not in fields or b"auth" not in re.split(rb"[\s,]+", fields.get("qop", b"auth")):
            raise LoginFailed(
                "HIVE_ACID_METASTORE_LOGIN.PROTECTION",
                protection="authentication",
                reason=f"logins by a token protect no messages, and it asks for {fields.get('qop', b'').decode()}",
            )
        name, password = base64.b64encode(self._token.identifier), base64.b64encode(self._token.password)
        asked = DigestQuestion(fields.get("realm", b""), fields["nonce"], self._make_nonce().encode(), _DIGEST_URI)
        self._expected = compute_response(b"", name, password, asked)
        response = compute_response(b"AUTHENTICATE", name, password, asked)
        quoted = ((b"username", name), (b"realm", asked.realm), (b"nonce", asked.nonce), (b"cnonce", asked.own_nonce))
        bare = ((b"nc", _COUNT), (b"qop", b"auth"), (b"maxbuf", b"65536"), (b"response", response))
        return b",".join(
            [
                b"charset=utf-8",
                *(b'%s="%s"' % pair for pair in (*quoted, (b"digest-uri", asked.uri))),
                *(b"%s=%s" % pair for pair in bare),
            ]
        )

    def explain(self, reason: str) -> LoginFailed:
        unknown = LoginFailed("HIVE_ACID_METASTORE_LOGIN.TOKEN_UNKNOWN", user=self._token.owner, reason=reason)
        return _explain_refusal(self.name, reason) or unknown


@dataclass(frozen=True)
class DigestQuestion:
    """The parts of a challenge and of its answer that are hashed with name and password."""

    realm: bytes
    nonce: bytes
    own_nonce: bytes
    uri: bytes


def compute_response(method: bytes, name: bytes, password: bytes, asked: DigestQuestion) -> bytes:
    """The response of RFC 2831, 2.1.2.1, in hexadecimal; with an empty `method` what the server must prove it with."""
    secret = _md5(b":".join((name, asked.realm, password)))
    first = _md5(b":".join((secret, asked.nonce, asked.own_nonce))).hex().encode()
    second = _md5(method + b":" + asked.uri).hex().encode()
    return _md5(b":".join((first, asked.nonce, _COUNT, asked.own_nonce, b"auth", second))).hex().encode()


def _md5(data: bytes) -> bytes:
    return hashlib.md5(data, usedforsecurity=False).digest()


def _parse_fields(challenge: bytes) -> dict[str, bytes]:
    """The directives of a challenge. Values in quotes keep their escapes, as they are hashed and sent back."""
    return {name.decode().lower(): quoted or bare for name, quoted, bare in _PAIR.findall(challenge)}


class PasswordLogin(SaslLogin):
    """A user's name and password, for each connection."""

    def __init__(self, user: str, password: str) -> None:
        self.user = user
        self._password = password

    def begin(self, host: str) -> PlainMechanism:
        return PlainMechanism(self.user, self._password)


class TokenLogin(SaslLogin):
    """A delegation token, for each connection.

    Args:
        token: the first one.
        find_newest: asked at each connection, since programs that run for days are handed others; None if there is none
            any more, which leaves the last one.

    """

    def __init__(self, token: Token, find_newest: Callable[[], Token | None] = lambda: None) -> None:
        self.user = token.owner
        self._token = token
        self._find_newest = find_newest

    def begin(self, host: str) -> DigestMechanism:
        self._token = self._find_newest() or self._token
        return DigestMechanism(self._token)
