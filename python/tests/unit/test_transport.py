"""How settings of Hive's say that the metastore is reached."""

from __future__ import annotations

import pytest

from hive_acid.errors import ConfigurationError
from hive_acid.transport import (
    PLAIN,
    Http,
    Kerberos,
    Password,
    Tls,
    Transport,
    find_client_settings,
    read_transport,
)

SASL = {"hive.metastore.sasl.enabled": "true", "hive.metastore.kerberos.principal": "hive/_HOST@REALM"}


def test_nothing_is_asked_for_by_default() -> None:
    assert read_transport({}.get) == PLAIN
    assert not PLAIN.needs_jvm


@pytest.mark.parametrize(
    ("settings", "transport"),
    [
        (SASL, Transport(Kerberos("hive/_HOST@REALM"))),
        (
            {
                "metastore.sasl.enabled": "TRUE",
                "metastore.kerberos.principal": "hive/h@R",
                "metastore.token.signature": "x",
            },
            Transport(Kerberos("hive/h@R", ("authentication",), "x")),
        ),
        (
            {**SASL, "hadoop.rpc.protection": "privacy, Integrity"},
            Transport(Kerberos("hive/_HOST@REALM", ("privacy", "integrity"))),
        ),
        (
            {**SASL, "hadoop.rpc.protection": "privacy", "hive.metastore.use.SSL": "true"},
            Transport(Kerberos("hive/_HOST@REALM"), Tls()),
        ),
        (
            {**SASL, "hive.metastore.client.auth.mode": "plain", "hive.metastore.client.plain.username": "carol"},
            Transport(Password("carol")),
        ),
        (
            {
                "metastore.use.SSL": "true",
                "metastore.truststore.path": "/trust",
                "metastore.truststore.password": "word",
                "metastore.truststore.type": "JKS",
            },
            Transport(tls=Tls("", "/trust", "word", "JKS")),
        ),
    ],
)
def test_what_the_settings_ask_for(settings: dict[str, str], transport: Transport) -> None:
    assert read_transport(settings.get) == transport
    assert transport.needs_jvm


HTTP = {"hive.metastore.client.thrift.transport.mode": "http"}


@pytest.mark.parametrize(
    ("settings", "transport"),
    [
        (HTTP, Transport(http=Http("/metastore"))),
        ({**HTTP, "metastore.server.thrift.http.path": "/gate/meta/*"}, Transport(http=Http("/gate/meta"))),
        (
            {**HTTP, "metastore.client.auth.mode": "jwt", "metastore.use.SSL": "true"},
            Transport(tls=Tls(), http=Http("/metastore", asks_by_token=True)),
        ),
        ({**HTTP, "metastore.client.auth.mode": "NOSASL"}, Transport(http=Http("/metastore"))),
    ],
)
def test_http_needs_no_jvm(settings: dict[str, str], transport: Transport) -> None:
    assert read_transport(settings.get) == transport
    assert not transport.needs_jvm
    assert transport.beyond_old_clients == transport.title != ""


@pytest.mark.parametrize(
    ("settings", "way"),
    [
        ({**HTTP, **SASL}, "Kerberos over HTTP"),
        ({**HTTP, "hive.metastore.client.auth.mode": "PLAIN"}, "this kind of login over HTTP"),
        ({"hive.metastore.client.auth.mode": "JWT"}, "this kind of login"),
        ({"hive.metastore.client.thrift.transport.mode": "carrier"}, "this transport"),
    ],
)
def test_ways_that_are_not_there_are_refused(settings: dict[str, str], way: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read_transport(settings.get)
    assert caught.value.getCondition() == "HIVE_ACID_UNSUPPORTED_CONNECTION"
    assert caught.value.getMessageParameters()["way"] == way


def test_tls_by_a_file_of_certificates_or_the_systems_needs_no_jvm() -> None:
    tls = {"hive.metastore.use.SSL": "true", "hive.metastore.truststore.path": "/trust"}
    assert not read_transport(tls.get, "/ca.pem").needs_jvm
    assert not read_transport({"hive.metastore.use.SSL": "true"}.get).needs_jvm


@pytest.mark.parametrize(
    ("settings", "sub"),
    [
        ({"hive.metastore.sasl.enabled": "true"}, "KERBEROS_PRINCIPAL"),
        ({**SASL, "hive.metastore.kerberos.principal": "hive@REALM"}, "KERBEROS_PRINCIPAL"),
        ({**SASL, "hadoop.rpc.protection": "secrecy"}, "NOT_A_CHOICE"),
        ({"hive.metastore.sasl.enabled": "yes"}, "NOT_A_FLAG"),
        ({"hive.metastore.use.SSL": "1"}, "NOT_A_FLAG"),
        ({"hive.metastore.client.auth.mode": "PLAIN"}, "NO_METASTORE_USER"),
    ],
)
def test_values_that_are_none_are_refused(settings: dict[str, str], sub: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read_transport(settings.get)
    assert caught.value.getCondition() == f"HIVE_ACID_CONFIGURATION.{sub}"


@pytest.mark.parametrize(
    ("principal", "server"),
    [("hive/_HOST@REALM", ("hive", "meta.example")), ("hive/other@REALM", ("hive", "other"))],
)
def test_the_host_of_the_principal(principal: str, server: tuple[str, str]) -> None:
    assert Kerberos(principal).find_server("Meta.Example") == server


def test_what_old_clients_of_hive_cannot_do() -> None:
    kerberos, password = Kerberos("hive/_HOST@REALM"), Password("carol")
    ways = (Transport(kerberos), Transport(tls=Tls()), Transport(kerberos, Tls()), Transport(password))
    assert [way.beyond_old_clients for way in ways] == ["", "", "Kerberos and TLS", "a password"]


def test_sparks_client_hears_of_settings_that_its_jvm_may_not_find() -> None:
    configured = {"spark.hadoop.hive.metastore.sasl.enabled": "true"}
    settings = {**SASL, "hive.metastore.uris": "thrift://host"}
    assert find_client_settings(settings.get, configured) == {
        "spark.hadoop.hive.metastore.kerberos.principal": "hive/_HOST@REALM"
    }


def test_sparks_client_is_told_of_javas_own_trust_where_it_fails_without() -> None:
    algorithm = "spark.hadoop.hive.metastore.trustmanagerfactory.algorithm"
    mode = f"spark.hadoop.{next(iter(HTTP))}"
    assert find_client_settings(HTTP.get, {}) == {mode: "http", algorithm: "PKIX"}
    chosen = {**HTTP, "metastore.trustmanagerfactory.algorithm": "SunX509"}
    assert algorithm not in find_client_settings(chosen.get, {})
    assert find_client_settings(HTTP.get, {algorithm: "SunX509", mode: "http"}) == {}


def test_the_password_of_a_trust_store_is_not_shown() -> None:
    assert "word" not in repr(Tls("", "/trust", "word"))
