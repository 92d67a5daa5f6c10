"""The one who asks by HTTP: a name that the metastore believes, or a JSON web token that it checks."""

from __future__ import annotations

import base64
import json
import os
import time
from collections.abc import Callable, Mapping
from typing import Any

from hive_acid.api.connections import Http, LoginFailed
from hive_acid_login.http_connection import HttpCaller

TOKEN_VARIABLE = "HMS_JWT"  # noqa: S105 (a name)
"""The variable of the environment from which Hive's client, too, has its token."""
_USER_HEADER = "x-actor-username"


def find_caller(wanted: Http | None) -> HttpCaller | None:
    """The one who asks as the settings want it, None if HTTP is not wanted."""
    if wanted is None:
        return None
    return TokenCaller(wanted.path) if wanted.asks_by_token else NamedCaller(wanted.path)


class NamedCaller(HttpCaller):
    """The user of the process, by name."""

    user = ""

    def headers(self, user: str) -> Mapping[str, str]:
        return {_USER_HEADER: user}

    def explain(self, reason: str) -> LoginFailed:
        return LoginFailed("HIVE_ACID_METASTORE_LOGIN.WEB_TOKEN_EXPECTED", reason=reason)


class TokenCaller(HttpCaller):
    """The subject of a token, which is looked up for each request: a program may be given another one."""

    def __init__(
        self,
        path: str,
        find_token: Callable[[], str] = lambda: os.environ.get(TOKEN_VARIABLE, "").strip(),
        find_time: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(path)
        self._find_token = find_token
        self._find_time = find_time

    @property
    def user(self) -> str:
        """The subject as the token has it, which only the metastore can check; empty if there is no token."""
        return str(_read_claims(self._find_token()).get("sub") or "")

    def headers(self, user: str) -> Mapping[str, str]:
        token = self._find_token()
        if not token:
            raise LoginFailed("HIVE_ACID_METASTORE_LOGIN.NO_WEB_TOKEN", variable=TOKEN_VARIABLE)
        if not token.isascii() or any(character.isspace() for character in token):
            reason = "it has characters that no token has"
            raise LoginFailed("HIVE_ACID_METASTORE_LOGIN.WEB_TOKEN_REFUSED", user=self.user, reason=reason)
        return {"Authorization": f"Bearer {token}"}

    def explain(self, reason: str) -> LoginFailed:
        claims = _read_claims(self._find_token())
        end = claims.get("exp")
        has_expired = isinstance(end, int | float) and end <= self._find_time()
        told = {"user": str(claims.get("sub") or ""), "reason": reason}
        if has_expired:
            return LoginFailed("HIVE_ACID_METASTORE_LOGIN.WEB_TOKEN_EXPIRED", **told)
        return LoginFailed("HIVE_ACID_METASTORE_LOGIN.WEB_TOKEN_REFUSED", **told)


def _read_claims(token: str) -> dict[str, Any]:
    """The claims of a token (RFC 7519), unchecked; none if it is no token."""
    payload = f"{token}..".split(".")[1]
    try:
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    except ValueError:
        return {}
    return claims if isinstance(claims, dict) else {}
