"""Setting up a session: configuration before it starts, the callbacks once it is there."""

from __future__ import annotations

import atexit
import getpass
import logging
import socket
import time
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyspark
from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import ensure_callback_server_started
from pyspark.sql import SparkSession

from hive_acid import __version__, config
from hive_acid.compaction.after_write import AfterWrite
from hive_acid.compaction.folding import Folder
from hive_acid.compaction.requests import CompactionRequests
from hive_acid.compaction.session_runner import SessionRunner
from hive_acid.compaction.worker import WORKER_PREFIX, Worker
from hive_acid.errors import build_error
from hive_acid.execution.ddl import DdlExecutor
from hive_acid.execution.executor import Executor
from hive_acid.execution.history import Author, NoteWriter
from hive_acid.execution.readers import Readers
from hive_acid.hive_site import find_metastore_uris, read_settings
from hive_acid.metastore.thrift_client import ThriftMetastore
from hive_acid.model.table import TableName
from hive_acid.snapshot.acid_state import TableContent
from hive_acid.spark import hive_client
from hive_acid.spark.cancellation import Cancellation
from hive_acid.spark.compaction import JvmCompactionEngine
from hive_acid.spark.jvm import JvmFileSystem, close_connection
from hive_acid.spark.operators import Operators
from hive_acid.spark.planner import Planner
from hive_acid.transactions.locks import Identity
from hive_acid.transactions.manager import TransactionManager

LOG = logging.getLogger(__name__)
EXTENSION = "hiveacid.Extensions"


def find_shim_jar() -> Path:
    """The shim's jar for the running Spark line. Raises HIVE_ACID_CONFIGURATION and names the places searched."""
    line = ".".join(pyspark.__version__.split(".")[:2])
    jar = Path(__file__).parent.parent / "jars" / f"spark-{line}" / "hive-acid-shim.jar"
    if not jar.is_file():
        lines = sorted(path.name for path in jar.parent.parent.glob("spark-*"))
        reason = f"no shim for PySpark {pyspark.__version__}: {jar} is missing (there: {', '.join(lines) or 'none'})"
        raise build_error("HIVE_ACID_CONFIGURATION", reason=reason)
    return jar


class AcidSessionBuilder(SparkSession.Builder):
    """A session builder whose sessions know transactional tables."""

    def __init__(self, options: dict[str, str]) -> None:
        super().__init__()
        self._options.update(options)

    def getOrCreate(self) -> SparkSession:  # noqa: N802 (the name of SparkSession.Builder)
        """The session, with the extension's callbacks registered.

        Raises HIVE_ACID_CONFIGURATION if a session that was set up otherwise is running already: neither the extension
        nor the metastore of a running Spark can be changed.
        """
        uris = self._options[config.METASTORE_URIS.key]
        if SparkContext._active_spark_context is None:
            self._choose_hive_client(uris)
        running = SparkSession.getActiveSession()
        if running is not None:  # before the builder's options become its own
            _refuse_other_setup(running, uris)
        session = super().getOrCreate()
        _refuse_other_setup(session, uris)
        if (session.conf.get(hive_client.VERSION, None) or "").startswith("4."):
            hive_client.start_transaction_manager(session)
        attach(session)
        return session

    def _choose_hive_client(self, uris: str) -> None:
        """Settings of the builder, of spark-submit and of spark-defaults.conf count as the user's own."""
        wanted = SparkConf()
        for key, value in self._options.items():
            wanted.set(key, value)
        context: Any = SparkContext
        context._ensure_initialized(conf=wanted)
        configured = {**dict(SparkConf(_jvm=context._jvm).getAll()), **self._options}
        timeout_ms = find_early_settings(configured).number(config.METASTORE_TIMEOUT_MS)
        metastore = ThriftMetastore(uris, timeout_ms=timeout_ms)
        try:
            choice = hive_client.choose_client(metastore.server_info(), configured, hive_client.fetch_client_jars)
        finally:
            metastore.close()
        hive_client.LOG.info("Spark's Hive client: %s", choice.reason)
        self._options.update(choice.settings)


