"""A real metastore with Kerberos and TLS: sessions, commands, and each way in which a login fails."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import hive_acid
from hive_acid.local import EmbeddedMetastore
from support.secured.certificates import PASSWORD, Certificates, make_certificates, make_trust_store
from support.secured.client import Answer, ask_metastores
from support.secured.kdc import REALM, Kdc
from support.secured.metastore import (
    PRINCIPAL,
    SERVICE,
    client_settings,
    environment,
    java_options,
    kerberos_settings,
    keytab_settings,
    secured_metastore,
    tls_settings,
    write_core_site,
    write_site,
)
from support.session_process import SessionProcess

pytestmark = pytest.mark.beyond_the_gate(
    "each way to log in and each failure: `unit/metastore/test_secured_connections.py`, `unit/spark/test_login.py`"
)

SASL = {"hive.metastore.sasl.enabled": "true", "hive.metastore.kerberos.principal": PRINCIPAL}


@pytest.fixture(scope="module")
def kdc(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kdc]:
    principals = [SERVICE, "other/localhost", "third/localhost", "alice", "bob"]
    with Kdc(tmp_path_factory.mktemp("kerberos") / "kdc", principals) as server:
        yield server


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return make_certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="module")
def core_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with Hadoop's settings of a client."""
    folder = tmp_path_factory.mktemp("conf")
    write_core_site(folder, "authentication")
    return folder


def address(metastore: EmbeddedMetastore) -> str:
    """The host as the principal and the certificate have it."""
    return f"thrift://localhost:{metastore.port}"


@contextmanager
def session(
    folder: Path, core_site: Path, metastore: EmbeddedMetastore, conf: dict[str, str]
) -> Iterator[SessionProcess]:
    with (
        environment({"HADOOP_CONF_DIR": str(core_site)}),
        SessionProcess(folder, address(metastore), metastore.warehouse, conf) as spark,
    ):
        yield spark


def change_rows(spark: SessionProcess, table: str) -> None:
    """Each kind of statement; the locks are held by the user who logged in."""
    spark.sql(f"CREATE TABLE {table} (id INT, v STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
    spark.sql(f"INSERT INTO {table} VALUES (1, 'a'), (2, 'b'), (3, 'c')")
    assert spark.sql(f"DELETE FROM {table} WHERE id = 2") == [(1,)]
    assert spark.sql(f"UPDATE {table} SET v = 'z' WHERE id = 3") == [(1,)]
    assert spark.sql(f"SELECT * FROM {table} ORDER BY id") == [(1, "a"), (3, "z")]
    rows = spark.submit_for("one", [f"INSERT INTO {table} VALUES (4, 'd')", "SHOW LOCKS"], together=True).result(120)
    assert "alice" in {value for row in rows for value in row}


def test_statements_with_a_keytab_over_tls(
    kdc: Kdc, certificates: Certificates, core_site: Path, tmp_path: Path
) -> None:
    """The certificates that are trusted come from Java's trust store, which Spark's own client has, too."""
    settings = {**kerberos_settings(kdc), **tls_settings(certificates)}
    trusted = {
        "spark.hadoop.hive.metastore.use.SSL": "true",
        "spark.hadoop.hive.metastore.truststore.path": str(make_trust_store(certificates)),
        "spark.hadoop.hive.metastore.truststore.password": PASSWORD,
    }
    conf = {**client_settings(kdc), **keytab_settings(kdc, "alice"), **trusted}
    with (
        secured_metastore(tmp_path / "metastore", settings, kdc) as metastore,
        session(tmp_path / "spark", core_site, metastore, conf) as spark,
    ):
        change_rows(spark, "over_tls")


@pytest.fixture(scope="module")
def metastore(kdc: Kdc, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedMetastore]:
    """With Kerberos alone."""
    short = {"metastore.txn.timeout": "9s"}
    with secured_metastore(tmp_path_factory.mktemp("secured"), {**kerberos_settings(kdc), **short}, kdc) as started:
        yield started


@pytest.mark.slow
@pytest.mark.parametrize("protection", ["integrity", "privacy"])
def test_statements_with_a_ticket_under_each_protection(
    kdc: Kdc, metastore: EmbeddedMetastore, tmp_path: Path, protection: str
) -> None:
    """Also over a transaction longer than its time-out, which only heartbeats keep, and over a restart.

    All other tests are without one.
    """
    kdc.make_ticket("alice", tmp_path / "cache", 3600)
    write_core_site(tmp_path, protection)
    with (
        environment({"KRB5CCNAME": str(tmp_path / "cache")}),
        session(tmp_path / "spark", tmp_path, metastore, client_settings(kdc)) as spark,
    ):
        change_rows(spark, f"under_{protection}")
        insert = f"INSERT INTO under_{protection} VALUES (5, 'e')"
        pause = "SELECT java_method('java.lang.Thread', 'sleep', 12000L)"
        spark.submit_for("two", [insert, pause, insert], together=True).result(120)
        metastore.restart()
        assert spark.sql(f"SELECT count(*) FROM under_{protection}") == [(5,)]


@pytest.mark.slow
def test_statements_on_another_release(kdc: Kdc, core_site: Path, tmp_path: Path) -> None:
    """On 3.1.3 they are in `integration/test_secured_site.py`."""
    conf = {**client_settings(kdc), **keytab_settings(kdc, "alice")}
    with (
        secured_metastore(tmp_path / "metastore", kerberos_settings(kdc), kdc, version="4.1.0") as metastore,
        session(tmp_path / "spark", core_site, metastore, conf) as spark,
    ):
        change_rows(spark, "elsewhere")


@pytest.fixture(scope="module")
def open_one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedMetastore]:
    """Without any security."""
    with EmbeddedMetastore.start(tmp_path_factory.mktemp("open")) as started:
        yield started


