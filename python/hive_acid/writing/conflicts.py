"""A lost race: what a statement has read is no longer so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hive_acid import config
from hive_acid.errors import HiveAcidError, Refusal, SnapshotUnavailable, build_error, build_refusal
from hive_acid.model.table import TableName
from hive_acid.writing.kept_lock import KeptLock


class Conflict(Exception):
    """The snapshot no longer serves; the statement runs again in a new transaction, behind `kept_lock` if any."""

    kept_lock: KeptLock | None = None

    def __init__(self, txn_id: int, condition: str, **told: object) -> None:
        """`condition` is a sub-condition of HIVE_ACID_WRITE_CONFLICT, `told` are the parameters of its own part."""
        self._refusal = build_refusal(condition, **told)
        super().__init__(str(self._refusal))
        self._txn_id = txn_id

    def build_error(self, table: object, attempts: int) -> HiveAcidError:
        """The error for the caller of a statement on the table that has lost so often: HIVE_ACID_WRITE_CONFLICT."""
        return self._refusal.build_error(txnId=self._txn_id, table=table, attempts=attempts)


class LostSource(Conflict):
    """A table that the statement reads cannot be read in its snapshot any more."""

    def __init__(self, txn_id: int, table: TableName, change: Refusal) -> None:
        super().__init__(txn_id, "HIVE_ACID_WRITE_CONFLICT.SOURCE_CHANGED", source=table, change=change)


class GivesWay(Conflict):
    """Nobody has changed anything, but the kept lock is in the way of who waits for an exclusive one."""

    def __init__(self, txn_id: int) -> None:
        super().__init__(txn_id, "HIVE_ACID_WRITE_CONFLICT.EXCLUSIVE_LOCK_WAITS")

    def build_timeout(self, table: object, waited_ms: int) -> HiveAcidError:
        """The error for the caller of a statement that has given way for so long: HIVE_ACID_LOCK_TIMEOUT."""
        told = {"txnId": self._txn_id, "table": table, "waitedMs": waited_ms, "setting": config.LOCK_TIMEOUT_MS.key}
        return build_error("HIVE_ACID_LOCK_TIMEOUT", **told, holder="others, who asked for exclusive locks by turns")


class _ToldByError(Conflict):
    """A lost race that an error has told of already."""

    def __init__(self, error: HiveAcidError) -> None:
        Exception.__init__(self, str(error))
        self._error = error


class LostSnapshot(_ToldByError):
    """Files of the snapshot are gone: a Cleaner that does not wait for it has removed them. `error` tells it."""

    def build_error(self, _: object, __: int) -> HiveAcidError:
        return self._error


@contextmanager
def meeting_lost_files() -> Iterator[None]:
    """HIVE_ACID_SNAPSHOT_UNAVAILABLE, which never comes once a commit was sent, is a lost race within it."""
    try:
        yield
    except SnapshotUnavailable as error:
        raise LostSnapshot(error) from error


class LostTogether(_ToldByError):
    """That of statements that run as one: `error` (SQLSTATE 40001) is what their transaction has made of it."""

    def build_error(self, _: object, attempts: int) -> HiveAcidError:
        """The same error, or how often they lost."""
        told: dict[str, object] = {**self._error.getMessageParameters()}
        if "attempts" in told:
            told["attempts"] = attempts
        return build_error(self._error.getCondition(), **told)
