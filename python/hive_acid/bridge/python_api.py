"""The object that the shim calls, registered with the JVM once per session."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pyspark import SparkContext

from hive_acid.bridge.answers import answered, cancellable
from hive_acid.bridge.api_parts import ApiParts
from hive_acid.bridge.cancellation import Cancellation
from hive_acid.bridge.jvm import JvmEngine, is_true, run_job
from hive_acid.bridge.texts import TextAnswers
from hive_acid.errors import build_error
from hive_acid.errors.outcome import StatementOutcome, telling
from hive_acid.metastore.server_settings import checks_capabilities
from hive_acid.model.table import Column, TableName
from hive_acid.reading.evolution import find_evolution
from hive_acid.reading.json_release import find_json_release
from hive_acid.reading.snapshot import ScannedSnapshot
from hive_acid.snapshot.acid_state import TableContent
from hive_acid.transactions.other_commands import refuse_other
from hive_acid.wings import load_wing
from hive_acid.wire import codec
from hive_acid.wire.catalogs import CatalogRequest
from hive_acid.wire.ddl_kinds import DdlKind
from hive_acid.wire.new_tables import NewTable
from hive_acid.wire.operators import OperatorAnswer, OperatorRequest, OtherCommand
from hive_acid.wire.scan_plan import TableScan
from hive_acid.wire.scan_requests import ReadRequest, ReadTable, ScanRequest
from hive_acid.wire.statements import AddedColumns, CreatedTable, DdlStatement, DryRunAnswer, Statement, StatementAnswer
from hive_acid.wire.table_calls import TableQuestion
from hive_acid.writing.new_tables import find_new_table_fault
from hive_acid.writing.table_rules import refuse_hidden_location, refuse_unseen


class PythonApi(TextAnswers):
    """The Python implementation of the Scala trait `hiveacid.python.PythonApi`."""

    def __init__(
        self,
        jvm: Any,
        context: SparkContext,
        parts: ApiParts,
        cancellation: Cancellation,
        find_catalog: Callable[[CatalogRequest], PythonApi] | None = None,
        *,
        client_sees_insert_only: bool = True,
    ) -> None:
        """`find_catalog` finds the one of a catalog that has a metastore of its own.

        `client_sees_insert_only`: the Hive client of Spark's catalog is shown insert-only tables by every metastore.
        """
        super().__init__(jvm, context, cancellation)
        self._client_sees_insert_only = client_sees_insert_only
        self._bridge = jvm.hiveacid.api.JvmApi
        self._settings = parts.settings
        self._metastore = parts.metastore
        self._file_system = parts.file_system
        self._executor = parts.executor
        self._ddl = parts.ddl
        self._created = parts.created
        self._added = parts.added
        self._readers = parts.readers
        self._operators = parts.operators
        self._find_catalog = find_catalog

    @answered
    def columns(self, table: TableName) -> tuple[Column, ...]:
        """Columns and partition columns as they are now."""
        found = self._metastore.table(table)
        return (*found.columns, *found.partition_columns)

    @answered
    def currentPartitions(self, table: TableName) -> Sequence[str]:  # noqa: N802 (the trait's name)
        """The names of all partitions as they are now."""
        return self._metastore.partition_names(table)

    @answered
    def columnDefaults(self, table: TableName) -> Mapping[str, str]:  # noqa: N802 (the trait's name)
        """The DEFAULT of columns that have one, by name."""
        return self._metastore.column_defaults(table)

    @answered
    @cancellable
    def operate(self, asked: OperatorRequest) -> OperatorAnswer:
        """Runs such a statement."""
        return self._operators.run(asked)

    @answered
    def admit(self, command: OtherCommand) -> None:
        """Refuses a command of others that the session's transaction does not admit."""
        running = self._executor.find_transaction(command.transaction)
        settings = self._settings.overridden_by(command.settings)
        shown_id = "(ended)" if running is None else running.shown_id
        refuse_other(command.node, shown_id, settings, is_temporary=command.is_temporary)

    @answered
    def abandon(self, token: str) -> None:
        """Undoes a transaction whose session has ended."""
        self._operators.abandon(token)

    @answered
    @cancellable
    @telling(StatementOutcome.QUERY_FAILED)
    def tableContent(self, asked: TableQuestion) -> TableContent:  # noqa: N802 (the trait's name)
        """How much is to be read of a table now."""
        return self._readers.content(asked.table, self._settings.overridden_by(asked.settings))

    @answered
    @cancellable
    @telling(StatementOutcome.QUERY_FAILED)
    def tableHistory(self, asked: TableQuestion) -> Sequence[object]:  # noqa: N802 (the trait's name)
        """The notes of what was written into a table, the newest first: entries of the wing of operators."""
        reader = load_wing("hive_acid_ops.history.reader", "the history of a table")
        entries: Sequence[object] = reader.load_history(self._metastore, self._file_system, asked.table, asked.limit)
        return entries

    @answered
    def newTable(self, new: NewTable) -> str | None:  # noqa: N802 (the trait's name)
        """Where a new transactional table must lie; None for its LOCATION or, without one, where Spark puts it."""
        if refusal := find_new_table_fault(new):
            operation = "CREATE EXTERNAL TABLE" if new.is_external else "CREATE TABLE"
            raise refusal.build_error(operation=operation, table=new.table)
        if new.is_insert_only:
            self._refuse_unseen("CREATE TABLE", new.table)
        own = None if new.location else self._metastore.new_table_location(new.table)
        refuse_hidden_location("CREATE TABLE", new.table, new.location or own or new.usual_location or "")
        return own

    def _refuse_unseen(self, operation: str, name: TableName) -> None:
        """See there: a table that is to be insert-only."""
        if not self._client_sees_insert_only:
            refuse_unseen(operation, name, checks_capabilities(self._metastore.config_value))

    @answered
    @cancellable
    @telling(StatementOutcome.QUERY_FAILED)
    def partitionNames(self, asked: ReadRequest) -> Sequence[str]:  # noqa: N802 (the trait's name)
        """Names of all partitions of the table, not older than the snapshot that the scan will read."""
        if asked.token is not None:
            return self._snapshot(asked.token, asked.table).partition_names(asked.table.name)
        settings = self._settings.overridden_by(asked.settings)
        return self._readers.partition_names(asked.execution_id, asked.table, settings)

    @answered
    @cancellable
    @telling(StatementOutcome.QUERY_FAILED)
    def scan(self, scan: ScanRequest) -> TableScan:
        """The scan plan in the snapshot of a statement (`token`) or of a read execution (`execution_id`)."""
        asked, read = scan.read, scan.read.table
        settings = self._settings.overridden_by(asked.settings)
        if asked.token is not None:
            plan = self._snapshot(asked.token, read).scan_plan(read.name, scan.partitions, scan.row_ids)
        else:
            plan = self._readers.scan_plan(asked.execution_id, read, scan.partitions, settings, scan.row_ids)
        release = find_json_release(self._metastore, read.name) if scan.json else None
        return plan.message(find_evolution(settings, self._metastore.line), release)

    def _snapshot(self, token: str, read: ReadTable) -> ScannedSnapshot:
        """That of a running statement or transaction, in which the table is still what the scan was analysed on."""
        snapshot = self._executor.snapshots.get(token)
        if snapshot is None:
            raise build_error("HIVE_ACID_SNAPSHOT_UNAVAILABLE", table=read.name, reason="its statement has ended")
        snapshot.read_together(read.together)
        snapshot.ensure_same(read.analysed)
        return snapshot

    @answered
    @cancellable
    def execute(self, statement: Statement, call: str) -> StatementAnswer:
        """Runs a writing statement."""
        engine = self._engine(call)
        if statement.transaction is not None:
            return self._executor.run_within(statement.transaction, statement, engine)
        return self._executor.run(statement, engine)

    @answered
    @cancellable
    def dryRun(self, statement: Statement, call: str) -> DryRunAnswer:  # noqa: N802 (the trait's name)
        """The dry run of a writing statement: `facts`, pairs of texts, and `json`, the same in one text."""
        dry_run = self._executor.dry_run(statement, self._engine(call))
        return DryRunAnswer(tuple(dry_run.facts()), codec.write(dry_run))

    @answered
    @cancellable
    def executeTogether(  # noqa: N802 (the trait's name)
        self, statements: tuple[Statement, ...], calls: tuple[str, ...]
    ) -> StatementAnswer:
        """Runs writing statements as one."""
        engines = [self._engine(call) for call in calls]
        return self._executor.run_together(list(zip(statements, engines, strict=True)))

    def _engine(self, call: str) -> JvmEngine:
        return JvmEngine(self._bridge, self._context, call, self._cancellation.check)

    @answered
    @cancellable
    def alter(self, statement: DdlStatement, call: str) -> None:
        """Runs a statement of Spark's own that alters tables, under their locks."""
        if statement.kind is DdlKind.CONVERT_TO_INSERT_ONLY:
            self._refuse_unseen("SET TBLPROPERTIES ('transactional_properties'='insert_only')", statement.tables[0])
        self._ddl.run(statement, lambda: self._alter(call), lambda: self._still_alters(call))

    def _alter(self, call: str) -> None:
        run_job(self._context, call, lambda: self._bridge.alter(call))

    def _still_alters(self, call: str) -> bool:
        return is_true(lambda: self._bridge.stillAlters(call))

    @answered
    @cancellable
    def addColumns(self, addition: DdlStatement, call: str) -> AddedColumns:  # noqa: N802 (the trait's name)
        """Adds columns for a statement that is about to run."""
        state = self._added.add(addition, lambda: self._alter(call), lambda: self._still_alters(call))
        return AddedColumns(addition, state.identity, state.write_id, "")

    @answered
    @cancellable
    def takeColumnsBack(self, added: AddedColumns, call: str) -> None:  # noqa: N802 (the trait's name)
        """Removes columns that were added for a statement that has failed, if nobody has written to the table since."""
        self._added.take_back(added, lambda: self._alter(call), lambda: self._still_alters(call))

    @answered
    @telling(StatementOutcome.TABLE_CREATED)
    def createdTable(self, table: TableName) -> str:  # noqa: N802 (the trait's name)
        """The identity of a table that has just been made."""
        return self._metastore.table_identity(table)

    @answered
    @cancellable
    def takeBack(self, created: CreatedTable, call: str) -> None:  # noqa: N802 (the trait's name)
        """Has a table dropped that a failed statement has made, if it is nobody else's by now."""
        self._created.take_back(created, lambda: self._alter(call), lambda: self._still_alters(call))

    @answered
    def ofCatalog(self, asked: CatalogRequest) -> PythonApi:  # noqa: N802 (the trait's name)
        """The one of a catalog that has a metastore of its own."""
        if self._find_catalog is None:
            raise build_error("HIVE_ACID_INTERNAL", reason="a catalog's python_api was asked for another catalog")
        return self._find_catalog(asked)

    @answered
    def endExecution(self, execution_id: int) -> None:  # noqa: N802 (the trait's name)
        """Ends the execution's read transaction."""
        self._readers.end(execution_id)

    @answered
    def cancel(self, tag: str, reason: str) -> None:
        """Ends the calls whose jobs have this tag."""
        self._cancellation.cancel_tag(tag, reason)

    class Java:
        """The interface, for py4j."""

        implements = ("hiveacid.python.PythonApi",)
