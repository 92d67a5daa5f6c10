"""The callbacks of a session, once it is there."""

from __future__ import annotations

import atexit
import getpass
import socket
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from pyspark.java_gateway import ensure_callback_server_started
from pyspark.sql import SparkSession

from hive_acid import __version__, clock, config
from hive_acid.clock import monotonic_ms, wall_clock_ms
from hive_acid.compaction.compactor import Compactor
from hive_acid.compaction.initiator.after_write import AfterWrite
from hive_acid.compaction.queue.liveness import STATEMENT_POOL_PREFIX, WORKER_PREFIX
from hive_acid.compaction.queue.requests import CompactionRequests, Outcome
from hive_acid.compaction.queue.session_runner import SessionRunner
from hive_acid.compaction.queue.worker import Worker
from hive_acid.errors import build_error
from hive_acid.execution.created_tables import CreatedTables
from hive_acid.execution.ddl import DdlExecutor
from hive_acid.execution.executor import Executor
from hive_acid.execution.session_transaction import SessionTransaction
from hive_acid.hive_site import read_settings
from hive_acid.metastore.compaction_types import CompactionRequest
from hive_acid.metastore.security import Security
from hive_acid.metastore.thrift_client import ThriftMetastore
from hive_acid.model.table import TableName
from hive_acid.reading.readers import Readers
from hive_acid.reading.warehouse import Warehouse
from hive_acid.snapshot.acid_state import TableContent
from hive_acid.spark import hive_client, shim
from hive_acid.spark.cancellation import Cancellation
from hive_acid.spark.client_errors import ClientErrors
from hive_acid.spark.compaction import JvmCompactionEngine
from hive_acid.spark.connections import close_connection
from hive_acid.spark.jvm import JvmFileSystem, JvmJobs
from hive_acid.spark.lines import session_class
from hive_acid.spark.login import build_security
from hive_acid.spark.operators import Operators, requester_name
from hive_acid.spark.planner import Planner
from hive_acid.transactions.left_behind import abort_left_behind
from hive_acid.transactions.locks import Identity
from hive_acid.transactions.manager import TransactionManager
from hive_acid.transactions.unlocked_writers import OUR_AGENT
from hive_acid.transport import read_transport
from hive_acid.wire import codec
from hive_acid.writing.notes import Author, NoteWriter


def find_session_uris(session: SparkSession) -> str:
    """The metastore that Spark's own client of the session uses; empty if there is none."""
    jsession: Any = session._jsparkSession
    return jsession.sessionState().newHadoopConf().get("hive.metastore.uris") or ""


Register = Callable[[SparkSession, Planner], None]


def _register(session: SparkSession, planner: Planner) -> None:
    jvm: Any = session._jvm
    jvm.hiveacid.api.JvmApi.register(session._jsparkSession, planner)


_attached: dict[int, Attachment] = {}
_DRAIN_POLL_MS = 20


