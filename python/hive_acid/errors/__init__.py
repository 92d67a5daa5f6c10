"""Errors with a named condition.

Templates and SQLSTATEs live in conditions.json, which the shim's jar carries too. No sentence of a refusal stands
elsewhere: code names a condition, or a sub-condition as `MAIN.SUB`, and gives its parameters. A template with
`<outcome>` tells the fate of the statement; see `outcome`.
"""

from __future__ import annotations

import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pyspark.errors import PySparkException

from hive_acid.errors.conditions import fill, find_condition
from hive_acid.errors.outcome import PARAMETER, find_outcome, tell


def format_message(condition: str, params: Mapping[str, str]) -> str:
    """`[CONDITION] text SQLSTATE: …`, Spark's form. Raises KeyError for a missing parameter."""
    found = find_condition(condition)
    return f"[{condition}] {fill(found.message, params).rstrip()} SQLSTATE: {found.sql_state}"


class HiveAcidError(PySparkException):
    """The base class. `condition` names an entry of conditions.json or a sub-condition, `params` fill its template.

    Raises KeyError for a main condition that is raised by its sub-conditions only.
    """

    def __init__(self, condition: str, params: Mapping[str, object] | None = None) -> None:
        self._acid_condition = condition
        self._acid_params = {key: str(value) for key, value in (params or {}).items()}
        if self.takes_outcome:
            self._acid_params.setdefault(PARAMETER, "")
        self._acid_message = format_message(condition, self._acid_params)
        super().__init__(self._acid_message)

    def __str__(self) -> str:
        return self._acid_message

    @property
    def takes_outcome(self) -> bool:
        """True if the message says what became of the statement."""
        return f"<{PARAMETER}>" in find_condition(self._acid_condition).message

    def show_outcome(self, text: str) -> None:
        """Puts the outcome into message and parameters, if they have one; for `outcome.tell`."""
        if self.takes_outcome:
            self._acid_params[PARAMETER] = text
            self._acid_message = self._message = format_message(self._acid_condition, self._acid_params)
            self.args = (self._acid_condition, dict(self._acid_params))

    def getCondition(self) -> str:  # noqa: N802 (PySparkException's name)
        """The condition, such as HIVE_ACID_LOCK_TIMEOUT, or `MAIN.SUB` with a sub-condition."""
        return self._acid_condition

    @property
    def main_condition(self) -> str:
        """The condition without its sub-condition."""
        return self._acid_condition.partition(".")[0]

    def getErrorClass(self) -> str:  # noqa: N802 (PySparkException's name)
        """The condition, by its older name."""
        return self._acid_condition

    def getMessageParameters(self) -> dict[str, str]:  # noqa: N802 (PySparkException's name)
        """The parameters of the message."""
        return dict(self._acid_params)

    def getSqlState(self) -> str:  # noqa: N802 (PySparkException's name)
        """The five-character SQLSTATE of the condition."""
        return find_condition(self._acid_condition).sql_state


class ConfigurationError(HiveAcidError):
    """The session or the metastore is configured wrongly."""


class InvalidStatement(HiveAcidError):
    """The statement names something that does not exist or makes no sense."""


class UnsupportedOperation(HiveAcidError):
    """The operation is not supported; nothing was read or changed."""


class LockTimeout(HiveAcidError):
    """Another client held a lock too long. Retryable."""


class WriteConflict(HiveAcidError):
    """Another client changed the same rows. Retryable."""


class TransactionAborted(HiveAcidError):
    """The metastore ended the transaction. Retryable."""

    @property
    def is_write_conflict(self) -> bool:
        """True if the metastore aborted the commit because another transaction had changed the same rows.

        The servers tell by their text alone (TxnHandler.commitTxn, CommitTxnFunction).
        """
        return "write conflict" in self.getMessageParameters()["reason"]


class StatementCancelled(HiveAcidError):
    """The statement was cancelled."""


class CommitStateUnknown(HiveAcidError):
    """It is unknown whether the commit happened. It is never retried, and the files are kept."""


class CompactionFailed(HiveAcidError):
    """A compaction that a statement waited for did not succeed, or did not end in time."""


class SnapshotUnavailable(HiveAcidError):
    """The files of the snapshot are gone; run the query again."""


class MetastoreUnavailable(HiveAcidError):
    """The metastore did not answer."""

    was_sent = True
    """False if no metastore was reached, so that the call cannot have been carried out."""


class MetastoreRefused(HiveAcidError):
    """The metastore answered with an error."""


class StorageError(HiveAcidError):
    """A file could not be read, written, renamed or removed."""


class ErasureRefused(HiveAcidError):
    """An erasure or the check of its certificate cannot continue."""


class LocalMetastoreError(HiveAcidError):
    """The embedded metastore, or a file from Maven Central, cannot be used. Nothing that existed was changed."""


_ALL: Sequence[type[HiveAcidError]] = [HiveAcidError, *HiveAcidError.__subclasses__()]
_CLASSES = {cls.__name__: cls for cls in _ALL}


def build_error(condition: str, **params: object) -> HiveAcidError:
    """The error of the class that conditions.json names for `condition`."""
    return _CLASSES[find_condition(condition).class_name](condition, params)


_LOST_RACE = "40001"
_LOST_RACES = frozenset({"HIVE_ACID_ERASURE.LINKS_CHANGED", "HIVE_ACID_ERASURE.PARTITIONS_CHANGED"})
"""Conditions that share their SQLSTATE with others, which are no lost races."""


def condition_of(error: PySparkException) -> str | None:
    """The condition of an error of PySpark or of this package. PySpark calls it a class before 4.0."""
    name = "getCondition" if hasattr(error, "getCondition") else "getErrorClass"
    found: str | None = getattr(error, name)()
    return found


def find_retryable(error: BaseException) -> str | None:
    """The condition of an error after which the same work may succeed, such as a conflict; None for other errors."""
    if not isinstance(error, PySparkException):
        return None
    condition = condition_of(error)
    return condition if error.getSqlState() == _LOST_RACE or condition in _LOST_RACES else None


def name_unexpected(error: BaseException) -> HiveAcidError:
    """HIVE_ACID_INTERNAL for an error that has no condition, with its stack trace and what is known of the outcome."""
    named = build_error("HIVE_ACID_INTERNAL", reason="".join(traceback.format_exception(error)).strip().rstrip("."))
    outcome = find_outcome(error)
    if outcome is not None:
        tell(named, outcome)
    return named


@dataclass(frozen=True)
class Refusal:
    """The reason of a refusal: a sub-condition, as `MAIN.SUB`, and the parameters of its part of the message."""

    condition: str
    params: Mapping[str, object] = field(default_factory=dict)

    def __str__(self) -> str:
        """The reason alone, as a clause."""
        params = {key: str(value) for key, value in self.params.items()}
        return fill(find_condition(self.condition).reason, params).removesuffix(".")

    def build_error(self, **params: object) -> HiveAcidError:
        """The error, given the parameters of the main condition's part."""
        return build_error(self.condition, **self.params, **params)


def build_refusal(condition: str, **params: object) -> Refusal:
    """A refusal with this sub-condition and the parameters of its part of the message."""
    return Refusal(condition, params)