def find_early_settings(configured: Mapping[str, str]) -> config.Settings:
    """What the application will find in force, before there is a session: Spark's settings, then hive-site.xml.

    Raises HIVE_ACID_CONFIGURATION for what cannot be read.
    """
    site = read_settings()

    def hive_setting(name: str) -> str | None:
        by_spark = configured.get(f"spark.{name}") if name.startswith("hive.") else None
        return configured.get(f"spark.hadoop.{name}") or by_spark or site.get(name)

    return config.Settings(configured).completed_by(hive_setting)


def _refuse_other_setup(session: SparkSession, uris: str) -> None:
    running = find_session_uris(session)
    if EXTENSION not in (session.conf.get("spark.sql.extensions", "") or "").split(","):
        reason = f"a Spark session without {EXTENSION} is running; stop it before configuring another"
    elif running != uris:
        reason = f"a Spark session on the metastore {running or '(none)'} is running; stop it before using {uris}"
    else:
        return
    raise build_error("HIVE_ACID_CONFIGURATION", reason=reason)


def find_session_uris(session: SparkSession) -> str:
    """The metastore that Spark's own client of the session uses; empty if there is none."""
    jsession: Any = session._jsparkSession
    return jsession.sessionState().newHadoopConf().get("hive.metastore.uris") or ""


def configure(builder: SparkSession.Builder, metastore: str | None = None) -> AcidSessionBuilder:
    """A builder for sessions that read and change Hive transactional tables.

    `metastore` is `thrift://host:port` (several: comma-separated). Without it, that of the builder's own settings or of
    hive-site.xml is used, and if there is none, an embedded metastore is started that ends with this process.
    """
    options = dict(builder._options)
    names = [f"spark.hadoop.{name}" for name in config.METASTORE_URIS.hive_names]
    named = [options[name] for name in (*names, "spark.hive.metastore.uris") if options.get(name)]
    uris = metastore or next(iter(named), None) or find_metastore_uris()
    if uris is None:
        from hive_acid.local import EmbeddedMetastore  # only POSIX systems have it; a given metastore needs none

        embedded = EmbeddedMetastore.start()
        atexit.register(embedded.stop)
        uris = embedded.uri
        options.setdefault("spark.sql.warehouse.dir", embedded.warehouse.as_uri())
    extensions = [name for name in options.get("spark.sql.extensions", "").split(",") if name]
    jar = str(find_shim_jar())
    options |= {
        config.METASTORE_URIS.key: uris,
        "spark.sql.catalogImplementation": "hive",
        "spark.sql.extensions": ",".join(dict.fromkeys([*extensions, EXTENSION])),
        "spark.jars": ",".join(dict.fromkeys([*filter(None, options.get("spark.jars", "").split(",")), jar])),
    }
    return AcidSessionBuilder(options)


_attached: dict[int, Attachment] = {}


