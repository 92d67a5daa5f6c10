"""Keeps statements of ours and writers of other engines that lock for nobody from changing rows at the same time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hive_acid import config
from hive_acid.errors import HiveAcidError, build_error
from hive_acid.metastore.protocol import Metastore
from hive_acid.metastore.types import HeldLock, LockComponent, LockState
from hive_acid.model.table import TableName
from hive_acid.model.write_ids import LONG_MAX, ValidTxnList
from hive_acid.transactions.blockers import describe_owner
from hive_acid.transactions.locks import Waiting
from hive_acid.transactions.manager import Transaction
from hive_acid.transactions.unlocked_writers import Meeting, build_barrier, find_guarded, find_suspects


class UnlockedWriters:
    """The questions about them to one metastore, for the transactions of this process."""

    def __init__(self, metastore: Metastore) -> None:
        self._metastore = metastore

    def meet(self, transaction: Transaction, components: Iterable[LockComponent], settings: config.Settings) -> None:
        """Under the lock, before it is asked whether the snapshot still serves: what they commit is seen then.

        Waits for their end, or raises HIVE_ACID_UNLOCKED_WRITER, as `settings` say. Raises what an ended transaction
        raises.
        """
        meeting = _find_meeting(settings)
        guarded = find_guarded(components)
        if guarded and meeting is not Meeting.IGNORE:
            _Wait(self._metastore, transaction, guarded, meeting).wait()

    def keep_out(
        self, transaction: Transaction, components: Iterable[LockComponent], settings: config.Settings
    ) -> bool:
        """Right before the commit: until it, none that has not seen it gets to read what the transaction has locked.

        True if that was needed: then one may have committed meanwhile. Waits and raises as `meet`.
        """
        meeting = _find_meeting(settings)
        guarded = find_guarded(components)
        if not guarded or meeting is Meeting.IGNORE:
            return False
        wait = _Wait(self._metastore, transaction, guarded, meeting)
        while True:
            barrier, state = transaction.request_lock(build_barrier(guarded))
            if state is LockState.ACQUIRED or not wait.find_writers(barrier):
                return True
            self._metastore.unlock(barrier)  # they may need more locks before they can end
            wait.wait()


class _Wait:
    """One statement's wait, which has one end however often it begins anew."""

    def __init__(
        self, metastore: Metastore, transaction: Transaction, guarded: Sequence[LockComponent], meeting: Meeting
    ) -> None:
        self._metastore = metastore
        self._transaction = transaction
        self._tables = sorted({part.table for part in guarded})
        self._meeting = meeting
        self._how: Waiting = transaction.waiting(frozenset(self._tables))
        self._started_ms = self._how.clock_ms()

    def wait(self) -> None:
        pause_ms = self._how.poll_min_ms
        while writers := self.find_writers():
            waited_ms = self._how.clock_ms() - self._started_ms
            if self._meeting is Meeting.REFUSE or waited_ms >= self._how.timeout_ms:
                raise self._build_error(writers[0], waited_ms)
            self._how.pause_ms(min(pause_ms, self._how.timeout_ms - waited_ms))
            pause_ms = min(pause_ms * 2, self._how.poll_max_ms)
            self._transaction.ensure_active()

    def find_writers(self, barrier: int | None = None) -> list[HeldLock]:
        """A lock of each transaction that reads and writes one of the tables under SHARED_READ."""
        return [lock for table in self._tables for lock in find_unlocked_writers(self._metastore, table, barrier)]

    def _build_error(self, writer: HeldLock, waited_ms: int) -> HiveAcidError:
        return build_error(
            "HIVE_ACID_UNLOCKED_WRITER",
            txnId=self._transaction.txn_id,
            table=writer.table,
            writer=describe_owner(writer),
            waitedMs=waited_ms,
            setting=config.UNLOCKED_WRITERS.key,
        )


def find_unlocked_writers(metastore: Metastore, table: TableName, barrier: int | None = None) -> list[HeldLock]:
    """A lock of each open transaction of another engine that reads and writes the table under SHARED_READ.

    `barrier`: as for `find_suspects`. The metastore tells nobody whose a write ID is; so it is asked which ones would
    be open if the suspect were the only open transaction.
    """
    suspects = find_suspects(table, metastore.held_locks(table), barrier)
    return [held[0] for held in suspects if held[0].txn_id and _has_write_id(metastore, table, held[0].txn_id)]


def _has_write_id(metastore: Metastore, table: TableName, txn_id: int) -> bool:
    # a mark below all who have write IDs would make theirs open too
    alone = ValidTxnList(LONG_MAX, frozenset({txn_id}))
    return bool(metastore.valid_write_ids([table], alone)[table].open)


def _find_meeting(settings: config.Settings) -> Meeting:
    text = settings.text(config.UNLOCKED_WRITERS).strip().lower()
    try:
        return Meeting(text)
    except ValueError as error:
        known = ", ".join(meeting.value for meeting in Meeting)
        found = {"setting": config.UNLOCKED_WRITERS.key, "value": text, "choices": known}
        raise build_error("HIVE_ACID_CONFIGURATION.NOT_A_CHOICE", **found) from error
