"""A lost race: what a statement has read is no longer so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from hive_acid import config
from hive_acid.errors import HiveAcidError, SnapshotUnavailable, build_error
from hive_acid.model.table import TableName
from hive_acid.writing.kept_lock import KeptLock


class Conflict(Exception):
    """The snapshot no longer serves; the statement runs again in a new transaction, behind `kept_lock` if any."""

    def __init__(self, txn_id: int, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.kept_lock: KeptLock | None = None
        self._txn_id = txn_id

    def build_error(self, table: object, attempts: int) -> HiveAcidError:
        """The error for the caller of a statement on the table that has lost so often: HIVE_ACID_WRITE_CONFLICT."""
        told = {"txnId": self._txn_id, "table": table, "reason": self.reason, "attempts": attempts}
        return build_error("HIVE_ACID_WRITE_CONFLICT", **told)


class LostSource(Conflict):
    """A table that the statement reads cannot be read in its snapshot any more, for the reason."""

    def __init__(self, txn_id: int, table: TableName, reason: str) -> None:
        super().__init__(txn_id, f"of the table {table} that it reads: {reason}")


class GivesWay(Conflict):
    """Nobody has changed anything, but the kept lock is in the way of who waits for an exclusive one."""

    def __init__(self, txn_id: int) -> None:
        super().__init__(txn_id, "another transaction waits for an exclusive lock")

    def build_timeout(self, table: object, waited_ms: int) -> HiveAcidError:
        """The error for the caller of a statement that has given way for so long: HIVE_ACID_LOCK_TIMEOUT."""
        told = {"txnId": self._txn_id, "table": table, "waitedMs": waited_ms, "setting": config.LOCK_TIMEOUT_MS.key}
        return build_error("HIVE_ACID_LOCK_TIMEOUT", **told, holder="others, who asked for exclusive locks by turns")


class LostSnapshot(Conflict):
    """Files of the snapshot are gone: a Cleaner that does not wait for it has removed them. `error` tells it."""

    def __init__(self, error: HiveAcidError) -> None:
        super().__init__(0, str(error))
        self._error = error

    def build_error(self, _: object, __: int) -> HiveAcidError:
        return self._error


@contextmanager
def meeting_lost_files() -> Iterator[None]:
    """HIVE_ACID_SNAPSHOT_UNAVAILABLE, which never comes once a commit was sent, is a lost race within it."""
    try:
        yield
    except SnapshotUnavailable as error:
        raise LostSnapshot(error) from error


class LostTogether(Conflict):
    """That of statements that run as one: `error` (SQLSTATE 40001) is what their transaction has made of it."""

    def __init__(self, error: HiveAcidError) -> None:
        super().__init__(0, str(error))
        self._error = error

    def build_error(self, _: object, attempts: int) -> HiveAcidError:
        """The same error, or how often they lost."""
        told: dict[str, object] = {**self._error.getMessageParameters()}
        if "attempts" in told:
            told["attempts"] = attempts
        return build_error(self._error.getCondition(), **told)
