"""A site where all servers ask for Kerberos: YARN, HDFS, and a metastore 4.0.0, which is Spark's session catalog."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hive_acid.local import EmbeddedMetastore
from support.drivers import wait_until
from support.hdfs.cluster import ROOT, Hdfs, Login
from support.hdfs.secured import SERVICES, kerberos_login
from support.hdfs.tables import HdfsTables
from support.secured.certificates import make_certificates
from support.secured.kdc import REALM, Kdc
from support.secured.metastore import PRINCIPAL, SERVICE, kerberos_settings, secured_metastore
from support.session_process import SessionProcess
from support.spark_settings import JAVA_OPTIONS, SHORT_LIVED
from support.yarn.cluster import Yarn

USER: Final = "alice"
DATABASE: Final = "db"
_YARN: Final = "yarn/localhost"
_METASTORE_USER: Final = "hive"
_TICKET_SECONDS: Final = 4 * 3600
_EXECUTOR_OPTIONS: Final = "spark.executor.extraJavaOptions"


@dataclass
class YarnSite(HdfsTables):
    """`address` is the metastore's, with the host as its principal has it; `ticket` is a cache with USER's.

    `conf` are the settings of whatever runs in containers, `variables` those of its environment, without a ticket.
    """

    kdc: Kdc
    yarn: Yarn
    metastore: EmbeddedMetastore
    address: str
    conf: Mapping[str, str]
    variables: Mapping[str, str]
    ticket: Path

    def wait_ended(self) -> None:
        """Until no transaction is open. Nobody ends one that a client has forgotten as soon as that."""
        wait_until(lambda: "open" not in {row[1] for row in self.reader.sql("SHOW TRANSACTIONS")}, "all have ended")


@contextmanager
def started_yarn_site(folder: Path) -> Iterator[YarnSite]:
    """Its sessions log in by a ticket. `session` has executors in containers, `reader` is its own executor."""
    with ExitStack() as running:
        kdc = running.enter_context(Kdc(folder / "kdc", [SERVICE, USER, *SERVICES, _YARN]))
        certificates = make_certificates(folder / "certificates")
        login = kerberos_login(folder / "resources", kdc, certificates, _METASTORE_USER)
        hdfs = running.enter_context(Hdfs(folder / "hdfs", login))
        _make_folders(hdfs)
        settings = {**kerberos_settings(kdc), **hdfs.settings}
        metastore = running.enter_context(secured_metastore(folder / "metastore", settings, kdc))
        yarn = running.enter_context(Yarn(folder / "yarn", _yarn_login(kdc, hdfs, login)))
        ticket = folder / "cache"
        kdc.make_ticket(USER, ticket, _TICKET_SECONDS)
        variables, address = {**yarn.variables, "KRB5CCNAME": str(ticket)}, f"thrift://localhost:{metastore.port}"
        conf = _client_settings(kdc, yarn)

        def start(name: str, conf: Mapping[str, str]) -> SessionProcess:
            return running.enter_context(SessionProcess(folder / name, address, metastore.warehouse, conf, variables))

        session, reader = start("session", conf), start("reader", {**conf, "spark.master": "local[2]"})
        session.sql(f"CREATE DATABASE {DATABASE} LOCATION '{ROOT}/warehouse/{DATABASE}.db'")
        tables = hdfs, session, reader, folder, DATABASE
        yield YarnSite(*tables, kdc, yarn, metastore, address, conf, yarn.variables, ticket)


def _make_folders(hdfs: Hdfs) -> None:
    """A cluster has them before there are users: homes, a warehouse, and a folder for files of passing use."""
    for path in ("/warehouse", f"/user/{USER}"):
        hdfs.shell("-mkdir", "-p", path)
        hdfs.shell("-chown", USER, path)
    hdfs.shell("-mkdir", "/tmp")
    hdfs.shell("-chmod", "1777", "/tmp")


def _yarn_login(kdc: Kdc, hdfs: Hdfs, login: Login) -> Login:
    """The ResourceManager renews tokens of HDFS, and nodes fetch files from there for users."""
    principal, keytab = f"{_YARN}@{REALM}", str(kdc.keytab(_YARN))
    servers = {
        "yarn.resourcemanager.principal": principal,
        "yarn.resourcemanager.keytab": keytab,
        "yarn.nodemanager.principal": principal,
        "yarn.nodemanager.keytab": keytab,
    }
    return Login({**hdfs.settings, "fs.defaultFS": ROOT}, servers, login.options, login.resources)


def _client_settings(kdc: Kdc, yarn: Yarn) -> dict[str, str]:
    """Spark's, for a session whose containers find the Kerberos server, too."""
    found = f"-Djava.security.krb5.conf={kdc.configuration}"
    settings = {
        **SHORT_LIVED,
        **yarn.settings,
        JAVA_OPTIONS: f"{SHORT_LIVED[JAVA_OPTIONS]} {found}",
        _EXECUTOR_OPTIONS: f"{SHORT_LIVED[_EXECUTOR_OPTIONS]} {found}",
        "spark.yarn.am.extraJavaOptions": found,
        "spark.hadoop.hive.metastore.sasl.enabled": "true",
        "spark.hadoop.hive.metastore.kerberos.principal": PRINCIPAL,
    }
    del settings["spark.driver.host"]  # a driver in a container has its own
    del settings["spark.yarn.stagingDir"]  # files for containers go to the user's home on HDFS
    return settings
