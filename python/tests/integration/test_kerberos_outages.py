"""Kerberos that is away, clocks that differ, and sessions that outlive their tickets, with a real metastore."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hive_acid.local import EmbeddedMetastore
from hive_acid_local.launch import free_port
from hive_acid_login.ticket_cache import has_expired
from support.polling import eventually
from support.secured.client import Answer, ask_metastores
from support.secured.kdc import Kdc
from support.secured.metastore import (
    PRINCIPAL,
    SERVICE,
    client_settings,
    environment,
    java_options,
    kerberos_settings,
    keytab_settings,
    secured_metastore,
    write_core_site,
)
from support.session_process import SessionProcess, StatementFailed
from support.spark_settings import JAVA_OPTIONS

pytestmark = pytest.mark.slow
SASL = {"hive.metastore.sasl.enabled": "true", "hive.metastore.kerberos.principal": PRINCIPAL}
LIFETIME_SECONDS = 70
PAUSE_OF_HADOOP_SECONDS = 60
ADMITTED_SKEW_SECONDS = 15
"""More than krb5.conf admits."""
CREATE = "CREATE TABLE {} (id INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')"


@pytest.fixture(scope="module")
def kdc(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kdc]:
    with Kdc(tmp_path_factory.mktemp("kerberos") / "kdc", [SERVICE, "alice"]) as server:
        yield server


@pytest.fixture(scope="module")
def metastore(kdc: Kdc, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedMetastore]:
    with secured_metastore(tmp_path_factory.mktemp("secured"), kerberos_settings(kdc), kdc) as started:
        yield started


@pytest.fixture
def hadoop(tmp_path: Path) -> dict[str, str]:
    """The variable that names Hadoop's settings of a client."""
    write_core_site(tmp_path / "conf", "authentication")
    return {"HADOOP_CONF_DIR": str(tmp_path / "conf")}


def changed(kdc: Kdc, file: Path, old: str, new: str) -> dict[str, str]:
    """Spark's setting for a krb5.conf that is not quite the server's."""
    file.write_text(kdc.configuration.read_text().replace(old, new))
    return {JAVA_OPTIONS: java_options(kdc)[JAVA_OPTIONS].replace(str(kdc.configuration), str(file))}


def ask(metastore: EmbeddedMetastore, conf: dict[str, str], variables: dict[str, str]) -> Answer:
    return ask_metastores([(f"thrift://localhost:{metastore.port}", SASL)], conf, variables)[0]


def test_a_clock_that_differs_has_a_name(
    kdc: Kdc, metastore: EmbeddedMetastore, hadoop: dict[str, str], tmp_path: Path
) -> None:
    """The server takes each clock for a wrong one, as it does where they differ by more than it admits."""
    kdc.make_ticket("alice", tmp_path / "cache", 3600)
    by_ticket = {**hadoop, "KRB5CCNAME": str(tmp_path / "cache")}
    with kdc.refusing_clocks():
        answer = ask(metastore, java_options(kdc), by_ticket)
    assert answer.sub == "CLOCK_SKEW"
    assert ask(metastore, java_options(kdc), by_ticket) == Answer("alice", "4.0.0")


def test_a_server_that_is_away_has_a_name(
    kdc: Kdc, metastore: EmbeddedMetastore, hadoop: dict[str, str], tmp_path: Path
) -> None:
    kdc.make_ticket("alice", tmp_path / "cache", 3600)
    port = kdc.configuration.read_text().split("kdc = localhost:")[1].split()[0]
    away = changed(kdc, tmp_path / "krb5.conf", f"localhost:{port}", f"localhost:{free_port()}")
    assert ask(metastore, away, {**hadoop, "KRB5CCNAME": str(tmp_path / "cache")}).sub == "KDC_UNREACHABLE"


def test_sessions_outlive_their_tickets(
    kdc: Kdc, metastore: EmbeddedMetastore, hadoop: dict[str, str], tmp_path: Path
) -> None:
    """A keytab serves for ever. A session with a ticket goes on by the next one that its user gets.

    Hadoop looks into the ticket cache once a minute at most, and Spark's own client never does.
    """
    cache = tmp_path / "cache"
    kdc.make_ticket("alice", cache, LIFETIME_SECONDS)
    short = changed(
        kdc, tmp_path / "krb5.conf", "[libdefaults]", f"[libdefaults]\n ticket_lifetime = {LIFETIME_SECONDS}s"
    )
    by_ticket = {**client_settings(kdc), **short}
    address = f"thrift://localhost:{metastore.port}"
    with (
        environment({**hadoop, "KRB5CCNAME": str(cache)}),
        SessionProcess(tmp_path / "t", address, metastore.warehouse, by_ticket) as ticket,
        SessionProcess(
            tmp_path / "k", address, metastore.warehouse, {**by_ticket, **keytab_settings(kdc, "alice")}
        ) as keytab,
    ):
        for session, table in ((ticket, "by_ticket"), (keytab, "by_keytab")):
            session.sql(CREATE.format(table))
            session.sql(f"INSERT INTO {table} VALUES (1), (2)")
        assert eventually(lambda: has_expired(cache, time.time() - ADMITTED_SKEW_SECONDS), 2 * LIFETIME_SECONDS)
        metastore.restart()  # new connections ask for a login
        assert keytab.sql("DELETE FROM by_keytab WHERE id = 1") == [(1,)]
        with pytest.raises(StatementFailed) as failure:
            ticket.sql("DELETE FROM by_ticket WHERE id = 1")
        assert failure.value.condition == "HIVE_ACID_METASTORE_LOGIN.TICKET_EXPIRED", failure.value.text
        kdc.make_ticket("alice", cache, 3600)
        told: list[str] = []

        def goes_on() -> bool:
            try:
                return ticket.sql("DELETE FROM by_ticket WHERE id = 2") == [(1,)]
            except StatementFailed as failed:
                told.append(failed.text)
                return False

        assert eventually(goes_on, 2 * PAUSE_OF_HADOOP_SECONDS)
        assert "run the statement again" in told[-1]
        assert ticket.sql("SELECT id FROM by_ticket") == [(1,)]
