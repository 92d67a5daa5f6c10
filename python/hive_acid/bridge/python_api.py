"""The object that the shim calls, registered with the JVM once per session."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyspark import SparkContext

from hive_acid.bridge.answers import Answering, answered
from hive_acid.bridge.api_parts import ApiParts
from hive_acid.bridge.cancellation import Cancellation
from hive_acid.bridge.jvm import JvmEngine, is_true, run_job
from hive_acid.bridge.requests import build_read_table, build_statement, parse_table_name
from hive_acid.errors import build_error
from hive_acid.errors.outcome import StatementOutcome, telling
from hive_acid.execution.created_tables import CreatedTable
from hive_acid.execution.ddl import DdlStatement
from hive_acid.execution.dry_run_report import format_json
from hive_acid.history.reader import load_history
from hive_acid.metastore.server_settings import checks_capabilities
from hive_acid.model.table import TableKind, TableName
from hive_acid.reading.evolution import find_evolution
from hive_acid.reading.json_release import find_json_release
from hive_acid.reading.readers import ReadTable
from hive_acid.reading.snapshot import ScannedSnapshot
from hive_acid.sql.canonical import rewrite_statement
from hive_acid.sql.explain_acid import find_explained
from hive_acid.sql.hints import find_hint
from hive_acid.sql.hive_syntax import respell
from hive_acid.sql.operator_parsing import find_operator_statement
from hive_acid.sql.operator_statements import describe_statement
from hive_acid.sql.row_changes import TargetColumns
from hive_acid.wire import codec
from hive_acid.wire.catalogs import CatalogRequest
from hive_acid.wire.ddl_kinds import DdlKind
from hive_acid.wire.operators import OperatorRequest, OperatorRows
from hive_acid.wire.rewriting import RewriteRequest, RewrittenStatement
from hive_acid.wire.row_writes import RowWrites
from hive_acid.wire.scan_requests import ReadRequest, ScanRequest
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.wire.statements import AffectedRows, AlterRequest, DryRunAnswer, TakeBackRequest, WriteRequest
from hive_acid.wire.table_calls import TableQuestion
from hive_acid.writing.engine import RowCounts
from hive_acid.writing.table_rules import refuse_hidden_location, refuse_row_changes, refuse_unseen


class PythonApi(Answering):
    """The Python half of `hiveacid.python.PythonApi`; texts are messages of `hive_acid.wire`, see the trait."""

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
        self._readers = parts.readers
        self._operators = parts.operators
        self._find_catalog = find_catalog

    @answered
    def rewrite(self, request: str) -> str:
        """Canonical statement to row-change query."""
        asked = codec.read(RewriteRequest, request)
        columns = TargetColumns.build(
            asked.data_columns, asked.partition_columns, asked.taken, asked.bucketing, asked.assigned
        )
        rewritten = rewrite_statement(asked.statement, columns)
        if rewritten.writes is not RowWrites.INSERTS:
            word = asked.statement.split()[0]
            operation = StatementKind.REPLACE.title if word == StatementKind.INSERT.title else word
            refuse_row_changes(operation, str(asked.table), TableKind.of(asked.properties))
        return codec.write(RewrittenStatement(rewritten.text, rewritten.writes, rewritten.stays))

    @answered
    def respelling(self, text: str) -> str:
        """The text, in Hive's spelling, as Spark's parser takes it, but for lists of columns; null if it is none."""
        return codec.write(respell(text))

    @answered
    def columns(self, table: str) -> str:
        """Columns and partition columns as they are now."""
        found = self._metastore.table(parse_table_name(table))
        return codec.write((*found.columns, *found.partition_columns))

    @answered
    def columnDefaults(self, table: str) -> str:  # noqa: N802 (the trait's name)
        """The DEFAULT of columns that have one, by name."""
        return codec.write(self._metastore.column_defaults(parse_table_name(table)))

    @answered
    def explainedStatement(self, text: str) -> str:  # noqa: N802 (the trait's name)
        """The statement behind EXPLAIN ACID; null if the text does not begin so."""
        return codec.write(find_explained(text))

    @answered
    def operatorStatement(self, text: str) -> str:  # noqa: N802 (the trait's name)
        """A statement about transactions, locks or compactions; null if the text does not begin like one."""
        found = find_operator_statement(text)
        return codec.write(found and describe_statement(found.statement, found.explained))

    @answered
    def hint(self, text: str) -> str:
        """The Hint of a statement of other engines, which Spark's parser has refused; null if it is none."""
        return codec.write(find_hint(text))

    @answered
    def operate(self, request: str) -> str:
        """Runs such a statement: its rows."""
        with self._cancellation.running():
            return codec.write(OperatorRows(tuple(self._operators.run(codec.read(OperatorRequest, request)))))

    @answered
    def tableContent(self, question: str) -> str:  # noqa: N802 (the trait's name)
        """How much is to be read of a table now."""
        asked = codec.read(TableQuestion, question)
        with self._cancellation.running(), telling(StatementOutcome.QUERY_FAILED):
            return codec.write(self._readers.content(asked.table, self._settings.overridden_by(asked.settings)))

    @answered
    def tableHistory(self, question: str) -> str:  # noqa: N802 (the trait's name)
        """The notes of what was written into a table."""
        asked = codec.read(TableQuestion, question)
        with self._cancellation.running(), telling(StatementOutcome.QUERY_FAILED):
            return codec.write(load_history(self._metastore, self._file_system, asked.table, asked.limit))

    @answered
    def newTableLocation(  # noqa: N802 (the trait's name)
        self, table: str, is_insert_only: bool, location: str, usual: str
    ) -> str:
        """Where a new transactional table must lie; null for its LOCATION or, without one, where Spark puts it."""
        name = parse_table_name(table)
        if is_insert_only:
            self._refuse_unseen("CREATE TABLE", name)
        own = None if location else self._metastore.new_table_location(name)
        refuse_hidden_location("CREATE TABLE", name, location or own or usual)
        return codec.write(own)

    def _refuse_unseen(self, operation: str, name: TableName) -> None:
        """See there: a table that is to be insert-only."""
        if not self._client_sees_insert_only:
            refuse_unseen(operation, name, checks_capabilities(self._metastore.config_value))

    @answered
    def partitionNames(self, request: str) -> str:  # noqa: N802 (the trait's name)
        """Names of all partitions of the table, not older than the snapshot that the scan will read."""
        asked = codec.read(ReadRequest, request)
        read = build_read_table(asked)
        with self._cancellation.running(), telling(StatementOutcome.QUERY_FAILED):
            if asked.token is not None:
                return codec.write(self._snapshot(asked.token, read).partition_names(read.name))
            settings = self._settings.overridden_by(asked.settings)
            return codec.write(self._readers.partition_names(asked.execution_id, read, settings))

    @answered
    def scan(self, request: str) -> str:
        """The scan plan in the snapshot of a statement (`token`) or of a read execution (`executionId`)."""
        scan = codec.read(ScanRequest, request)
        asked, read = scan.read, build_read_table(scan.read)
        with self._cancellation.running(), telling(StatementOutcome.QUERY_FAILED):
            settings = self._settings.overridden_by(asked.settings)
            if asked.token is not None:
                plan = self._snapshot(asked.token, read).scan_plan(read.name, scan.partitions, scan.row_ids)
            else:
                plan = self._readers.scan_plan(asked.execution_id, read, scan.partitions, settings, scan.row_ids)
            release = find_json_release(self._metastore, read.name) if scan.json else None
            return codec.write(plan.message(find_evolution(settings, self._metastore.line), release))

    def _snapshot(self, token: str, read: ReadTable) -> ScannedSnapshot:
        """That of a running statement or transaction, in which the table is still what the scan was analysed on."""
        snapshot = self._executor.snapshots.get(token)
        if snapshot is None:
            raise build_error("HIVE_ACID_SNAPSHOT_UNAVAILABLE", table=read.name, reason="its statement has ended")
        snapshot.read_together(read.together)
        snapshot.ensure_same(read.analysed)
        return snapshot

    @answered
    def execute(self, request: str, call: str) -> str:
        """Runs a writing statement."""
        asked = codec.read(WriteRequest, request)
        statement = build_statement(asked)
        with self._cancellation.running():
            engine = JvmEngine(self._bridge, self._context, call, self._cancellation.check)
            if asked.transaction is not None:
                counts = self._executor.run_within(asked.transaction, statement, engine)
            else:
                counts = self._executor.run(statement, engine)
        return _affected(counts)

    @answered
    def dryRun(self, request: str, call: str) -> str:  # noqa: N802 (the trait's name)
        """The dry run of a writing statement: `facts`, pairs of texts, and `json`, the same in one text."""
        with self._cancellation.running():
            engine = JvmEngine(self._bridge, self._context, call, self._cancellation.check)
            dry_run = self._executor.dry_run(build_statement(codec.read(WriteRequest, request)), engine)
        return codec.write(DryRunAnswer(tuple(dry_run.facts()), format_json(dry_run)))

    @answered
    def executeTogether(self, request: str, calls: str) -> str:  # noqa: N802 (the trait's name)
        """Runs writing statements as one."""
        asked = codec.read(tuple[WriteRequest, ...], request)
        statements = [build_statement(one) for one in asked]
        with self._cancellation.running():
            check = self._cancellation.check
            keys = codec.read(tuple[str, ...], calls)
            engines = [JvmEngine(self._bridge, self._context, key, check) for key in keys]
            counts = self._executor.run_together(list(zip(statements, engines, strict=True)))
        return _affected(counts)

    @answered
    def alter(self, request: str, call: str) -> str:
        """Runs a statement of Spark's own that alters tables, under their locks."""
        asked = codec.read(AlterRequest, request)
        statement = DdlStatement(
            asked.kind, asked.tables, asked.partitions, asked.locations, asked.new_name, asked.settings
        )
        with self._cancellation.running():
            if asked.kind is DdlKind.CONVERT_TO_INSERT_ONLY:
                self._refuse_unseen("SET TBLPROPERTIES ('transactional_properties'='insert_only')", asked.tables[0])
            self._ddl.run(statement, lambda: self._alter(call), lambda: self._still_alters(call))
        return "{}"

    def _alter(self, call: str) -> None:
        run_job(self._context, call, lambda: self._bridge.alter(call))

    def _still_alters(self, call: str) -> bool:
        return is_true(lambda: self._bridge.stillAlters(call))

    @answered
    def createdTable(self, table: str) -> str:  # noqa: N802 (the trait's name)
        """The identity of a table that has just been made."""
        with telling(StatementOutcome.TABLE_CREATED):
            return codec.write(self._metastore.table_identity(parse_table_name(table)))

    @answered
    def takeBack(self, request: str, call: str) -> str:  # noqa: N802 (the trait's name)
        """Has a table dropped that a failed statement has made, if it is nobody else's by now."""
        asked = codec.read(TakeBackRequest, request)
        created = CreatedTable(asked.table, asked.identity, asked.settings)
        with self._cancellation.running():
            drop, is_running = (lambda: self._alter(call)), (lambda: self._still_alters(call))
            self._created.take_back(created, drop, asked.failure, is_running)
        return "{}"

    @answered
    def ofCatalog(self, request: str) -> PythonApi:  # noqa: N802 (the trait's name)
        """The one of a catalog that has a metastore of its own."""
        if self._find_catalog is None:
            raise build_error("HIVE_ACID_INTERNAL", reason="a catalog's python_api was asked for another catalog")
        return self._find_catalog(codec.read(CatalogRequest, request))

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


def _affected(counts: RowCounts) -> str:
    """The result row."""
    return codec.write(AffectedRows(counts.affected, counts.updated, counts.deleted, counts.inserted))
