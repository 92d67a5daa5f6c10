"""How Hive's settings say that the metastore is to be reached: plainly, over TLS, with a login, or a way not there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from hive_acid.errors import build_error
from hive_acid.hive_settings import HiveSetting, find_named


@dataclass(frozen=True)
class _Way:
    """A setting that asks for a way which is not there, by its names, unless it has one of the values `known`."""

    names: tuple[str, ...]
    known: tuple[str, ...]
    title: str


def _both(name: str) -> tuple[str, str]:
    """The two names of a setting (MetastoreConf)."""
    return f"hive.metastore.{name}", f"metastore.{name}"


SASL = _both("sasl.enabled")
PRINCIPAL = _both("kerberos.principal")
TOKEN_SIGNATURE = _both("token.signature")
AUTH_MODE = _both("client.auth.mode")
PLAIN_USER = _both("client.plain.username")
USE_TLS = _both("use.SSL")
TRUST_STORE = _both("truststore.path")
TRUST_STORE_PASSWORD = _both("truststore.password")
TRUST_STORE_KIND = _both("truststore.type")
TRANSPORT_MODE = _both("client.thrift.transport.mode")
HTTP_PATH = _both("server.thrift.http.path")
TRUST_ALGORITHM = _both("trustmanagerfactory.algorithm")
PROTECTION = "hadoop.rpc.protection"
CREDENTIAL_STORES = "hadoop.security.credential.provider.path"
PASSWORD_MODE = "PLAIN"  # noqa: S105 (the name of a kind of login)
TOKEN_MODE = "JWT"  # noqa: S105 (likewise)
CLIENT_SETTINGS = (
    *SASL,
    *PRINCIPAL,
    *TOKEN_SIGNATURE,
    *AUTH_MODE,
    *PLAIN_USER,
    *USE_TLS,
    *TRUST_STORE,
    *TRUST_STORE_PASSWORD,
    *TRUST_STORE_KIND,
    *TRANSPORT_MODE,
    *HTTP_PATH,
    *TRUST_ALGORITHM,
    CREDENTIAL_STORES,
)
"""Settings of Hive from which its own client, too, knows the way."""

_WAYS = (
    _Way(TRANSPORT_MODE, ("binary", "http"), "this transport"),
    _Way(_both("thrift.framed.transport.enabled"), ("false",), "Thrift's framed transport"),
    _Way(_both("thrift.compact.protocol.enabled"), ("false",), "Thrift's compact protocol"),
    _Way(_both("service.discovery.mode"), (), "ZooKeeper"),
)
"""Names and defaults: ConfVars of MetastoreConf (4.x) and of HiveConf (3.1)."""
_LOGINS_OF_CONNECTIONS = _Way(AUTH_MODE, ("nosasl", "plain"), "this kind of login")
_LOGINS_OF_HTTP = (
    _Way(AUTH_MODE, ("nosasl", "jwt"), "this kind of login over HTTP"),
    _Way(SASL, ("false",), "Kerberos over HTTP"),
)
"""Hive's client passes over the others, and tells a name instead (HiveMetaStoreClient.createHttpClient, 4.1)."""
_DEFAULT_PATH = "metastore"
_JAVAS_TRUST = "PKIX"
"""Java's own default. Hive's client has none for HTTP over TLS, and fails (4.0.0, 4.1.0)."""

_PRINCIPAL_FORM = re.compile(r"([^/@\s]+)/([^/@\s]+)@([^/@\s]+)")
_ANY_HOST = "_HOST"
_PROTECTIONS = ("authentication", "integrity", "privacy")
_DEFAULT_PROTECTION = "authentication"


@dataclass(frozen=True)
class Kerberos:
    """A login with Kerberos, or with a delegation token from a Kerberos login.

    `protections` are words of hadoop.rpc.protection, the one that is liked best first.
    """

    principal: str
    protections: tuple[str, ...] = (_DEFAULT_PROTECTION,)
    token_signature: str = ""

    def find_server(self, host: str) -> tuple[str, str]:
        """The metastore's service and host in its principal, for a metastore with this host in its address."""
        service, _, rest = self.principal.partition("/")
        named = rest.partition("@")[0]
        return service, host.lower() if named == _ANY_HOST else named


@dataclass(frozen=True)
class Password:
    """A login with a user name and the password that Hadoop's credential store has under this name."""

    user: str


@dataclass(frozen=True)
class Tls:
    """A connection over TLS. It trusts a file of certificates (PEM), else a trust store of Java's, else the system."""

    ca_file: str = ""
    trust_store: str = ""
    trust_store_password: str = field(default="", repr=False)
    trust_store_kind: str = ""


@dataclass(frozen=True)
class Http:
    """HTTP requests to `path`, which begins with a slash, with a web token or the user's name."""

    path: str
    asks_by_token: bool = False


