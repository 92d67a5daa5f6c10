"""Logins by what the JVM has: its user's ticket, keytab or delegation token, credential stores, trust stores."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from py4j.protocol import Py4JError, Py4JJavaError

from hive_acid.api.conditions import build_error
from hive_acid.api.connections import (
    CREDENTIAL_STORES,
    HiveSetting,
    Kerberos,
    Login,
    LoginFailed,
    Password,
    Security,
    Tls,
    Transport,
)
from hive_acid.api.secrets import unlogged
from hive_acid_login.http_callers import find_caller
from hive_acid_login.mechanisms import PasswordLogin, TokenLogin
from hive_acid_login.sasl_transport import Mechanism, SaslLogin
from hive_acid_login.ticket_cache import find_cache, has_expired
from hive_acid_login.tls import TrustedSigners
from hive_acid_login.tokens import Token, parse_token

T = TypeVar("T")
PRINCIPAL, KEYTAB = "spark.kerberos.principal", "spark.kerberos.keytab"
_FIRST_CAUSES = 8
_UNTOLD = "GSS initiate failed"
_NEW_TICKET = "there is a new one, which was taken just now, so run the statement again"
_CLASS = re.compile(r"^(?:[\w$]+\.)+(?=[A-Z])")
_JVM_FAILURES = (
    (re.compile(r"Clock skew too great"), "HIVE_ACID_METASTORE_LOGIN.CLOCK_SKEW"),
    (
        re.compile(r"Server not found in Kerberos database|Fail to create credential.*\(63\)"),
        "HIVE_ACID_METASTORE_LOGIN.UNKNOWN_PRINCIPAL",
    ),
    (re.compile(r"No common protection layer"), "HIVE_ACID_METASTORE_LOGIN.PROTECTION"),
    (
        re.compile(r"[Tt]icket expired|TICKET_EXPIRED|[Cc]redentials? (has |have )?expired"),
        "HIVE_ACID_METASTORE_LOGIN.TICKET_EXPIRED",
    ),
    (
        re.compile(r"[Cc]annot (contact|locate|find|get) (any |default )?(KDC|kdc|realm)|Connection refused|timed out"),
        "HIVE_ACID_METASTORE_LOGIN.KDC_UNREACHABLE",
    ),
    (
        re.compile(
            r"No valid credentials provided|Kerberos tgt|Unable to obtain (password|Principal)|Client not found|"
            r"Keytab|keytab|Pre-authentication|Checksum failed"
        ),
        "HIVE_ACID_METASTORE_LOGIN.NO_TICKET",
    ),
)
"""Words of Java's messages, and the name of the failure. The first that fits counts."""


class GssMechanism:
    """A login by Kerberos, whose messages the JVM makes."""

    name = "GSSAPI"

    def __init__(
        self, begin: Callable[[], Any], named: Mapping[str, str], look_again: Callable[[LoginFailed], LoginFailed]
    ) -> None:
        """`begin` makes the JVM's end; `named` are the parameters of errors: user, principal, protection.

        `look_again` gives a failure of the beginning a better name.
        """
        self._begin = begin
        self._named = named
        self._look_again = look_again
        self._exchange: Any = None

    def start(self) -> bytes:
        try:
            self._exchange = self._ask(self._begin)
        except LoginFailed as error:
            raise self._look_again(error) from error
        return self._ask(lambda: bytes(self._exchange.first()))

    def step(self, challenge: bytes) -> bytes:
        return self._ask(lambda: bytes(self._exchange.step(challenge)))

    @property
    def is_by_new_ticket(self) -> bool:
        """True if the ticket cache had a newer ticket than the JVM, which has it now."""
        return self._ask(lambda: bool(self._exchange.isByNewTicket()))

    @property
    def is_complete(self) -> bool:
        return self._ask(lambda: bool(self._exchange.isComplete()))

    @property
    def wraps(self) -> bool:
        return self._ask(lambda: bool(self._exchange.wraps()))

    def wrap(self, data: bytes) -> bytes:
        return self._ask(lambda: bytes(self._exchange.wrap(data)))

    def unwrap(self, data: bytes) -> bytes:
        return self._ask(lambda: bytes(self._exchange.unwrap(data)))

    def explain(self, reason: str) -> LoginFailed:
        if "Unsupported mechanism type" in reason:
            return LoginFailed("HIVE_ACID_METASTORE_LOGIN.MECHANISM_REFUSED", mechanism=self.name, reason=reason)
        return LoginFailed("HIVE_ACID_METASTORE_LOGIN.WRONG_SERVICE", **{**self._named, "reason": reason})

    def _ask(self, call: Callable[[], T]) -> T:
        try:
            return call()
        except Py4JError as error:
            raise name_failure(error, self._named) from error


