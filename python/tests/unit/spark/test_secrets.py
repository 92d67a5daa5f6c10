"""No secret of the metastore stands in py4j's log, which at DEBUG has each call and each answer."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any
from unittest.mock import Mock

import pytest
from py4j import clientserver, java_gateway

from hive_acid.bridge.secrets import unlogged
from hive_acid.errors import ConfigurationError
from hive_acid.session.setup_settings import read_hadoop_setting
from hive_acid.transport import CREDENTIAL_STORES, Kerberos, Password, Tls, Transport
from hive_acid_login import jvm_logins as login
from hive_acid_login.jvm_logins import build_security
from hive_acid_login.tokens import KIND, Token

SECRET = "open sesame"
LOGS = pytest.mark.parametrize("log", [clientserver.logger, java_gateway.logger], ids=lambda log: log.name)


def logged(log: logging.Logger, answer: object = None) -> Callable[..., Any]:
    """A call of the JVM, logged as py4j does."""

    def call(*arguments: object) -> object:
        log.debug("Command to send: %s", arguments)
        log.debug("Answer received: %s", answer)
        return answer

    return call


def build_jvm(log: logging.Logger) -> Any:
    """A JVM whose answers are the secret, and to which it is told."""
    jvm = Mock()
    shim, conf = jvm.hiveacid.api.MetastoreLogin, jvm.org.apache.hadoop.conf.Configuration.return_value
    for method, answer in (("findPassword", SECRET), ("exportCertificates", SECRET), ("findToken", SECRET)):
        getattr(shim, method).side_effect = logged(log, answer)
    conf.set.side_effect, conf.get.side_effect = logged(log), logged(log, SECRET)
    return jvm


def secured(jvm: Any, transport: Transport) -> None:
    """What comes of it does not matter here."""
    settings = {"spark.hadoop.fs.s3a.secret.key": SECRET}
    try:
        build_security(jvm, transport, {CREDENTIAL_STORES: "jceks://file/x"}.get, settings)
    except ConfigurationError as error:
        assert SECRET not in str(error)


@LOGS
@pytest.mark.parametrize(
    "transport",
    [
        Transport(Password("carol")),
        Transport(Kerberos("hive/_HOST@REALM")),
        Transport(tls=Tls(trust_store="/trust.jks", trust_store_password=SECRET)),
    ],
    ids=["password", "token", "trust-store"],
)
def test_secrets_of_a_login_are_in_no_log(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, log: logging.Logger, transport: Transport
) -> None:
    monkeypatch.setattr(login, "parse_token", lambda _: Token(b"\0\x05alice\x04hive\0", b"", KIND, ""))
    caplog.set_level(logging.DEBUG)
    jvm = build_jvm(log)
    secured(jvm, transport)
    assert read_hadoop_setting(jvm)("hive.metastore.truststore.password") == SECRET
    assert SECRET not in caplog.text


@LOGS
def test_other_calls_are_logged_as_before(caplog: pytest.LogCaptureFixture, log: logging.Logger) -> None:
    caplog.set_level(logging.DEBUG)
    with unlogged():
        with unlogged():
            log.debug("one")
        log.debug("two")
        other = threading.Thread(target=lambda: log.debug("of another thread"))
        other.start()
        other.join(10)
    log.debug("afterwards")
    assert [record.message for record in caplog.records if record.name == log.name] == [
        "of another thread",
        "afterwards",
    ]
