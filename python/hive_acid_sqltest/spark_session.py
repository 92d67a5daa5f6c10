"""The runner's sessions on Spark. The only module of this package that knows Spark.

Rows become text by Spark's own code for golden files (HiveResult), and are sorted unless the query sorts them, as
Spark's SQLQueryTestHelper decides it.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from py4j.protocol import Py4JJavaError
from pyspark import SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from hive_acid.api.conditions import condition_of
from hive_acid.api.sessions import attach, configure, find_condition_of, find_session_uris, is_before, start_embedded
from hive_acid.api.settings import find_metastore_uris
from hive_acid_sqltest.failures import QueryContext, StatementFailed
from hive_acid_sqltest.input.values import Settings
from hive_acid_sqltest.session import Answer

_UNSORTING = frozenset({"Join", "Aggregate", "Generate", "Sample", "Distinct"})
_ORDERED = ("Describe", "Explain", "OperatorCommand")


def start_spark(metastore: str | None, warehouse: str) -> SparkSession:
    """A small local session on the metastore, or on that of the surroundings, or on an embedded one.

    `warehouse` is the folder of new databases, as a path or URI.
    """
    logging.getLogger("SQLQueryContextLogger").disabled = True  # errors are results here
    builder = (
        SparkSession.builder.master("local[2]")
        .appName("hive-acid sqltest")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.warehouse.dir", warehouse)
        .config("spark.log.level", "OFF")
    )
    return configure(builder, metastore=metastore).getOrCreate()


@contextmanager
def open_sessions(metastore: str | None, warehouse: str) -> Iterator[SparkSessions]:
    """Sessions on a Spark that is stopped afterwards; `start_spark` tells the arguments."""
    spark = start_spark(metastore, warehouse)
    try:
        yield SparkSessions(spark)
    finally:
        spark.stop()


@contextmanager
def join_sessions(metastore: str | None) -> Iterator[SparkSessions]:
    """Sessions on the Spark session that is active, and stays, or on one of their own as by `open_sessions`.

    Raises HIVE_ACID_CONFIGURATION if the active session was not set up by `hive_acid.configure`, or on a metastore
    other than the one given.
    """
    running = SparkSession.getActiveSession()
    if running is None:
        with (
            tempfile.TemporaryDirectory(prefix="sqltest-") as folder,
            open_sessions(metastore, Path(folder).as_uri()) as sessions,
        ):
            yield sessions
        return
    known = metastore or find_session_uris(running) or "none"
    yield SparkSessions(configure(SparkSession.builder, known).getOrCreate())


@contextmanager
def share_metastore(metastore: str | None) -> Iterator[str]:
    """The address of the metastore that `start_spark` would use, for several processes.

    An embedded one is stopped afterwards.
    """
    if known := metastore or find_metastore_uris():
        yield known
        return
    embedded = start_embedded()
    try:
        yield embedded.uri
    finally:
        embedded.stop()


class SparkSessions:
    """Opens sessions beside a given one: same context and metastore, own settings and temporary views."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark

    def open(self, settings: Settings) -> SparkTestSession:
        """A new session with these settings."""
        session = self._spark.newSession()
        session.conf.set("spark.sql.datetime.java8API.enabled", "true")  # the older classes round times before 1900
        for key, value in settings:
            session.conf.set(key, value)
        return SparkTestSession(session)

    def version(self, of: str) -> str:
        """The version of `spark`, or of the `metastore` as it calls itself (3.1.3 says "3.0")."""
        return self._spark.version if of == "spark" else attach(self._spark).metastore.version


class SparkTestSession:
    """A session that answers in text."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = cast(Any, spark)  # its JVM side has no types
        self._jvm = self._spark._jvm
        self._hive_result = self._jvm.org.apache.spark.sql.execution.HiveResult

    def run(self, statement: str) -> Answer:
        """Runs one statement to its end. Raises StatementFailed for an error of the statement, and nothing else."""
        try:
            with self._active():
                return self._answer(statement)
        except (PySparkException, Py4JJavaError) as error:
            raise build_failure(error) from error

    @contextmanager
    def _active(self) -> Iterator[None]:
        """Spark prints dates and times by the settings of the thread's active session."""
        sessions = self._jvm.org.apache.spark.sql.SparkSession
        previous = sessions.getActiveSession()
        sessions.setActiveSession(self._spark._jsparkSession)
        try:
            yield
        finally:
            if previous.isDefined():
                sessions.setActiveSession(previous.get())
            else:
                sessions.clearActiveSession()

    def _answer(self, statement: str) -> Answer:
        frame = self._spark.sql(statement)._jdf
        execution, schema = frame.queryExecution(), frame.schema()
        is_command = execution.commandExecuted().nodeName() == "CommandResult"
        if is_command:
            executed = execution.executedPlan()
        else:
            # collected once, in an execution of its own; HiveResult alone would run the plan outside of any
            rows = self._spark._jsparkSession.createDataFrame(frame.collectAsList(), schema)
            executed = rows.queryExecution().executedPlan()
        lines = _elements(self._hive_result.hiveResultString(executed))
        if not _is_sorted(execution.analyzed()):
            lines.sort()
        return Answer(schema.catalogString(), tuple(lines), is_command)

    def location(self, table: str) -> str:
        """Where the table lies, as a URI. Raises StatementFailed if there is no such table."""
        try:
            state = self._spark._jsparkSession.sessionState()
            name = state.sqlParser().parseTableIdentifier(table)
            return str(state.catalog().getTableMetadata(name).location().toString())
        except (PySparkException, Py4JJavaError) as error:
            raise build_failure(error) from error


def build_failure(error: PySparkException | Py4JJavaError) -> StatementFailed:
    """The error as it is recorded: the outermost one that has a condition, for that of a failed task is wrapped."""
    if isinstance(error, PySparkException) and getattr(error, "_origin", None) is None:
        parameters = error.getMessageParameters()
        return StatementFailed(str(error), type(error).__name__, condition_of(error), error.getSqlState(), parameters)
    outermost: Any = error.java_exception if isinstance(error, Py4JJavaError) else getattr(error, "_origin", None)
    gateway: Any = SparkContext._gateway
    cause = outermost
    while cause is not None:
        if (condition := find_condition_of(gateway, cause)) is not None:
            contexts = tuple(_context(context) for context in cause.getQueryContext() if _is_sql(context))
            name, parameters = cause.getClass().getName(), dict(cause.getMessageParameters())
            return StatementFailed(str(error), name, condition, cause.getSqlState(), parameters, contexts)
        cause = cause.getCause()
    return StatementFailed(str(error), outermost.getClass().getName())


def _is_sql(context: Any) -> bool:
    """Contexts before 4.0 have no type, for all are of SQL."""
    return is_before("4.0") or str(context.contextType().toString()) == "SQL"


def _context(context: Any) -> QueryContext:
    return QueryContext(context.startIndex() + 1, context.stopIndex() + 1, context.fragment())


def _elements(sequence: Any) -> list[Any]:
    return [sequence.apply(index) for index in range(sequence.size())]


def _is_sorted(plan: Any) -> bool:
    name = plan.getClass().getSimpleName()
    if name in _UNSORTING:
        return False
    if name.startswith(_ORDERED) or (name == "Sort" and getattr(plan, "global")()):
        return True
    return any(_is_sorted(child) for child in _elements(plan.children()))
