"""A condition for errors of Spark's own client: the metastore does not answer, denies it, or has lost a table.

Spark looks up a statement's tables before any of our rules sees it. Its error then is `_LEGACY_ERROR_TEMP_3065`, before
4.0 one without a condition, which stands for everything that goes wrong in Hive's code, and the text is that of Hive
with a stack trace in it. Nothing but another catalog could raise something else there, so the error is named where
PySpark takes it from the JVM. The error with a condition that a job of Spark 3.5 has failed by is found there, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from pyspark.errors.exceptions import captured

from hive_acid.bridge.throwables import build_throwable
from hive_acid.errors import HiveAcidError, build_error, condition_of
from hive_acid.errors.outcome import StatementOutcome, tell
from hive_acid.metastore.client.failures import find_denial
from hive_acid.metastore.transports.endpoints import parse_uris
from hive_acid.metastore.transports.security import Login
from hive_acid.spark_lines import is_before

SPARKS_CONDITION: Final = None if is_before("4.0") else "_LEGACY_ERROR_TEMP_3065"
"""The condition of the AnalysisException that HiveExternalCatalog.withClient raises."""
_WRAPS_CAUSES: Final = is_before("4.0")
"""An action raises a SparkException without a condition, whatever its job has failed by."""
_OWN_CLASS = "hiveacid.errors.AcidException"
_MOST_CAUSES = 20
_METHOD = "Spark's own client"
_NOT_REACHED = re.compile(r"Could not connect to meta store using any of the URIs provided\. Most recent failure: (.+)")
_NOT_ANSWERED = re.compile(r"Caused by: (?:\S+: )?((?:\S+\.)?TTransportException.*)")
_NO_TABLE = re.compile(r"InvalidTableException: Table not found (\S+)")
_CAUSE = re.compile(r"^Caused by: (?:\S+: )?(.+)$", re.MULTILINE)
_ANSWER = re.compile(r"\b\w+Exception\(message:(.+)")
"""An exception that the metastore's interface declares."""
_PACKAGES = re.compile(r"\b(?:[a-z]\w*\.)+(?=[A-Z])")
_COMMAND = "org.apache.spark.sql.execution.command.ExecutedCommandExec"

Convert = Callable[[Any], captured.CapturedException]
_PYSPARK: Any = captured


def find_failure(trace: str) -> str | None:
    """Why the metastore gave no answer, by the text of an error with its causes; None if that is not what it tells."""
    found = _NOT_REACHED.search(trace) or _NOT_ANSWERED.search(trace)
    return _PACKAGES.sub("", found[1]).strip().rstrip(".") if found else None


def find_outcome(trace: str) -> StatementOutcome:
    """A command may have done something, or asked the metastore for it, before its client got no answer."""
    return StatementOutcome.NOT_KNOWN if _COMMAND in trace else StatementOutcome.NOTHING_CHANGED


def find_missing_table(trace: str) -> str | None:
    """The table that was dropped or renamed between Spark's look and the statement itself; None if it tells of none."""
    found = _NO_TABLE.search(trace)
    return found[1].rstrip(".") if found else None


_CLIENTS_LOADER = "NonClosableMutableURLClassLoader"
"""In the name of the class that loads the classes of clients (IsolatedClientLoader.classLoader)."""


class ClientErrors:
    """Names such errors, in place of PySpark's own conversion of errors of the JVM, as long as it is installed."""

    def __init__(self, jvm: Any, uri: str, login: Login | None = None) -> None:
        """`login` is that of our own client, by the same ticket."""
        self._jvm = jvm
        self._loader = jvm.java.lang.Thread.currentThread().getContextClassLoader()
        self._login = login
        self._uri = uri
        self._convert: Convert = _PYSPARK.convert_exception

    def install(self) -> None:
        _PYSPARK.convert_exception = self.convert

    def remove(self) -> None:
        """PySpark's own again, unless somebody else has taken its place meanwhile."""
        if _PYSPARK.convert_exception == self.convert:
            _PYSPARK.convert_exception = self._convert

    def convert(self, error: Any) -> captured.CapturedException:
        """The exception of PySpark for a Throwable of the JVM's."""
        self._leave_clients_classes()
        converted = self._convert(error)
        if isinstance(converted, captured.UnknownException):
            return self._find_cause(error) or converted
        if not isinstance(converted, captured.AnalysisException) or condition_of(converted) != SPARKS_CONDITION:
            return converted
        trace = str(getattr(self._jvm, "org.apache.spark.util.Utils").exceptionString(error))
        named = self._find_named(trace)
        return converted if named is None else self._convert(build_throwable(self._jvm, named, error.getCause()))

    def _find_cause(self, error: Any) -> captured.CapturedException | None:
        """The error that a job has failed by, if it is of ours, or on Spark 3.5 any with a condition.

        Spark raises it in place of the job's since 4.0.
        """
        for cause in _list_causes(error):
            is_own = cause.getClass().getName() == _OWN_CLASS
            if is_own or _WRAPS_CAUSES:
                converted = self._convert(cause)
                if is_own or (not isinstance(converted, captured.UnknownException) and condition_of(converted)):
                    return converted
        return None

    def _leave_clients_classes(self) -> None:
        """A client that cannot be made leaves the thread with its own classes, which hold neither Spark nor Py4J.

        HiveClientImpl.withHiveState takes up the client's class loader, and connects outside of the `try` that would
        give it back (3.5 to 4.3).
        """
        thread = self._jvm.java.lang.Thread.currentThread()
        if _CLIENTS_LOADER in str(thread.getContextClassLoader().getClass().getName()):
            thread.setContextClassLoader(self._loader)

    def _find_named(self, trace: str) -> HiveAcidError | None:
        failure, table = find_failure(trace), find_missing_table(trace)
        if failure is not None:
            named = self._find_login_failure(trace)
            named = named or build_error(
                "HIVE_ACID_METASTORE_UNAVAILABLE", uri=self._uri, method=_METHOD, reason=failure
            )
            tell(named, find_outcome(trace))
            return named
        denial = next(filter(None, map(find_denial, _ANSWER.findall(trace))), None)
        if denial is not None:
            named = build_error("HIVE_ACID_METASTORE_DENIED", method=_METHOD, reason=denial)
            tell(named, find_outcome(trace))
            return named
        return None if table is None else build_error("HIVE_ACID_TABLE_NOT_FOUND", table=table)

    def _find_login_failure(self, trace: str) -> HiveAcidError | None:
        if self._login is None:
            return None
        causes = [" ".join(found.split()).rstrip(".") for found in _CAUSE.findall(trace)]
        found = self._login.explain_other(causes, parse_uris(self._uri)[0].host)
        return None if found is None else build_error(found.condition, **found.params, uri=self._uri, method=_METHOD)


def _list_causes(error: Any) -> Iterator[Any]:
    cause = error.getCause()
    for _ in range(_MOST_CAUSES):
        if cause is None:
            return
        yield cause
        cause = cause.getCause()
