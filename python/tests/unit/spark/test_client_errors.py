"""A metastore that does not answer Spark's own client has our condition; other errors stay Spark's."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import MagicMock

import pytest
from pyspark.errors.exceptions import captured

from hive_acid.errors.outcome import StatementOutcome
from hive_acid.session import client_errors
from hive_acid.session.client_errors import SPARKS_CONDITION, ClientErrors, find_failure

AWAY = """AnalysisException: org.apache.hadoop.hive.ql.metadata.HiveException: Unable to fetch table t.
\tat org.apache.spark.sql.catalyst.analysis.RelationResolution.resolveRelation(RelationResolution.scala:1)
Caused by: java.lang.RuntimeException: Unable to instantiate SessionHiveMetaStoreClient
Caused by: MetaException(message:Could not connect to meta store using any of the URIs provided. Most recent failure: \
org.apache.thrift.transport.TTransportException: java.net.ConnectException: Connection refused
\tat org.apache.thrift.transport.TSocket.open(TSocket.java:255)"""
SILENT = """AnalysisException: org.apache.hadoop.hive.ql.metadata.HiveException: Unable to alter table.
\tat org.apache.spark.sql.execution.command.ExecutedCommandExec.sideEffectResult(commands.scala:1)
Caused by: org.apache.thrift.transport.TTransportException: java.net.SocketTimeoutException: Read timed out
\tat org.apache.thrift.transport.TIOStreamTransport.read(TIOStreamTransport.java:127)"""
OTHER = """AnalysisException: org.apache.hadoop.hive.ql.metadata.HiveException: Unable to alter table.
Caused by: MetaException(message:Cannot change stats state for a transactional table)"""

DENIED = """AnalysisException: org.apache.hadoop.hive.ql.metadata.HiveException: Unable to fetch table t.
Caused by: MetaException(message:java.security.AccessControlException: Permission denied: user=mallory, \
path="file:/w/t":root:root:drwx------)"""
FOLDER_DENIED = "AnalysisException: java.io.IOException: Permission denied: /tmp/hive"


class Converted(captured.AnalysisException):
    def __init__(self, condition: str | None, text: str) -> None:
        self.condition, self.text = condition, text

    def getCondition(self) -> str | None:  # noqa: N802 (PySparkException's name)
        return self.condition

    getErrorClass = getCondition  # noqa: N815 (before 4.0)


def convert(error: Any) -> Any:
    """As PySpark's."""
    return Converted(error.condition, error.text)


@pytest.fixture
def errors(monkeypatch: pytest.MonkeyPatch) -> ClientErrors:
    monkeypatch.setattr(captured, "convert_exception", convert)
    jvm = MagicMock()
    getattr(jvm, "org.apache.spark.util.Utils").exceptionString = lambda error: error.text

    def build(text: str, condition: str, *_: object) -> Any:
        return SimpleNamespace(text=text, condition=condition)

    jvm.hiveacid.errors.AcidException.fromPython = build
    return ClientErrors(jvm, "thrift://there:9083")


@pytest.mark.parametrize(
    ("trace", "reason", "outcome"),
    [
        (AWAY, "TTransportException: ConnectException: Connection refused", StatementOutcome.NOTHING_CHANGED),
        (SILENT, "TTransportException: SocketTimeoutException: Read timed out", StatementOutcome.NOT_KNOWN),
    ],
)
def test_no_answer_is_named_and_says_what_became_of_the_statement(
    errors: ClientErrors, trace: str, reason: str, outcome: StatementOutcome
) -> None:
    errors.install()
    found: Any = captured.convert_exception(
        SimpleNamespace(condition=SPARKS_CONDITION, text=trace, getCause=lambda: None)  # type: ignore[arg-type]
    )
    assert found.condition == "HIVE_ACID_METASTORE_UNAVAILABLE"
    assert f"thrift://there:9083 did not answer Spark's own client: {reason}. " in found.text
    assert outcome.text in found.text


@pytest.mark.parametrize(("condition", "trace"), [(SPARKS_CONDITION, OTHER), ("TABLE_OR_VIEW_NOT_FOUND", AWAY)])
def test_other_errors_are_sparks(errors: ClientErrors, condition: str, trace: str) -> None:
    found: Any = errors.convert(SimpleNamespace(condition=condition, text=trace))
    assert (found.condition, found.text) == (condition, trace)
    assert find_failure(OTHER) is None


def test_what_the_metastore_denies_is_named(errors: ClientErrors) -> None:
    named = errors.convert(SimpleNamespace(condition=SPARKS_CONDITION, text=DENIED, getCause=lambda: None))
    assert named.condition == "HIVE_ACID_METASTORE_DENIED"
    assert "(Spark's own client): Permission denied: user=mallory, path=" in named.text
    other: Any = errors.convert(SimpleNamespace(condition=SPARKS_CONDITION, text=FOLDER_DENIED))
    assert other.text == FOLDER_DENIED


def test_a_client_that_could_not_be_made_does_not_keep_the_thread(errors: ClientErrors) -> None:
    """Its classes hold no Py4J, and PySpark's conversion would fail before it could tell why."""
    thread = cast(MagicMock, errors)._jvm.java.lang.Thread.currentThread()
    name = thread.getContextClassLoader().getClass().getName
    for loader, is_left in (
        ("org.apache.spark.sql.hive.client.NonClosableMutableURLClassLoader", True),
        ("other", False),
    ):
        name.return_value = loader
        thread.setContextClassLoader.reset_mock()
        errors.convert(SimpleNamespace(condition="OTHER", text=""))
        assert thread.setContextClassLoader.called == is_left


def test_it_is_gone_when_the_session_ends(errors: ClientErrors) -> None:
    errors.install()
    errors.remove()
    assert captured.convert_exception is convert
    captured.convert_exception = another = lambda error: convert(error)
    errors.remove()
    assert captured.convert_exception is another


def test_a_table_that_was_lost_between_a_look_and_the_statement_is_named(errors: ClientErrors) -> None:
    trace = "AnalysisException: org.apache.hadoop.hive.ql.metadata.InvalidTableException: Table not found parted"
    named = errors.convert(SimpleNamespace(condition=SPARKS_CONDITION, text=trace, getCause=lambda: None))
    assert (named.condition, named.text) == (
        "HIVE_ACID_TABLE_NOT_FOUND",
        "[HIVE_ACID_TABLE_NOT_FOUND] The metastore has no table parted. SQLSTATE: 42P01",
    )


class Throwable:
    """A Throwable of the JVM, of a class and with a condition, or with none."""

    def __init__(self, name: str, condition: str | None = None, cause: Throwable | None = None) -> None:
        self.name, self.condition, self.text, self.cause = name, condition, "", cause

    def getClass(self) -> Any:  # noqa: N802 (Java's name)
        return SimpleNamespace(getName=lambda: self.name)

    def getCause(self) -> Throwable | None:  # noqa: N802 (Java's name)
        return self.cause


class Unknown(captured.UnknownException):
    def __init__(self) -> None:
        """Without an error of a JVM."""


def convert_known(error: Any) -> Any:
    """As PySpark's, which has no class of its own for a job's error."""
    is_known = error.name in ("SparkRuntimeException", "hiveacid.errors.AcidException")
    return convert(error) if is_known else Unknown()


@pytest.mark.parametrize(
    ("causes", "wraps", "condition"),
    [
        ([("hiveacid.errors.AcidException", "HIVE_ACID_NULL_VALUE")], True, "HIVE_ACID_NULL_VALUE"),
        ([("hiveacid.errors.AcidException", "HIVE_ACID_NULL_VALUE")], False, "HIVE_ACID_NULL_VALUE"),
        ([("SparkRuntimeException", "MERGE_CARDINALITY_VIOLATION")], True, "MERGE_CARDINALITY_VIOLATION"),
        ([("IOException", None), ("SparkRuntimeException", "DIVIDE_BY_ZERO")], True, "DIVIDE_BY_ZERO"),
        ([("SparkRuntimeException", None), ("SparkRuntimeException", "DIVIDE_BY_ZERO")], True, "DIVIDE_BY_ZERO"),
        ([("SparkRuntimeException", "DIVIDE_BY_ZERO")], False, None),
        ([("IOException", None)], True, None),
        ([], True, None),
    ],
)
def test_what_a_job_has_failed_by_is_raised_in_its_place(
    monkeypatch: pytest.MonkeyPatch,
    errors: ClientErrors,
    causes: list[tuple[str, str | None]],
    wraps: bool,
    condition: str | None,
) -> None:
    monkeypatch.setattr(client_errors, "_WRAPS_CAUSES", wraps)
    monkeypatch.setattr(errors, "_convert", convert_known)
    cause = None
    for name, of_cause in reversed(causes):
        cause = Throwable(name, of_cause, cause)
    found: Any = errors.convert(Throwable("SparkException", None, cause))
    assert (None if isinstance(found, captured.UnknownException) else found.condition) == condition