class KerberosLogin(SaslLogin):
    """The JVM's user, by Kerberos."""

    def __init__(self, shim: Any, kerberos: Kerberos) -> None:
        """`shim` is MetastoreLogin of the JVM."""
        self._shim = shim
        self._kerberos = kerberos
        self.user = str(shim.userName())

    def begin(self, host: str) -> GssMechanism:
        service, server = self._kerberos.find_server(host)
        protections = ",".join(self._kerberos.protections)
        named = {"user": self.user, "principal": f"{service}/{server}", "protection": protections}
        return GssMechanism(lambda: self._shim.begin(service, server, protections), named, self._look_again)

    def explain_other(self, causes: Sequence[str], host: str) -> LoginFailed | None:
        """The name of the failure of somebody else's login at the host, such as Hive's client's, as the same user.

        That client may say no more than that it failed. A login of our own then fails for the same reason, or finds a
        new ticket, or tells nothing.
        """
        protections = ",".join(self._kerberos.protections)
        named = {"user": self.user, "principal": self._kerberos.principal, "protection": protections}
        found = find_login_failure(causes, named)
        if found is not None:
            return self._look_again(found)
        if not any(_UNTOLD in cause for cause in causes):
            return None
        own = self.begin(host)
        try:
            own.start()
        except LoginFailed as failure:
            return failure
        if not own.is_by_new_ticket:
            return None
        return LoginFailed("HIVE_ACID_METASTORE_LOGIN.TICKET_EXPIRED", **{**named, "reason": _NEW_TICKET})

    def _look_again(self, failure: LoginFailed) -> LoginFailed:
        """A ticket that is missing has expired if there was one."""
        if failure.condition == "HIVE_ACID_METASTORE_LOGIN.NO_TICKET" and self._had_ticket():
            return LoginFailed("HIVE_ACID_METASTORE_LOGIN.TICKET_EXPIRED", **failure.params)
        return failure

    def _had_ticket(self) -> bool:
        return bool(self._shim.hadTicket()) or has_expired(find_cache(), time.time())


class NoLogin(SaslLogin):
    """Nobody, for nobody could log in at all: each connection fails by the name of that."""

    def __init__(self, user: str, failure: LoginFailed) -> None:
        self.user = user
        self._failure = failure

    def begin(self, host: str) -> Mechanism:
        raise self._failure


def build_security(
    jvm: Any, transport: Transport, hive_setting: HiveSetting, configured: Mapping[str, str]
) -> Security:
    """The security of connections to the metastore, as the settings ask for it. `configured` are Spark's.

    The JVM must have the shim, unless the transport needs no JVM. Raises HIVE_ACID_CONFIGURATION for stores that cannot
    be read or lack the password. A login that cannot be made fails with the first connection.
    """
    tls = None if transport.tls is None else TrustedSigners(transport.tls.ca_file, _export_trusted(jvm, transport.tls))
    if transport.login is None:
        return Security(None, tls, find_caller(transport.http))
    shim, conf = jvm.hiveacid.api.MetastoreLogin, _hadoop_settings(jvm, configured, hive_setting)
    if isinstance(transport.login, Password):
        return Security(_find_password(shim, conf, transport.login, configured), tls)
    return Security(_log_in(shim, conf, transport.login, configured), tls)


def _hadoop_settings(jvm: Any, configured: Mapping[str, str], hive_setting: HiveSetting) -> Any:
    """Hadoop's settings, with those of Spark's that are meant for it."""
    conf = jvm.org.apache.hadoop.conf.Configuration()
    prefix = "spark.hadoop."
    given = {key.removeprefix(prefix): value for key, value in configured.items() if key.startswith(prefix)}
    stores = hive_setting(CREDENTIAL_STORES)
    with unlogged():
        for name, value in {**({CREDENTIAL_STORES: stores} if stores else {}), **given}.items():
            conf.set(name, value)
    return conf


