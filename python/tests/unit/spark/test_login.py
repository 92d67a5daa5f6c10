"""Logins by the JVM, whose half is played here: which errors of Java's have which name."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from py4j.protocol import Py4JJavaError, Py4JNetworkError

from hive_acid.errors import ConfigurationError
from hive_acid.metastore.transports.security import LoginFailed
from hive_acid.session.catalog_side import find_jvm_user
from hive_acid.transport import Kerberos, Password, Tls, Transport
from hive_acid_login import jvm_logins as login
from hive_acid_login import mechanisms
from hive_acid_login.jvm_logins import GssMechanism, KerberosLogin, build_security, name_failure
from hive_acid_login.mechanisms import PasswordLogin, TokenLogin
from hive_acid_login.tokens import KIND, Token

NAMED = {"user": "alice", "principal": "hive/host", "protection": "authentication"}
SASL = "javax.security.sasl.SaslException: GSS initiate failed [Caused by GSSException: "


def java_error(*texts: str) -> Py4JJavaError:
    cause: Any = None
    for text in reversed(texts):
        cause = Mock(toString=Mock(return_value=text), getCause=Mock(return_value=cause))
    error = Py4JJavaError.__new__(Py4JJavaError)
    error.java_exception = cause
    error.errmsg = texts[0]
    return error


@pytest.mark.parametrize(
    ("texts", "sub"),
    [
        (
            (
                f"{SASL}No valid credentials provided (Mechanism level: Failed to find any Kerberos tgt)]",
                "GSSException: No valid credentials provided (Mechanism level: Failed to find any Kerberos tgt)",
            ),
            "NO_TICKET",
        ),
        (
            (
                f"{SASL}No valid credentials provided (Mechanism level: Server not found in Kerberos database (7))]",
                "sun.security.krb5.KrbException: Server not found in Kerberos database (7)",
            ),
            "UNKNOWN_PRINCIPAL",
        ),
        (
            (
                f"{SASL}No valid credentials provided (Mechanism level: Clock skew too great (37))]",
                "KrbException: Clock skew too great (37) - PROCESS_TGS",
            ),
            "CLOCK_SKEW",
        ),
        ((f"{SASL}No valid credentials provided (Mechanism level: Ticket expired (32))]",), "TICKET_EXPIRED"),
        (("javax.security.sasl.SaslException: No common protection layer between client and server",), "PROTECTION"),
        (
            (
                f"{SASL}No valid credentials provided (Mechanism level: Connection refused)]",
                "java.net.ConnectException: Connection refused",
            ),
            "KDC_UNREACHABLE",
        ),
        ((f"{SASL}No valid credentials provided (Mechanism level: Cannot find KDC for realm X)]",), "KDC_UNREACHABLE"),
        (
            ("KerberosAuthException: Login failure for user: a from keytab b", "LoginException: Client not found (6)"),
            "NO_TICKET",
        ),
        (("java.lang.IllegalStateException: no more",), "FAILED"),
    ],
)
def test_errors_of_java_have_names(texts: tuple[str, ...], sub: str) -> None:
    named = name_failure(java_error(*texts), NAMED)
    assert named.condition == f"HIVE_ACID_METASTORE_LOGIN.{sub}"
    assert named.params["user"] == "alice"
    assert "javax." not in named.params["reason"]


def test_a_jvm_that_is_gone_is_a_failed_login() -> None:
    assert name_failure(Py4JNetworkError("gone"), NAMED).params["reason"] == "gone"


@pytest.mark.parametrize(("had_one", "sub"), [(False, "NO_TICKET"), (True, "TICKET_EXPIRED")])
def test_a_ticket_that_was_there_has_expired(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, had_one: bool, sub: str
) -> None:
    monkeypatch.setenv("KRB5CCNAME", str(tmp_path / "none"))
    missing = "GSSException: No valid credentials provided (Failed to find any Kerberos tgt)"
    shim = Mock(userName=lambda: "alice", hadTicket=lambda: had_one, begin=Mock(side_effect=java_error(missing)))
    login = KerberosLogin(shim, Kerberos("hive/_HOST@REALM"))
    with pytest.raises(LoginFailed) as caught:
        login.begin("host").start()
    assert caught.value.condition == f"HIVE_ACID_METASTORE_LOGIN.{sub}"
    for told in (missing, "TTransportException: GSS initiate failed"):
        explained = login.explain_other([told], "host")
        assert explained is not None and explained.condition == caught.value.condition
    assert login.explain_other(["something else"], "host") is None


@pytest.mark.parametrize("is_new", [False, True])
def test_another_s_login_may_have_failed_by_an_old_ticket(is_new: bool) -> None:
    exchange = Mock(first=lambda: b"first", isByNewTicket=lambda: is_new)
    login = KerberosLogin(Mock(userName=lambda: "alice", begin=lambda *_: exchange), Kerberos("hive/_HOST@REALM"))
    explained = login.explain_other(["TTransportException: GSS initiate failed"], "host")
    if is_new:
        assert explained is not None and explained.condition == "HIVE_ACID_METASTORE_LOGIN.TICKET_EXPIRED"
        assert "run the statement again" in explained.params["reason"]
    else:
        assert explained is None, "it tells nothing of that"


def test_messages_are_those_of_the_jvm() -> None:
    exchange = Mock(first=lambda: b"first", step=lambda said: b"to " + said, wrap=lambda data: b"<" + data)
    exchange.isComplete.return_value, exchange.wraps.return_value, exchange.unwrap = 1, 0, lambda data: data[1:]
    shim = Mock(userName=lambda: "alice")
    shim.begin.return_value = exchange
    mechanism = KerberosLogin(shim, Kerberos("hive/_HOST@REALM", ("privacy", "integrity"))).begin("Host.Example")
    assert (mechanism.start(), mechanism.step(b"you")) == (b"first", b"to you")
    shim.begin.assert_called_once_with("hive", "host.example", "privacy,integrity")
    assert (mechanism.is_complete, mechanism.wraps) == (True, False)
    assert (mechanism.wrap(b"a"), mechanism.unwrap(b"<a")) == (b"<a", b"a")


@pytest.mark.parametrize(
    ("reason", "sub"),
    [("GSS initiate failed", "WRONG_SERVICE"), ("Unsupported mechanism type GSSAPI", "MECHANISM_REFUSED")],
)
def test_what_the_server_refuses_has_a_name(reason: str, sub: str) -> None:
    refused = GssMechanism(lambda: None, NAMED, lambda error: error).explain(reason)
    assert refused.condition == f"HIVE_ACID_METASTORE_LOGIN.{sub}"


def test_a_login_that_nobody_could_make_fails_with_the_first_connection() -> None:
    jvm = Mock()
    shim = jvm.hiveacid.api.MetastoreLogin
    shim.logIn.side_effect = java_error("KerberosAuthException: Login failure", "LoginException: Checksum failed")
    way = Transport(Kerberos("hive/_HOST@REALM"))
    made = build_security(jvm, way, lambda _: None, {login.PRINCIPAL: "bob@REALM", login.KEYTAB: "/some.keytab"})
    assert made.login is not None and made.login.user == "bob@REALM"
    with pytest.raises(LoginFailed, match="Checksum failed"):
        made.login.begin("host")
    shim.logIn.side_effect, shim.findToken.return_value, shim.knowsKerberos.return_value = None, None, False
    without = build_security(jvm, way, lambda _: None, {}).login
    with pytest.raises(LoginFailed) as caught:
        assert without is not None
        without.begin("host")
    assert caught.value.condition == "HIVE_ACID_METASTORE_LOGIN.NO_KERBEROS"


def test_the_user_without_a_login_is_the_jvms(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark's own client of the metastore acts for that one."""
    monkeypatch.setenv("HADOOP_USER_NAME", "etl")
    jvm = Mock()
    jvm.hiveacid.api.MetastoreLogin.userName.return_value = "bob"
    assert find_jvm_user(jvm) == "bob"
    jvm.hiveacid.api.MetastoreLogin.userName.side_effect = java_error("java.io.IOException: failure to login")
    assert find_jvm_user(jvm) == "etl"


