"""The security of a process without a JVM."""

from __future__ import annotations

from hive_acid.api.connections import Kerberos, Security, Transport
from hive_acid_login.http_callers import find_caller
from hive_acid_login.mechanisms import TokenLogin
from hive_acid_login.tls import TrustedSigners
from hive_acid_login.tokens import find_token


def find_security(transport: Transport) -> Security | None:
    """The security of connections; None if only a JVM can make it. A delegation token is found without one."""
    if transport.tls is not None and transport.tls.trust_store:
        return None
    tls = None if transport.tls is None else TrustedSigners("")
    if transport.login is None:
        return Security(None, tls, find_caller(transport.http))
    token = find_token(transport.login.token_signature) if isinstance(transport.login, Kerberos) else None
    return None if token is None else Security(TokenLogin(token), tls)