def _log_in(shim: Any, conf: Any, kerberos: Kerberos, configured: Mapping[str, str]) -> Login:
    principal, keytab = configured.get(PRINCIPAL, ""), configured.get(KEYTAB, "")
    try:
        shim.logIn(conf, principal, keytab)
        token = _find_token(shim, kerberos)
        if token is not None:
            return TokenLogin(token, lambda: _find_token(shim, kerberos))
        user = str(shim.userName())
        if not shim.knowsKerberos():
            return NoLogin(user, LoginFailed("HIVE_ACID_METASTORE_LOGIN.NO_KERBEROS"))
        return KerberosLogin(shim, kerberos)
    except Py4JError as error:
        named = {"user": principal, "principal": kerberos.principal, "protection": ",".join(kerberos.protections)}
        return NoLogin(principal, name_failure(error, named))


def _find_token(shim: Any, kerberos: Kerberos) -> Token | None:
    with unlogged():
        found = shim.findToken(kerberos.token_signature)
    return None if found is None else parse_token(str(found))


def _find_password(shim: Any, conf: Any, login: Password, configured: Mapping[str, str]) -> Login:
    if f"spark.hadoop.{login.user}" in configured:  # Hive's client would take it, and Spark's pages would show it
        raise build_error("HIVE_ACID_CONFIGURATION.PASSWORD_IN_SETTINGS", setting=f"spark.hadoop.{login.user}")
    try:
        with unlogged():
            password = shim.findPassword(conf, login.user)
    except Py4JJavaError as error:
        failure = list_causes(error)[-1]
        raise build_error("HIVE_ACID_CONFIGURATION.CREDENTIAL_STORE", failure=failure) from error
    if password is None:
        raise build_error("HIVE_ACID_CONFIGURATION.NO_METASTORE_PASSWORD", user=login.user)
    return PasswordLogin(login.user, str(password))


def _export_trusted(jvm: Any, tls: Tls) -> str:
    """The certificates of the trust store, unless there is none or a file of ours is named."""
    if tls.ca_file or not tls.trust_store:
        return ""
    try:
        export = jvm.hiveacid.api.MetastoreLogin.exportCertificates
        with unlogged():
            trusted = str(export(tls.trust_store, tls.trust_store_password, tls.trust_store_kind))
    except Py4JJavaError as error:
        failure = list_causes(error)[-1]
        raise build_error("HIVE_ACID_CONFIGURATION.TRUST_STORE", path=tls.trust_store, failure=failure) from error
    if not trusted.strip():  # Java leaves out what is encrypted, if it has no password; Python trusted everybody's then
        failure = "no certificate was found there, or its password is missing"
        raise build_error("HIVE_ACID_CONFIGURATION.TRUST_STORE", path=tls.trust_store, failure=failure)
    return trusted


def name_failure(error: Py4JError, named: Mapping[str, str]) -> LoginFailed:
    """The name of what went wrong in the JVM; `named` are the parameters of such errors."""
    causes = list_causes(error)
    other = LoginFailed("HIVE_ACID_METASTORE_LOGIN.FAILED", **{**named, "reason": causes[-1]})
    return find_login_failure(causes, named) or other


def find_login_failure(causes: Sequence[str], named: Mapping[str, str]) -> LoginFailed | None:
    """The name of a login's failure by the texts of an exception and its causes; None if they tell of none."""
    for pattern, condition in _JVM_FAILURES:
        found = next((cause for cause in reversed(causes) if pattern.search(cause)), None)
        if found is not None:
            return LoginFailed(condition, **{**named, "reason": found})
    return None


def list_causes(error: Py4JError) -> list[str]:
    """The texts of an exception of the JVM and of its causes, a line each, without the packages of their classes."""
    if not isinstance(error, Py4JJavaError):
        return [" ".join(str(error).split()).rstrip(".")]
    found: list[str] = []
    cause = error.java_exception
    while cause is not None and len(found) < _FIRST_CAUSES:
        found.append(_CLASS.sub("", " ".join(str(cause.toString()).split())).rstrip("."))
        cause = cause.getCause()
    return found