def test_a_password_comes_from_a_credential_store_and_not_from_settings() -> None:
    jvm, way = Mock(), Transport(Password("carol"))
    shim = jvm.hiveacid.api.MetastoreLogin
    shim.findPassword.return_value = "secret"
    made = build_security(jvm, way, lambda _: None, {}).login
    assert isinstance(made, PasswordLogin)
    assert made.begin("host").start() == b"\0carol\0secret"

    def condition(configured: dict[str, str]) -> str:
        with pytest.raises(ConfigurationError) as caught:
            build_security(jvm, way, lambda _: None, configured)
        return (caught.value.getCondition() or "").removeprefix("HIVE_ACID_CONFIGURATION.")

    assert condition({"spark.hadoop.carol": "secret"}) == "PASSWORD_IN_SETTINGS"
    shim.findPassword.return_value = None
    assert condition({}) == "NO_METASTORE_PASSWORD"
    shim.findPassword.side_effect = java_error("java.io.IOException: Keystore was tampered with")
    assert condition({}) == "CREDENTIAL_STORE"


def test_a_trust_store_that_cannot_be_read_is_named() -> None:
    jvm = Mock()
    jvm.hiveacid.api.MetastoreLogin.exportCertificates.side_effect = java_error("java.io.IOException: wrong password")
    with pytest.raises(ConfigurationError, match=r"/trust\.jks cannot be read: IOException: wrong password"):
        build_security(jvm, Transport(tls=Tls(trust_store="/trust.jks")), lambda _: None, {})


def test_a_trust_store_without_certificates_does_not_become_trust_in_everybody() -> None:
    """Java reads a PKCS12 without its password and leaves out what is encrypted."""
    jvm = Mock()
    jvm.hiveacid.api.MetastoreLogin.exportCertificates.return_value = ""
    transport = Transport(tls=Tls(trust_store="/stores/trusted.p12"))
    with pytest.raises(ConfigurationError, match="trusted"):
        build_security(jvm, transport, lambda _: None, {})


def test_each_connection_logs_in_by_the_newest_token(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = (Token(b"\0\x05alice\x04hive\0", secret, KIND, "") for secret in (b"first", b"second"))
    monkeypatch.setattr(login, "parse_token", {"1": first, "2": second}.get)
    jvm = Mock()
    jvm.hiveacid.api.MetastoreLogin.findToken.side_effect = ["1", "1", "2", None]
    made = build_security(jvm, Transport(Kerberos("hive/_HOST@REALM")), lambda _: None, {}).login
    assert isinstance(made, TokenLogin)
    assert made.user == "alice"
    monkeypatch.setattr(mechanisms, "DigestMechanism", lambda token: token)
    assert [made.begin("host") for _ in range(3)] == [first, second, second]