class Attachment:
    """The Python half of one Spark application: metastore client, transactions, callbacks."""

    def __init__(self, session: SparkSession) -> None:
        jvm: Any = session._jvm
        jsession: Any = session._jsparkSession
        uris = find_session_uris(session)
        if not uris:
            reason = "the session has no metastore; start it with hive_acid.configure(SparkSession.builder)"
            raise build_error("HIVE_ACID_CONFIGURATION", reason=reason)
        hadoop: Any = jsession.sessionState().newHadoopConf()
        site = read_settings()  # Spark does not put HIVE_CONF_DIR on its class path
        configured = dict(session.sparkContext.getConf().getAll())
        settings = config.Settings(configured).completed_by(lambda name: hadoop.get(name) or site.get(name))
        agent = f"spark-hive-acid {session.sparkContext.applicationId}"
        identity = Identity(getpass.getuser(), socket.gethostname(), agent)
        self.metastore = ThriftMetastore(uris, timeout_ms=settings.number(config.METASTORE_TIMEOUT_MS))
        self.file_system = file_system = JvmFileSystem(jvm.hiveacid.Storage(jsession))
        self._cancellation = cancellation = Cancellation(session.sparkContext)
        pause_ms = cancellation.pause_ms
        self.transactions = TransactionManager(self.metastore, identity, settings, _clock_ms, pause_ms, _pause_ms)
        author = Author(session.sparkContext.appName or "", session.sparkContext.applicationId, identity.user)
        self._notes = notes = NoteWriter(author)
        initiator = f"{identity.host}-{session.sparkContext.applicationId}"
        asks = AfterWrite(self.metastore, file_system, initiator, lambda: time.time_ns() // 1_000_000)
        self.executor = Executor(self.metastore, file_system, self.transactions, settings, pause_ms, asks, notes)
        ddl = DdlExecutor(self.metastore, file_system, self.transactions, settings)
        self._settings = settings
        max_age_ms = settings.number(config.READER_MAX_AGE_MS)
        self.readers = Readers(self.metastore, file_system, self.transactions, max_age_ms, _clock_ms)
        context = session.sparkContext
        self._engine = JvmCompactionEngine(jvm, context, lambda: jsession)
        self.running_compactions = self._engine.running
        pool = f"spark-hive-acid-{uuid.uuid4().hex}"
        worker_name = f"{WORKER_PREFIX}{identity.host}-{pool[-8:]}"
        runner = SessionRunner(self.metastore, lambda chosen: self.build_worker(worker_name, chosen), pool, pause_ms)
        compactions = CompactionRequests(self.metastore, _clock_ms, pause_ms, runner)
        operators = Operators(self.metastore, compactions, settings, identity)
        self.planner = Planner(
            jvm, context, settings, self.metastore, self.executor, ddl, self.readers, operators, cancellation
        )
        cancellation.install()
        _start_callbacks(session)
        jvm.hiveacid.Bridge.register(jsession, self.planner)

    def build_worker(self, name: str, settings: config.Settings | None = None) -> Worker:
        """A worker of compactions that the queue knows as `name`, under the application's settings or others."""
        chosen = settings or self._settings
        folder = Folder(self.metastore, self.file_system, self._engine, chosen, self._notes)
        version, running = f"spark-hive-acid {__version__}", self._cancellation.running
        return Worker(self.metastore, self.transactions, folder, chosen, name, version, running)

    def find_content(self, table: TableName, session_settings: Mapping[str, str]) -> TableContent:
        """See `Readers.content`."""
        return self.readers.content(table, self._settings.overridden_by(session_settings))

    def close(self) -> None:
        """Ends read transactions and connections."""
        self.readers.close()
        self.transactions.close()
        self.metastore.close()


def _start_callbacks(session: SparkSession) -> None:
    """Lets the JVM call Python, and this thread's statements call back on this thread.

    A connection that is older than the callback server is not the JVM's way back: the callbacks of its thread would
    come on another one, where Ctrl-C does not reach the statement, which would go on and commit. So this thread gets a
    new connection.
    """
    gateway: Any = session.sparkContext._gateway
    start: Any = ensure_callback_server_started
    start(gateway)
    close_connection(session.sparkContext)
    jvm: Any = session._jvm
    SparkSession._get_j_spark_session_class(jvm).setActiveSession(session._jsparkSession)


def attach(session: SparkSession) -> Attachment:
    """Registers the callbacks for the session's application; done once per application."""
    context = session.sparkContext
    key = id(context)
    attachment = _attached.get(key)
    if attachment is None:
        attachment = _attached[key] = Attachment(session)
        _close_with(context, key)
    return attachment


def _close_with(context: Any, key: int) -> None:
    """Read transactions end before the context does, whoever stops it."""
    stop = context.stop

    def close() -> None:
        attachment = _attached.pop(key, None)
        if attachment is not None:
            attachment.close()

    def closing_stop() -> None:
        close()
        stop()

    context.stop = closing_stop
    atexit.register(close)


def find_own_settings(session: SparkSession) -> dict[str, str]:
    """The settings of ours that the session has, by key."""
    return {key: value for key, value in session.conf.getAll.items() if key.lower().startswith(config.PREFIX)}


def _clock_ms() -> int:
    return int(time.monotonic() * 1000)


def _pause_ms(pause_ms: int) -> None:
    time.sleep(pause_ms / 1000)
