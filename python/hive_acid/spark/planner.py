"""What the shim calls: one object, registered with the JVM once per session."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import wraps
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark import SparkContext
from pyspark.errors.exceptions.captured import CapturedException

from hive_acid.config import Settings
from hive_acid.errors import HiveAcidError, build_error, name_unexpected
from hive_acid.errors.outcome import StatementOutcome, find_outcome, tell, telling
from hive_acid.execution.created_tables import CreatedTable, CreatedTables
from hive_acid.execution.ddl import DdlExecutor, DdlStatement
from hive_acid.execution.dry_run_report import format_json
from hive_acid.execution.executor import Executor
from hive_acid.metastore.protocol import Metastore
from hive_acid.model.table import TableKind
from hive_acid.reading.evolution import find_evolution
from hive_acid.reading.json_release import find_json_release
from hive_acid.reading.readers import Readers, ReadTable
from hive_acid.reading.snapshot import ScannedSnapshot
from hive_acid.spark.cancellation import Cancellation
from hive_acid.spark.jvm import JvmEngine, close_connection, withdraw_connection
from hive_acid.spark.operators import Operators, describe_statement
from hive_acid.spark.requests import build_read_table, build_statement, parse_table_name
from hive_acid.sql import (
    ExplainedStatement,
    Respelling,
    RowWrites,
    TargetColumns,
    find_explained,
    find_operator_statement,
    respell,
    rewrite_statement,
)
from hive_acid.transactions.ddl_locks import DdlKind
from hive_acid.writing.engine import RowCounts
from hive_acid.writing.table_rules import refuse_row_changes

LOG = logging.getLogger(__name__)


def _format_found(found: Respelling | ExplainedStatement | None) -> str:
    return json.dumps(None if found is None else asdict(found))


def _answered(method: Callable[..., Any]) -> Callable[..., Any]:
    """Errors are returned as JVM Throwables: raised through py4j they would lose type and text."""

    @wraps(method)
    def answer(self: Planner, *args: Any) -> Any:
        try:
            return method(self, *args)
        except KeyboardInterrupt as error:
            # to the user's own frames; an answer would make it an error of the JVM, and an open connection one of py4j
            close_connection(self._context)
            interrupt = KeyboardInterrupt()  # without the frames of what it has interrupted
            for note in getattr(error, "__notes__", ()):
                interrupt.add_note(note)
            raise interrupt from None
        except BaseException as error:  # noqa: BLE001 (it goes back to the JVM, which throws it)
            tell(error, StatementOutcome.NOTHING_CHANGED)  # as long as nobody who knows more has told
            return self.throwable(error)
        finally:
            withdraw_connection(self._context)

    return answer


class Planner:
    """The Python half of `hiveacid.python.Planner`; texts are JSON, see the trait."""

    def __init__(
        self,
        jvm: Any,
        context: SparkContext,
        settings: Settings,
        metastore: Metastore,
        executor: Executor,
        ddl: DdlExecutor,
        created: CreatedTables,
        readers: Readers,
        operators: Operators,
        cancellation: Cancellation,
    ) -> None:
        self._jvm = jvm
        self._context = context
        self._bridge = jvm.hiveacid.api.JvmApi
        self._exception = jvm.hiveacid.errors.AcidException
        self._settings = settings
        self._metastore = metastore
        self._executor = executor
        self._ddl = ddl
        self._created = created
        self._readers = readers
        self._operators = operators
        self._cancellation = cancellation

    @_answered
    def rewrite(self, request: str) -> str:
        """Canonical statement to row-change query."""
        asked = json.loads(request)
        names = (asked[key] for key in ("dataColumns", "partitionColumns", "taken", "bucketing", "assigned"))
        rewritten = rewrite_statement(asked["statement"], TargetColumns.build(*names))
        if rewritten.writes is not RowWrites.INSERTS:
            operation = (
                "INSERT … REPLACE WHERE" if asked["statement"].startswith("INSERT") else asked["statement"].split()[0]
            )
            refuse_row_changes(operation, asked["table"], TableKind.of(asked["properties"]))
        return json.dumps({"query": rewritten.text, "writes": rewritten.writes.value, "stays": rewritten.stays})

    @_answered
    def respelling(self, text: str) -> str:
        """The text, in Hive's spelling, as Spark's parser takes it, but for lists of columns; null if it is none."""
        return _format_found(respell(text))

    @_answered
    def columnDefaults(self, table: str) -> str:  # noqa: N802 (the trait's name)
        """The DEFAULT of columns that have one, by name."""
        return json.dumps(self._metastore.column_defaults(parse_table_name(table)))

    @_answered
    def explainedStatement(self, text: str) -> str:  # noqa: N802 (the trait's name)
        """The statement behind EXPLAIN ACID; null if the text does not begin so."""
        return _format_found(find_explained(text))

    @_answered
    def operatorStatement(self, text: str) -> str:  # noqa: N802 (the trait's name)
        """A statement about transactions, locks or compactions; null if the text does not begin like one."""
        found = find_operator_statement(text)
        return json.dumps(found and {**describe_statement(found.statement), "explained": found.explained})

    @_answered
    def operate(self, request: str) -> str:
        """Runs such a statement: its rows."""
        with self._cancellation.running():
            return json.dumps(self._operators.run(json.loads(request)))

    @_answered
    def newTableLocation(self, table: str) -> str:  # noqa: N802 (the trait's name)
        """Where a new transactional table must lie; null for where Spark would put it."""
        return json.dumps(self._metastore.new_table_location(parse_table_name(table)))

    @_answered
    def partitionNames(self, request: str) -> str:  # noqa: N802 (the trait's name)
        """Names of all partitions of the table, not older than the snapshot that the scan will read."""
        asked = json.loads(request)
        read = build_read_table(asked)
        with self._cancellation.running(), telling(StatementOutcome.QUERY_FAILED):
            if "token" in asked:
                return json.dumps(self._snapshot(asked["token"], read).partition_names(read.name))
            return json.dumps(self._readers.partition_names(asked["executionId"], read, self._settings_of(asked)))

    @_answered
    def scan(self, request: str) -> str:
        """The scan plan in the snapshot of a statement (`token`) or of a read execution (`executionId`)."""
        asked = json.loads(request)
        read, partitions, with_row_ids = build_read_table(asked), asked.get("partitions"), asked["rowIds"]
        with self._cancellation.running(), telling(StatementOutcome.QUERY_FAILED):
            settings = self._settings_of(asked)
            if "token" in asked:
                plan = self._snapshot(asked["token"], read).scan_plan(read.name, partitions, with_row_ids)
            else:
                plan = self._readers.scan_plan(asked["executionId"], read, partitions, settings, with_row_ids)
            release = find_json_release(self._metastore, read.name) if asked["json"] else None
            return plan.to_json(find_evolution(settings, self._metastore.line), json_release=release)

    def _settings_of(self, asked: Mapping[str, Any]) -> Settings:
        return self._settings.overridden_by(asked["settings"])

    def _snapshot(self, token: str, read: ReadTable) -> ScannedSnapshot:
        """That of a running statement or transaction, in which the table is still what the scan was analysed on."""
        snapshot = self._executor.snapshots.get(token)
        if snapshot is None:
            raise build_error("HIVE_ACID_SNAPSHOT_UNAVAILABLE", table=read.name, reason="its statement has ended")
        snapshot.read_together(read.together)
        snapshot.ensure_same(read.analysed)
        return snapshot

    @_answered
    def execute(self, request: str, call: str) -> str:
        """Runs a writing statement."""
        asked = json.loads(request)
        statement = build_statement(asked)
        with self._cancellation.running():
            engine = JvmEngine(self._bridge, self._context, call, self._cancellation.check)
            if "transaction" in asked:
                counts = self._executor.run_within(asked["transaction"], statement, engine)
            else:
                counts = self._executor.run(statement, engine)
        return self._done(asked, counts)

    @_answered
    def dryRun(self, request: str, call: str) -> str:  # noqa: N802 (the trait's name)
        """What a writing statement would do: `facts`, pairs of texts, and `json`, the same in one text."""
        with self._cancellation.running():
            engine = JvmEngine(self._bridge, self._context, call, self._cancellation.check)
            dry_run = self._executor.dry_run(build_statement(json.loads(request)), engine)
        return json.dumps({"facts": dry_run.facts(), "json": format_json(dry_run)})

    @_answered
    def executeTogether(self, request: str, calls: str) -> str:  # noqa: N802 (the trait's name)
        """Runs writing statements as one."""
        asked = json.loads(request)
        statements = [build_statement(one) for one in asked]
        with self._cancellation.running():
            check = self._cancellation.check
            engines = [JvmEngine(self._bridge, self._context, call, check) for call in json.loads(calls)]
            counts = self._executor.run_together(list(zip(statements, engines, strict=True)))
        return self._done(asked[0], counts)

    @_answered
    def alter(self, request: str, call: str) -> str:
        """Runs a statement of Spark's own that alters tables, under their locks."""
        asked = json.loads(request)
        statement = DdlStatement(
            kind=DdlKind(asked["kind"]),
            tables=tuple(parse_table_name(table) for table in asked["tables"]),
            partitions=tuple(tuple(parts) for parts in asked["partitions"]),
            locations=tuple(asked["locations"]),
            settings=asked["settings"],
        )
        with self._cancellation.running():
            self._ddl.run(statement, lambda: self._bridge.alter(call))
        return "{}"

    @_answered
    def createdTable(self, table: str) -> str:  # noqa: N802 (the trait's name)
        """The identity of a table that has just been made."""
        with telling(StatementOutcome.TABLE_CREATED):
            return json.dumps(self._metastore.table_identity(parse_table_name(table)))

    @_answered
    def takeBack(self, request: str, call: str) -> str:  # noqa: N802 (the trait's name)
        """Has a table dropped that a failed statement has made, if it is nobody else's by now."""
        asked = json.loads(request)
        created = CreatedTable(parse_table_name(asked["table"]), asked["identity"], asked["settings"])
        with self._cancellation.running():
            self._created.take_back(created, lambda: self._bridge.alter(call), asked["failure"])
        return "{}"

    def _done(self, asked: Mapping[str, Any], counts: RowCounts) -> str:
        """The result row."""
        is_part = "transaction" in asked
        if "executionId" in asked:
            with telling(StatementOutcome.TRANSACTION_GOES_ON if is_part else StatementOutcome.COMMITTED):
                # a statement inside of another execution (foreachBatch): what is read there from now on sees it
                self._readers.end(asked["executionId"])
        return json.dumps(
            {
                "num_affected_rows": counts.affected,
                "num_updated_rows": counts.updated,
                "num_deleted_rows": counts.deleted,
                "num_inserted_rows": counts.inserted,
            }
        )

    @_answered
    def endExecution(self, execution_id: int) -> None:  # noqa: N802 (the trait's name)
        """Ends the execution's read transaction."""
        self._readers.end(execution_id)

    def throwable(self, error: BaseException) -> Any:
        """The JVM exception for an error: the original one where it came from the JVM."""
        origin = error.java_exception if isinstance(error, Py4JJavaError) else getattr(error, "_origin", None)
        if isinstance(error, Py4JJavaError | CapturedException) and origin is not None:
            cancelled = self._cancellation.name(origin)
            if cancelled is None:
                outcome = find_outcome(error)
                return origin if outcome is None else self._exception.told(origin, outcome.text)
            for note in getattr(error, "__notes__", ()):
                cancelled.add_note(note)
            error = cancelled
        if not isinstance(error, HiveAcidError):
            LOG.error("unexpected error in a callback", exc_info=error)
            error = name_unexpected(error)
        cause = error.__cause__.java_exception if isinstance(error.__cause__, Py4JJavaError) else None
        text = "\n".join([str(error), *getattr(error, "__notes__", [])])
        params = self._jvm.java.util.HashMap()
        for key, value in error.getMessageParameters().items():
            params.put(key, value)
        return self._exception.fromPython(text, error.getCondition(), error.getSqlState(), params, cause)

    class Java:
        """The interface, for py4j."""

        implements = ("hiveacid.python.Planner",)
