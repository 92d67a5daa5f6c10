"""A condition for errors of Spark's own client: the metastore does not answer, or has lost a table meanwhile.

Spark looks up a statement's tables before any of our rules sees it. Its error then is `_LEGACY_ERROR_TEMP_3065`, which
stands for everything that goes wrong in Hive's code, and the text is that of Hive with a stack trace in it. Nothing but
another catalog could raise something else there, so the error is named where PySpark takes it from the JVM.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from pyspark.errors.exceptions import captured

from hive_acid.errors import HiveAcidError, build_error
from hive_acid.errors.outcome import StatementOutcome, tell
from hive_acid.metastore.security import Login
from hive_acid.spark.login import KerberosLogin
from hive_acid.spark.throwables import build_throwable

SPARKS_CONDITION = "_LEGACY_ERROR_TEMP_3065"
"""The condition that HiveExternalCatalog.withClient raises."""
_METHOD = "Spark's own client"
_NOT_REACHED = re.compile(r"Could not connect to meta store using any of the URIs provided\. Most recent failure: (.+)")
_NOT_ANSWERED = re.compile(r"Caused by: (?:\S+: )?((?:\S+\.)?TTransportException.*)")
_NO_TABLE = re.compile(r"InvalidTableException: Table not found (\S+)")
_CAUSE = re.compile(r"^Caused by: (?:\S+: )?(.+)$", re.MULTILINE)
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


class ClientErrors:
    """Names such errors, in place of PySpark's own conversion of errors of the JVM, as long as it is installed."""

    def __init__(self, jvm: Any, uri: str, login: Login | None = None) -> None:
        """`login` is that of our own client, by the same ticket."""
        self._jvm = jvm
        self._login = login
        self._uri = uri
        self._convert: Convert = _PYSPARK.convert_exception

    def install(self) -> None:
        """From now on."""
        _PYSPARK.convert_exception = self.convert

    def remove(self) -> None:
        """PySpark's own again, unless somebody else has taken its place meanwhile."""
        if _PYSPARK.convert_exception == self.convert:
            _PYSPARK.convert_exception = self._convert

    def convert(self, error: Any) -> captured.CapturedException:
        """The exception of PySpark for a Throwable of the JVM's."""
        converted = self._convert(error)
        if converted.getCondition() != SPARKS_CONDITION:
            return converted
        trace = str(getattr(self._jvm, "org.apache.spark.util.Utils").exceptionString(error))
        named = self._find_named(trace)
        return converted if named is None else self._convert(build_throwable(self._jvm, named, error.getCause()))

    def _find_named(self, trace: str) -> HiveAcidError | None:
        failure, table = find_failure(trace), find_missing_table(trace)
        if failure is not None:
            named = self._find_login_failure(trace)
            named = named or build_error(
                "HIVE_ACID_METASTORE_UNAVAILABLE", uri=self._uri, method=_METHOD, reason=failure
            )
            tell(named, find_outcome(trace))
            return named
        return None if table is None else build_error("HIVE_ACID_TABLE_NOT_FOUND", table=table)

    def _find_login_failure(self, trace: str) -> HiveAcidError | None:
        if not isinstance(self._login, KerberosLogin):
            return None
        causes = [" ".join(found.split()).rstrip(".") for found in _CAUSE.findall(trace)]
        found = self._login.explain_other(causes)
        return None if found is None else build_error(found.condition, **found.params, uri=self._uri, method=_METHOD)
