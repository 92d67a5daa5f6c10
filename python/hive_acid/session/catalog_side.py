"""The Python half of one catalog: the client of its metastore, its transactions, and who runs its statements."""

from __future__ import annotations

import socket
import uuid
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, ClassVar

from py4j.protocol import Py4JError
from pyspark.sql import SparkSession

from hive_acid import __version__, clock, config
from hive_acid.bridge.api_parts import ApiParts
from hive_acid.bridge.cancellation import Cancellation
from hive_acid.bridge.compaction import JvmCompactionEngine
from hive_acid.bridge.jvm import JvmFileSystem, JvmJobs
from hive_acid.bridge.operators import Operators, requester_name
from hive_acid.clock import monotonic_ms, wall_clock_ms
from hive_acid.compaction.after_write import AfterWrite
from hive_acid.compaction.compactor import Compactor
from hive_acid.compaction.queue.liveness import STATEMENT_POOL_PREFIX, WORKER_PREFIX
from hive_acid.compaction.queue.requests import CompactionRequests, RequestOutcome
from hive_acid.compaction.queue.session_runner import SessionRunner
from hive_acid.compaction.queue.worker import Worker
from hive_acid.execution.added_columns import ColumnAdditions
from hive_acid.execution.created_tables import CreatedTables
from hive_acid.execution.ddl import DdlExecutor
from hive_acid.execution.executor import Executor
from hive_acid.execution.session_transaction import SessionTransaction
from hive_acid.hive_settings import HiveSetting
from hive_acid.metastore.absent import AbsentMetastore
from hive_acid.metastore.catalog_names import DEFAULT_CATALOG
from hive_acid.metastore.client.calls import find_user
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.metastore.compaction_types import CompactionKind, CompactionRequest
from hive_acid.metastore.transports.patience import Waits
from hive_acid.metastore.transports.security import build_security
from hive_acid.model.table import TableName
from hive_acid.operators.session_transactions import SessionTransactions
from hive_acid.reading.readers import Readers
from hive_acid.reading.warehouse import Warehouse
from hive_acid.transactions.locks import OUR_AGENT, Identity, Timing
from hive_acid.transactions.manager import TransactionManager
from hive_acid.transport import read_transport
from hive_acid.wings import is_there, load_wing
from hive_acid.wire.catalogs import CatalogRequest
from hive_acid.writing.notes import Author, NoteWriter
from hive_acid.writing.publishing.local_files import runs_on_one_machine

_METASTORES_CATALOG = ("metastore.catalog.default", "hive.metastore.catalog.default")


