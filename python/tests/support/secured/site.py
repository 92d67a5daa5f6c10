"""A site whose metastore 3.1.3 asks for Kerberos over TLS, with its tables on HDFS.

Sessions have the metastore as the catalog `site`: no Hive client of Spark's speaks Kerberos over TLS to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hive_acid.local import EmbeddedMetastore
from support.drivers import wait_until
from support.hdfs.cluster import ROOT, Hdfs, Login
from support.hdfs.secured import SERVICES, kerberos_login
from support.hdfs.tables import HdfsTables
from support.secured.certificates import PASSWORD, Certificates, make_certificates, make_trust_store
from support.secured.kdc import Kdc
from support.secured.metastore import (
    PRINCIPAL,
    SERVICE,
    environment,
    kerberos_settings,
    secured_metastore,
    tls_settings,
    write_core_site,
)
from support.session_process import SessionProcess
from support.standalone import SPECULATION, StandaloneCluster, started_cluster

VERSION: Final = "3.1.3"
USER: Final = "alice"
CATALOG: Final = "site"
DATABASE: Final = f"{CATALOG}.db"
_TICKET_SECONDS: Final = 4 * 3600
_METASTORE_USER: Final = "hive"
_TIMEOUT: Final = {
    # transactions of the dead end soon: five minutes by default
    "metastore.txn.timeout": "10s",
    # the reaper runs beside an Initiator only, which shall find nothing to do
    "metastore.compactor.initiator.on": "true",
    "metastore.compactor.check.interval": "1d",
    "metastore.timedout.txn.reaper.interval": "500ms",
}


@dataclass
class Site(HdfsTables):
    """`cluster` has the executors of `session`, if there is one; `start` starts more sessions, by a name."""

    start: Callable[[str], SessionProcess]
    cluster: StandaloneCluster | None

    def wait_ended(self) -> None:
        """Until no transaction is open."""
        wait_until(lambda: "open" not in {row[1] for row in self.reader.sql("SHOW TRANSACTIONS")}, "all have ended")


def _catalog_settings(metastore: EmbeddedMetastore, certificates: Certificates) -> dict[str, str]:
    """The host is written as the principal and the certificate have it."""
    options = {
        "hive.metastore.uris": f"thrift://localhost:{metastore.port}",
        "hive.metastore.sasl.enabled": "true",
        "hive.metastore.kerberos.principal": PRINCIPAL,
        "hive.metastore.use.SSL": "true",
        "hive.metastore.truststore.path": str(make_trust_store(certificates)),
        "hive.metastore.truststore.password": PASSWORD,
    }
    named = {f"spark.sql.catalog.{CATALOG}.{name}": value for name, value in options.items()}
    return {f"spark.sql.catalog.{CATALOG}": "hiveacid.Catalog", **named}


def _simple_login(folder: Path) -> Login:
    """HDFS believes what a client says; clients that know Kerberos must be told that they may do without."""
    folder.mkdir()
    proxies = {f"hadoop.proxyuser.{_METASTORE_USER}.{what}": "*" for what in ("hosts", "groups")}
    return Login({"ipc.client.fallback-to-simple-auth-allowed": "true"}, proxies, [], folder)


def _make_warehouse(hdfs: Hdfs) -> None:
    hdfs.shell("-mkdir", "-p", "/warehouse")
    hdfs.shell("-chown", USER, "/warehouse")


@contextmanager
def started_site(folder: Path, *, hdfs_knows_kerberos: bool) -> Iterator[Site]:
    """With executors on a standalone cluster if HDFS believes everybody.

    A standalone cluster hands no delegation tokens to executors, in no release of Spark: on HDFS with Kerberos the
    driver is its own executor.
    """
    certificates = make_certificates(folder / "certificates")
    with ExitStack() as running:
        kdc = running.enter_context(Kdc(folder / "kdc", [SERVICE, USER, *SERVICES]))
        resources = folder / "resources"
        login = (
            kerberos_login(resources, kdc, certificates, _METASTORE_USER)
            if hdfs_knows_kerberos
            else _simple_login(resources)
        )
        hdfs = running.enter_context(Hdfs(folder / "hdfs", login))
        _make_warehouse(hdfs)
        settings = {**kerberos_settings(kdc), **tls_settings(certificates), **hdfs.settings, **_TIMEOUT}
        metastore = running.enter_context(secured_metastore(folder / "metastore", settings, kdc, version=VERSION))
        own = running.enter_context(EmbeddedMetastore.start())
        running.enter_context(environment(_client_variables(folder, kdc, hdfs.settings)))
        conf = _catalog_settings(metastore, certificates)
        cluster = None if hdfs_knows_kerberos else running.enter_context(started_cluster(folder / "cluster"))
        if cluster:
            conf |= {**SPECULATION, "spark.speculation": "false", "spark.master": cluster.address}

        def start(name: str) -> SessionProcess:
            # executors of the cluster have one core each, so a reader runs its own
            master = {} if name == "session" else {"spark.master": "local[2]"}
            return running.enter_context(SessionProcess(folder / name, own.uri, own.warehouse, {**conf, **master}))

        session, reader = start("session"), start("reader")
        session.sql(f"CREATE DATABASE {DATABASE} LOCATION '{ROOT}/warehouse/db.db'")
        reader.sql(f"USE {DATABASE}")
        yield Site(hdfs, session, reader, folder, DATABASE, start, cluster)


def _client_variables(folder: Path, kdc: Kdc, hdfs_settings: Mapping[str, str]) -> dict[str, str]:
    """The environment of drivers, and of the cluster's machines."""
    kdc.make_ticket(USER, folder / "cache", _TICKET_SECONDS)
    write_core_site(folder / "conf", "authentication", hdfs_settings)
    return {
        "HADOOP_CONF_DIR": str(folder / "conf"),
        "KRB5CCNAME": str(folder / "cache"),
        "JAVA_TOOL_OPTIONS": f"-Djava.security.krb5.conf={kdc.configuration}",
    }
