"""Statements of other engines that change rows under a lock which keeps nobody out, and how they are met.

Trino takes SHARED_READ for whatever it does (`ThriftHiveMetastore.acquireSharedLock`). On the 4.x line it commits
without the server's search for conflicts, and on either line it does not tell the server which partitions it has
changed, so that no conflict is found there. Its UPDATE, DELETE or MERGE beside one of ours then doubles rows or loses
the delete, unless one of the two sees what the other has committed.

The locks and write IDs of such a statement tell this: it asks for a lock for writing, allocates its write ID, asks for
a second lock for reading, and only then takes its snapshot. An INSERT that does not read the table has one lock only; a
query has no write ID.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from enum import Enum

from hive_acid import config
from hive_acid.errors import HiveAcidError, build_error
from hive_acid.metastore.protocol import Metastore
from hive_acid.metastore.types import HeldLock, LockComponent, LockKind, LockState, MetastoreLine, OperationKind
from hive_acid.model.table import TableName
from hive_acid.model.write_ids import LONG_MAX, ValidTxnList
from hive_acid.quirks.fault import Fault
from hive_acid.quirks.quirk import Quirk
from hive_acid.reading.late_tables import find_write_ids_now
from hive_acid.transactions.blockers import describe_owner
from hive_acid.transactions.locks import OUR_AGENT, Waiting
from hive_acid.transactions.manager import Transaction
from hive_acid.writing.snapshot_checks import SnapshotChecks
from hive_acid.writing.stages import Locked, Published

FAULT = Fault(
    title="Trino changes rows under a lock that blocks nobody",
    releases="Trino 476",
    lines=tuple(MetastoreLine),
    harm="Rows are doubled, or a delete is lost, if a statement of ours changes the same rows",
    until="Trino asks for SHARED_WRITE or EXCL_WRITE, and tells the metastore which partitions it has changed",
    called_by="and rebalances, which are no statements (`compaction/renumbering.py`)",
)


class Meeting(Enum):
    """Ways in which a statement of ours treats such a writer."""

    WAIT = "wait"
    REFUSE = "refuse"
    IGNORE = "ignore"


def find_guarded(components: Iterable[LockComponent]) -> tuple[LockComponent, ...]:
    """The locks of a transaction under which rows are changed and such a writer can work at the same time.

    Not those that are EXCLUSIVE, which keep readers out too.
    """
    return tuple(part for part in components if part.operation.is_conflicting and part.kind is not LockKind.EXCLUSIVE)


def build_barrier(guarded: Sequence[LockComponent]) -> tuple[LockComponent, ...]:
    """A request behind which every later one waits, granted or not, until the transaction ends.

    Requests queue in the order they came, and one for EXCLUSIVE holds up those for SHARED_READ (CheckLockFunction).
    """
    return tuple(
        replace(part, kind=LockKind.EXCLUSIVE, operation=OperationKind.NO_TXN, is_dynamic_partition_write=False)
        for part in guarded
    )


def find_suspects(
    table: TableName, locks: Iterable[HeldLock], barrier: int | None = None
) -> tuple[tuple[HeldLock, ...], ...]:
    """The locks on the table, per transaction and by its ID, of those that may read and write it so.

    They have asked for locks more than once, for SHARED_READ only. The partitions that they have locked do not matter:
    the snapshot of the first serves for all. Locks asked for after the request `barrier` wait for it, so that nothing
    has been read under them. Hive asks for all it needs in one request, or for stronger locks.
    """
    by_transaction: dict[int, list[HeldLock]] = {}
    for lock in locks:
        is_earlier = barrier is None or lock.lock_id < barrier
        if lock.table == table and lock.txn_id is not None and is_earlier and not lock.agent.startswith(OUR_AGENT):
            by_transaction.setdefault(lock.txn_id, []).append(lock)
    return tuple(
        tuple(held)
        for _, held in sorted(by_transaction.items())
        if len({lock.lock_id for lock in held}) > 1 and all(lock.kind is LockKind.SHARED_READ for lock in held)
    )


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
    """One lock of each open transaction of another engine that reads and writes the table under SHARED_READ.

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


class BesideUnlockedWriters(Quirk):
    """A statement that changes rows sees what they have committed, and they see what it commits."""

    FAULT = FAULT

    def after_lock(self, locked: Locked) -> None:
        """Before it is asked whether the snapshot still serves. Raises HIVE_ACID_UNLOCKED_WRITER."""
        held = [part for part in self.scope.held if part.table == locked.table.name]
        UnlockedWriters(self.warehouse.metastore).meet(locked.transaction, held, locked.settings)

    def before_commit(self, published: Published) -> None:
        """Keeps out those that would not see it; the changes must have missed nothing of theirs.

        The server finds a conflict in a flat table. Raises Conflict and HIVE_ACID_UNLOCKED_WRITER.
        """
        metastore, scope = self.warehouse.metastore, self.scope
        if not UnlockedWriters(metastore).keep_out(published.transaction, scope.held, scope.settings):
            return
        checks = SnapshotChecks(metastore, self.warehouse.file_system)
        for one in (one for work in scope.work.values() for one in work.published):
            if one.plan.rule.admits_unlocked_writers and one.touched is not None:
                checks.check_bases(one, find_write_ids_now(metastore, one.table.name))