class CatalogSide:
    """Everything that serves the tables of one metastore in one Spark application."""

    client: ClassVar[type[ThriftMetastore]] = ThriftMetastore
    """The class of its client of the metastore."""

    def __init__(
        self,
        session: SparkSession,
        uris: str,
        hive_setting: HiveSetting,
        configured: Mapping[str, str],
        cancellation: Cancellation,
        *,
        asked: CatalogRequest | None = None,
    ) -> None:
        """`uris` is empty if there is no metastore: then only what needs none can be asked.

        `hive_setting` knows Hive's settings, `configured` Spark's and ours, as this catalog has them. `asked`
        is None for Spark's own catalog.
        """
        jvm: Any = session._jvm
        jsession: Any = session._jsparkSession
        self.settings = settings = config.Settings(configured).completed_by(hive_setting)
        transport = read_transport(hive_setting, settings.text(config.METASTORE_CA_FILE))
        self.security = security = build_security(jvm, transport, hive_setting, configured)
        user = security.user or find_jvm_user(jvm)
        self.identity = identity = Identity(
            user, socket.gethostname(), f"{OUR_AGENT} {session.sparkContext.applicationId}"
        )
        self._cancellation = cancellation
        pause_ms = cancellation.pause_ms
        absent: Any = AbsentMetastore()
        how: Any = {
            "timeout_ms": settings.number(config.METASTORE_TIMEOUT_MS),
            "waits": Waits(pause_ms, settings.number(config.METASTORE_CONNECT_TIMEOUT_MS)),
            "security": security,
            "user": user,
            "catalog": find_metastores_catalog(asked),
        }
        self.metastore: ThriftMetastore = self.client(uris, **how) if uris else absent
        if uris:
            self.metastore.refuse_servers_catalog()
        is_one_machine = runs_on_one_machine(session.sparkContext.master or "")
        storage = jvm.hiveacid.storage.Storage(jsession)
        self.file_system = file_system = JvmFileSystem(storage, tasks_see_local_files=is_one_machine)
        timing = Timing(monotonic_ms, pause_ms, clock.pause_ms, cancellation.check)
        self.transactions = TransactionManager(self.metastore, identity, settings, timing)
        if is_there("hive_acid_ops.waiting_line"):
            waiting = load_wing("hive_acid_ops.waiting_line", "a line about waiting")
            self.transactions.tell_waiting = waiting.find_listener()
        self.warehouse = warehouse = Warehouse(self.metastore, file_system, self.transactions)
        self._sessions: Any = jvm.hiveacid.scan.SessionTransactions
        context = session.sparkContext
        author = Author(context.appName or "", context.applicationId, identity.user)
        self.notes = notes = NoteWriter(author)
        asks = AfterWrite(self.metastore, file_system, f"{identity.host}-{context.applicationId}", wall_clock_ms)
        self.executor = Executor(warehouse, settings, pause_ms, asks, notes)
        if self.transactions.tell_waiting is not None:
            self.executor.follow = waiting.LongPhases(self.transactions.tell_waiting)
        if is_there("hive_acid_ops.tracing"):
            self.executor.observe = load_wing("hive_acid_ops.tracing", "spans of statements").observe
        self._engine = JvmCompactionEngine(jvm, context, lambda: jsession)
        self.running_compactions = self._engine.running
        self.readers = _build_readers(warehouse, settings, jvm)
        self.compactions = self._build_compactions()
        self.requester = requester_name(identity)
        self.parts = ApiParts(
            settings,
            self.metastore,
            file_system,
            self.executor,
            ddl := DdlExecutor(warehouse, settings),
            CreatedTables(warehouse, settings),
            ColumnAdditions(warehouse, ddl, settings),
            self.readers,
            Operators(
                warehouse,
                self.readers,
                self.compactions,
                settings,
                identity,
                self._build_transactions(),
            ),
        )

    def _build_transactions(self) -> SessionTransactions:
        def end(transaction: SessionTransaction) -> None:
            self.end_transaction(transaction, None)

        return SessionTransactions(self.executor, end, self._tell_end)

    def _tell_end(self, token: str) -> None:
        with suppress(Py4JError, OSError):  # the JVM may be gone, and its sessions with it
            self._sessions.end(token)

    def _build_compactions(self) -> CompactionRequests:
        pause_ms = self._cancellation.pause_ms
        pool = f"{STATEMENT_POOL_PREFIX}{uuid.uuid4().hex}"
        worker_name = f"{WORKER_PREFIX}{self.identity.host}-{pool[-8:]}"
        runner = SessionRunner(self.metastore, lambda chosen: self.build_worker(worker_name, chosen), pool, pause_ms)
        return CompactionRequests(self.metastore, monotonic_ms, pause_ms, runner)

    def build_worker(self, name: str, settings: config.Settings | None = None) -> Worker:
        """A worker of compactions that the queue knows as `name`, under the application's settings or others."""
        chosen = settings or self.settings
        compactor = Compactor(self.metastore, self.file_system, self._engine, chosen, self.notes)
        version, running = f"spark-hive-acid {__version__}", self._cancellation.running
        return Worker(self.transactions, compactor, chosen, name, version, running)

    def compact_anew(self, table: TableName, partition: str | None, settings: config.Settings) -> RequestOutcome:
        """A major compaction that has begun after this call, once it has ended.

        It can be cancelled as a statement of its thread can. Raises what a statement that waits for one does.
        """
        request = CompactionRequest(table, CompactionKind.MAJOR, partition, initiator=self.requester)
        with self._cancellation.running():
            return self.compactions.compact_anew(request, settings)

    def end_transaction(self, transaction: SessionTransaction, error: BaseException | None) -> None:
        """Ends a transaction of several statements, and tells the JVM.

        Its commit may wait, and can be cancelled as a statement can.
        """
        try:
            with self._cancellation.running():
                self.executor.end_transaction(transaction, error)
        finally:
            self._tell_end(transaction.token)

    def close(self) -> None:
        """Ends transactions and connections."""
        self.executor.close()
        self.readers.close()
        self.transactions.close()
        self.metastore.close()


def find_metastores_catalog(asked: CatalogRequest | None) -> str:
    """The metastore's own catalog that is meant: `hive` unless an option says another, or if it is Spark's own catalog.

    Settings of the session do not count, as Spark's client of the session's own metastore knows no catalogs.
    """
    options = asked.options if asked else {}
    named = next(filter(None, map(options.get, _METASTORES_CATALOG)), DEFAULT_CATALOG)
    return named.strip().lower()


def find_jvm_user(jvm: Any) -> str:
    """The JVM's user, for whom its own client of the metastore acts where there is no login.

    That is Hadoop's: HADOOP_USER_NAME, the one that `--proxy-user` names, else the user of the process. A JVM that
    cannot tell it has the user of Hadoop's simple authentication.
    """
    try:
        return str(jvm.hiveacid.api.MetastoreLogin.userName())
    except Py4JError:
        return find_user()


def _build_readers(warehouse: Warehouse, settings: config.Settings, jvm: Any) -> Readers:
    max_age_ms, idle_ms = settings.number(config.READER_MAX_AGE_MS), settings.number(config.READER_IDLE_MS)
    return Readers(warehouse, max_age_ms, monotonic_ms, JvmJobs(jvm.hiveacid.scan.SnapshotHolders), idle_ms)