class Attachment:
    """The Python half of one Spark application: metastore client, transactions, callbacks."""

    def __init__(self, session: SparkSession, register: Register | None = None) -> None:
        """`register` tells the JVM whom it is to ask from now on; by default as the driver's own Python does."""
        jvm: Any = session._jvm
        jsession: Any = session._jsparkSession
        shim.refuse_other(jvm, session.version)
        uris = find_session_uris(session)
        if not uris:
            raise build_error("HIVE_ACID_CONFIGURATION.SESSION_WITHOUT_METASTORE")
        hadoop: Any = jsession.sessionState().newHadoopConf()
        site = read_settings()  # Spark does not put HIVE_CONF_DIR on its class path
        configured = dict(session.sparkContext.getConf().getAll())

        def hive_setting(name: str) -> str | None:
            return hadoop.get(name) or site.get(name)

        settings = config.Settings(configured).completed_by(hive_setting)
        transport = read_transport(hive_setting, settings.text(config.METASTORE_CA_FILE))
        security = build_security(jvm, transport, hive_setting, configured)
        self._identity = identity = _build_identity(session, security)
        self._cancellation = cancellation = Cancellation(session.sparkContext)
        pause_ms, timeout_ms = cancellation.pause_ms, settings.number(config.METASTORE_TIMEOUT_MS)
        self.metastore = ThriftMetastore(uris, timeout_ms=timeout_ms, pause_ms=pause_ms, security=security)
        self.file_system = file_system = JvmFileSystem(jvm.hiveacid.api.Storage(jsession))
        self.transactions = TransactionManager(
            self.metastore, identity, settings, monotonic_ms, pause_ms, clock.pause_ms, cancellation.check
        )
        warehouse = Warehouse(self.metastore, file_system, self.transactions)
        author = Author(session.sparkContext.appName or "", session.sparkContext.applicationId, identity.user)
        self._notes = notes = NoteWriter(author)
        initiator = f"{identity.host}-{session.sparkContext.applicationId}"
        asks = AfterWrite(self.metastore, file_system, initiator, wall_clock_ms)
        self.executor = Executor(warehouse, settings, pause_ms, asks, notes)
        ddl = DdlExecutor(warehouse, settings)
        created = CreatedTables(warehouse, settings)
        self.settings = settings
        max_age_ms = settings.number(config.READER_MAX_AGE_MS)
        idle_ms = settings.number(config.READER_IDLE_MS)
        jobs = JvmJobs(jvm.hiveacid.scan.ReadListener)
        self.readers = Readers(warehouse, max_age_ms, monotonic_ms, jobs, idle_ms)
        context = session.sparkContext
        self._engine = JvmCompactionEngine(jvm, context, lambda: jsession)
        self.running_compactions = self._engine.running
        pool = f"{STATEMENT_POOL_PREFIX}{uuid.uuid4().hex}"
        worker_name = f"{WORKER_PREFIX}{identity.host}-{pool[-8:]}"
        runner = SessionRunner(self.metastore, lambda chosen: self.build_worker(worker_name, chosen), pool, pause_ms)
        self.compactions = CompactionRequests(self.metastore, monotonic_ms, pause_ms, runner)
        self.requester = requester_name(identity)
        operators = Operators(self.metastore, self.compactions, settings, identity)
        self.planner = Planner(
            jvm, context, settings, self.metastore, self.executor, ddl, created, self.readers, operators, cancellation
        )
        cancellation.install()
        self._client_errors = ClientErrors(jvm, uris, security.login)
        self._client_errors.install()
        _start_callbacks(session)
        if (session.conf.get(hive_client.VERSION, None) or "").startswith("4."):
            hive_client.start_transaction_manager(session)
        (register or _register)(session, self.planner)

    def build_worker(self, name: str, settings: config.Settings | None = None) -> Worker:
        """A worker of compactions that the queue knows as `name`, under the application's settings or others."""
        chosen = settings or self.settings
        compactor = Compactor(self.metastore, self.file_system, self._engine, chosen, self._notes)
        version, running = f"spark-hive-acid {__version__}", self._cancellation.running
        return Worker(self.metastore, self.transactions, compactor, chosen, name, version, running)

    def compact_anew(self, request: CompactionRequest, settings: config.Settings) -> Outcome:
        """A compaction that is asked for and waited for. It can be cancelled as a statement of its thread can."""
        with self._cancellation.running():
            return self.compactions.compact_anew(request, settings)

    def end_transaction(self, transaction: SessionTransaction, error: BaseException | None) -> None:
        """Ends a transaction of several statements. Its commit may wait, and can be cancelled as a statement can."""
        with self._cancellation.running():
            self.executor.end_transaction(transaction, error)

    def find_content(self, table: TableName, session_settings: Mapping[str, str]) -> TableContent:
        return self.readers.content(table, self.settings.overridden_by(session_settings))

    def abort_left_behind(self) -> None:
        """Aborts what an earlier process of this application has left open; to be called before the first statement."""
        abort_left_behind(self.metastore, self._identity)

    def drain(self, reason: str, wait_ms: int) -> None:
        """Cancels all statements, and waits this long at most for their ends."""
        self._cancellation.cancel_all(reason)
        deadline = monotonic_ms() + wait_ms
        while not self._cancellation.is_idle() and monotonic_ms() < deadline:
            clock.pause_ms(_DRAIN_POLL_MS)

    def close(self) -> None:
        """Ends read transactions and connections."""
        self._client_errors.remove()
        self.readers.close()
        self.transactions.close()
        self.metastore.close()


def _build_identity(session: SparkSession, security: Security) -> Identity:
    """The name that a metastore with logins knows, else that of this process's user."""
    return Identity(
        security.user or getpass.getuser(), socket.gethostname(), f"{OUR_AGENT} {session.sparkContext.applicationId}"
    )


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
    session_class(jvm).setActiveSession(session._jsparkSession)


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
    jvm: Any = session._jvm
    kind: Any = Mapping[str, str]
    return dict(codec.read(kind, str(jvm.hiveacid.api.JvmApi.settings(session._jsparkSession))))
