"""Locks on the partitions that are read, beside the one on their table, where the Cleaner looks for nothing else.

The Cleaner of the 3.1 line looks for locks on the very partition that it cleans (Cleaner.findRelatedLocks of Hive
3.1.3); one on the table keeps no file there. The Cleaner of the 4.x line waits for transactions.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Sequence

from hive_acid import config
from hive_acid.metastore.types import LockComponent, MetastoreLine
from hive_acid.model.table import TableName
from hive_acid.reading.snapshot import ForwardedSnapshot, ScannedSnapshot
from hive_acid.snapshot.scan_plan import ScanPlan
from hive_acid.transactions.manager import Transaction
from hive_acid.transactions.validity import build_read_lock, is_lockable

LOG = logging.getLogger(__name__)


def find_held_partitions(
    line: MetastoreLine, table: TableName, partitions: Sequence[str], settings: config.Settings
) -> list[str]:
    """The partitions, among those that are read, which are to be locked one by one; none if they are too many."""
    if line.cleans_behind_transactions:
        return []
    lockable = [name for name in partitions if is_lockable(name)]
    if len(lockable) > settings.number(config.LOCK_MAX_PARTITIONS):
        LOG.info("%s is locked as a whole, for %d partitions are read", table, len(lockable))
        return []
    return lockable


def lock_at_once(transaction: Transaction, locks: Sequence[LockComponent]) -> None:
    """Locks partitions of one table, which the transaction has locked, if they can be had at once.

    Nobody is waited for: requests queue, and who is in the way waits itself, perhaps for this transaction's lock on the
    table. Without the lock the Cleaner may take a file away, and whoever reads it fails.
    """
    if not transaction.try_lock(locks):
        LOG.info("another transaction is in the way of the locks on %d partitions of %s", len(locks), locks[0].table)


class PartitionLocks:
    """The locks of a transaction that writes, as far as they can be had at once; for several threads."""

    def __init__(self, line: MetastoreLine, settings: config.Settings) -> None:
        self._line = line
        self._settings = settings
        self._guard = threading.Lock()
        self._asked: set[tuple[TableName, str]] = set()

    def hold(
        self, transaction: Transaction, table: TableName, partitions: Sequence[str], held: Iterable[LockComponent]
    ) -> None:
        """Before the files are listed. `held` are the transaction's locks, of which one is on the table."""
        wanted = find_held_partitions(self._line, table, partitions, self._settings)
        if not wanted:
            return
        named = {lock.partition for lock in held if lock.table == table}
        with self._guard:
            missing = [name for name in wanted if name not in named and (table, name) not in self._asked]
            self._asked |= {(table, name) for name in missing}
            if missing:
                lock_at_once(transaction, [build_read_lock(table, name) for name in missing])


class HeldSnapshot(ForwardedSnapshot):
    """A statement's snapshot as its scans ask it: the partitions that are read are locked before they are listed.

    `held` are the statement's locks, none before it has them: what is looked up then is asked for anew.
    """

    def __init__(
        self,
        snapshot: ScannedSnapshot,
        locks: PartitionLocks,
        transaction: Transaction,
        held: Callable[[], Sequence[LockComponent]],
    ) -> None:
        super().__init__(snapshot)
        self._locks = locks
        self._transaction = transaction
        self._held = held

    def scan_plan(self, table: TableName, partitions: Sequence[str] | None, with_row_ids: bool = False) -> ScanPlan:
        held = self._held()
        if held:
            self._locks.hold(self._transaction, table, partitions or (), held)
        return super().scan_plan(table, partitions, with_row_ids)