@dataclass(frozen=True)
class Transport:
    """The way to reach the metastore. Connections that carry HTTP have no login."""

    login: Kerberos | Password | None = None
    tls: Tls | None = None
    http: Http | None = None

    @property
    def needs_jvm(self) -> bool:
        """True if a JVM must help: it has the tickets, the credential stores and the keys to trust stores."""
        return self.login is not None or (self.tls is not None and bool(self.tls.trust_store) and not self.tls.ca_file)

    @property
    def beyond_old_clients(self) -> str:
        """The part of it that Hive's clients before 4.0 cannot do, in words; empty if they can do all."""
        if isinstance(self.login, Password):
            return "a password"
        return self.title if self.http or (self.login and self.tls) else ""

    @property
    def title(self) -> str:
        """The way in words."""
        login = {Kerberos: "Kerberos", Password: "a password"}.get(type(self.login))
        parts = ("HTTP" if self.http else None, login, "TLS" if self.tls else None)
        return " and ".join(filter(None, parts)) or "a plain connection"


PLAIN = Transport()


def read_transport(hive_setting: HiveSetting, ca_file: str = "") -> Transport:
    """The transport that the settings ask for; `ca_file` is a setting of this package.

    Raises HIVE_ACID_UNSUPPORTED_CONNECTION for a way that is not there: a setting like this must not do nothing, for a
    plain connection would be made where a secured one was asked for. Raises HIVE_ACID_CONFIGURATION for values that
    are none.
    """
    _refuse(hive_setting, *_WAYS)
    http = _read_http(hive_setting)
    tls = None
    if _read_flag(hive_setting, USE_TLS):
        trust = (find_named(hive_setting, names)[1] for names in (TRUST_STORE, TRUST_STORE_PASSWORD, TRUST_STORE_KIND))
        tls = Tls(ca_file, *trust)
    if http is not None:
        return Transport(tls=tls, http=http)
    return Transport(_read_login(hive_setting, is_encrypted=tls is not None), tls)


def find_client_settings(hive_setting: HiveSetting, configured: Mapping[str, str]) -> dict[str, str]:
    """Settings of Spark's that let its own client go the same way, as far as `configured` does not have them.

    A hive-site.xml that we find need not be one that Spark's JVM finds.
    """
    found = {name: hive_setting(name) for name in CLIENT_SETTINGS}
    if _wants_http(hive_setting) and not find_named(hive_setting, TRUST_ALGORITHM)[1]:
        found[TRUST_ALGORITHM[0]] = _JAVAS_TRUST
    keys = {f"spark.hadoop.{name}": value for name, value in found.items() if value}
    return {key: value for key, value in keys.items() if key not in configured}


def _refuse(hive_setting: HiveSetting, *ways: _Way) -> None:
    for way in ways:
        name, value = find_named(hive_setting, way.names)
        if value and value.lower() not in way.known:
            raise build_error("HIVE_ACID_UNSUPPORTED_CONNECTION", way=way.title, name=name, value=value)


def _wants_http(hive_setting: HiveSetting) -> bool:
    return find_named(hive_setting, TRANSPORT_MODE)[1].lower() == "http"


def _read_http(hive_setting: HiveSetting) -> Http | None:
    if not _wants_http(hive_setting):
        _refuse(hive_setting, _LOGINS_OF_CONNECTIONS)
        return None
    _refuse(hive_setting, *_LOGINS_OF_HTTP)
    path = (find_named(hive_setting, HTTP_PATH)[1] or _DEFAULT_PATH).removesuffix("*").strip("/")
    return Http(f"/{path}", asks_by_token=find_named(hive_setting, AUTH_MODE)[1].upper() == TOKEN_MODE)


def _read_login(hive_setting: HiveSetting, *, is_encrypted: bool) -> Kerberos | Password | None:
    if find_named(hive_setting, AUTH_MODE)[1].upper() == PASSWORD_MODE:
        name, user = find_named(hive_setting, PLAIN_USER)
        if not user:
            raise build_error("HIVE_ACID_CONFIGURATION.NO_METASTORE_USER", setting=name)
        return Password(user)
    if not _read_flag(hive_setting, SASL):
        return None
    name, principal = find_named(hive_setting, PRINCIPAL)
    if not _PRINCIPAL_FORM.fullmatch(principal):
        raise build_error("HIVE_ACID_CONFIGURATION.KERBEROS_PRINCIPAL", setting=name, value=principal)
    # as Hive's own clients: what is encrypted already is not encrypted twice
    protections = (_DEFAULT_PROTECTION,) if is_encrypted else _read_protections(hive_setting)
    return Kerberos(principal, protections, find_named(hive_setting, TOKEN_SIGNATURE)[1])


def _read_protections(hive_setting: HiveSetting) -> tuple[str, ...]:
    value = (hive_setting(PROTECTION) or "").strip() or _DEFAULT_PROTECTION
    words = tuple(word.strip().lower() for word in value.split(","))
    if not set(words) <= set(_PROTECTIONS):
        choices = ", ".join(_PROTECTIONS)
        raise build_error("HIVE_ACID_CONFIGURATION.NOT_A_CHOICE", setting=PROTECTION, value=value, choices=choices)
    return words


def _read_flag(hive_setting: HiveSetting, names: tuple[str, ...]) -> bool:
    name, value = find_named(hive_setting, names)
    if value.lower() not in ("", "true", "false"):
        raise build_error("HIVE_ACID_CONFIGURATION.NOT_A_FLAG", setting=name, value=value)
    return value.lower() == "true"