@pytest.mark.slow
def test_each_login_that_fails_has_a_name(
    kdc: Kdc, metastore: EmbeddedMetastore, open_one: EmbeddedMetastore, core_site: Path, tmp_path: Path
) -> None:
    kdc.make_ticket("alice", tmp_path / "cache", 3600)

    def principal(name: str) -> dict[str, str]:
        return {**SASL, "hive.metastore.kerberos.principal": name}

    uri = address(metastore)
    cases = {
        "right": (uri, SASL),
        "WRONG_SERVICE": (uri, principal(f"other/_HOST@{REALM}")),
        "UNKNOWN_PRINCIPAL": (uri, principal(f"nobody/_HOST@{REALM}")),
        "UNKNOWN_PRINCIPAL by address": (metastore.uri, SASL),
        "LOGIN_EXPECTED": (uri, {}),
        "LOGIN_NOT_EXPECTED": (open_one.uri, principal(f"{SERVICE}@{REALM}")),
        "TLS_NOT_EXPECTED": (uri, {**SASL, "hive.metastore.use.SSL": "true"}),
    }
    answers = ask_metastores(
        list(cases.values()),
        java_options(kdc),
        {"HADOOP_CONF_DIR": str(core_site), "KRB5CCNAME": str(tmp_path / "cache")},
    )
    assert answers[0] == Answer("alice", "4.0.0")
    assert [answer.sub for answer in answers[1:]] == [name.partition(" ")[0] for name in list(cases)[1:]]


@pytest.mark.slow
def test_a_login_without_a_ticket_has_a_name(
    kdc: Kdc, metastore: EmbeddedMetastore, core_site: Path, tmp_path: Path
) -> None:
    def ask(variables: dict[str, str], conf: dict[str, str] | None = None) -> Answer:
        return ask_metastores([(address(metastore), SASL)], {**java_options(kdc), **(conf or {})}, variables)[0]

    hadoop, nothing = {"HADOOP_CONF_DIR": str(core_site)}, {"KRB5CCNAME": str(tmp_path / "none")}
    assert ask({**hadoop, **nothing}).sub == "NO_TICKET"
    assert ask(nothing).sub == "NO_KERBEROS"
    by_setting = {"spark.hadoop.hadoop.security.authentication": "kerberos"}
    assert ask(nothing, {**by_setting, **keytab_settings(kdc, "bob")}) == Answer("bob", "4.0.0")
    unknown = {**keytab_settings(kdc, "bob"), "spark.kerberos.principal": f"mallory@{REALM}"}
    assert ask(nothing, {**by_setting, **unknown}).sub == "NO_TICKET"


@pytest.mark.slow
def test_a_protection_that_the_metastore_does_not_have_has_a_name(kdc: Kdc, core_site: Path, tmp_path: Path) -> None:
    settings = kerberos_settings(kdc)
    with secured_metastore(tmp_path / "metastore", settings, kdc, protection="authentication") as metastore:
        (answer,) = ask_metastores(
            [(address(metastore), {**SASL, "hadoop.rpc.protection": "privacy"})],
            {**java_options(kdc), **keytab_settings(kdc, "alice")},
            {"HADOOP_CONF_DIR": str(core_site)},
        )
    assert answer.sub == "PROTECTION"


@pytest.mark.slow
def test_a_delegation_token_serves_sessions_and_commands(
    kdc: Kdc, metastore: EmbeddedMetastore, core_site: Path, tmp_path: Path
) -> None:
    """The command starts no JVM: there is no ticket either."""
    token, hadoop = tmp_path / "token", {"HADOOP_CONF_DIR": str(core_site)}
    ask_metastores([(address(metastore), SASL)], {**java_options(kdc), **keytab_settings(kdc, "alice")}, hadoop, token)
    by_token = {**hadoop, "HADOOP_TOKEN_FILE_LOCATION": str(token), "KRB5CCNAME": str(tmp_path / "none")}
    other = {**SASL, "hive.metastore.token.signature": "elsewhere"}
    answers = ask_metastores([(address(metastore), SASL), (address(metastore), other)], java_options(kdc), by_token)
    assert (answers[0], answers[1].sub) == (Answer("alice", "4.0.0"), "NO_TICKET")
    write_site(tmp_path / "hive-site.xml", SASL)
    command = [sys.executable, "-m", "hive_acid.cli", "txn", "status", "999999", "--json"]
    home = str(Path(hive_acid.__file__).parents[1])
    done = subprocess.run(
        [*command, "--metastore", address(metastore)],
        env={**os.environ, **by_token, "HIVE_CONF_DIR": str(tmp_path), "PYTHONPATH": home, "JAVA_HOME": "/nowhere"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert json.loads(done.stdout)["id"] == 999999, done.stderr
