"""Keeps a rebalance, which gives rows new IDs, apart from changes that name rows by their old IDs.

A rebalance holds EXCL_WRITE. Statements that change rows ask for the same, or work behind a kept lock of that kind,
but for those of engines that lock for nobody. The metastore compares what two transactions have changed by the
partition that their locks name, and finds nothing for one that a lock cannot name (`is_lockable`).
"""

from __future__ import annotations

from hive_acid import config
from hive_acid.metastore.protocol import Metastore
from hive_acid.metastore.types import LockComponent
from hive_acid.model.write_ids import ValidWriteIdList
from hive_acid.quirks.unlocked_writers import UnlockedWriters
from hive_acid.reading.late_tables import find_write_ids_now
from hive_acid.snapshot.acid_state import find_changes
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.snapshot.listing import Listing
from hive_acid.transactions.manager import Transaction
from hive_acid.transactions.validity import find_new_write_ids
from hive_acid.writing.conflicts import Conflict

_NO_WRITE_ID = 0
"""That of a rebalance."""


class Renumbering:
    """The checks of rebalances on one metastore and its storage. All raise Conflict and HIVE_ACID_UNLOCKED_WRITER."""

    def __init__(self, metastore: Metastore, file_system: FileSystem, settings: config.Settings) -> None:
        self._metastore = metastore
        self._file_system = file_system
        self._settings = settings
        self._unlocked_writers = UnlockedWriters(metastore)

    def meet_changes(self, lock: LockComponent, transaction: Transaction) -> None:
        """Under the lock, before the snapshot: that shows no younger transaction, committed though it may be."""
        self._unlocked_writers.meet(transaction, [lock], self._settings)
        other = self._metastore.latest_conflict(transaction.txn_id)
        if other:
            raise Conflict(transaction.txn_id, "HIVE_ACID_WRITE_CONFLICT.CHANGED_BY", otherTxnId=other)

    def refuse_later_changes(
        self, listing: Listing, folded: ValidWriteIdList, seen: ValidWriteIdList, transaction: Transaction
    ) -> None:
        """Changes that the snapshot sees and the rebalance does not fold, for a lower write ID is open.

        They stay beside its base, and name rows of it by their old IDs. Raises Conflict.
        """
        changes = find_changes(listing, find_new_write_ids(folded, seen, _NO_WRITE_ID))
        if changes is not None:
            told = {"folder": changes, "openWriteId": seen.min_open}
            raise Conflict(transaction.txn_id, "HIVE_ACID_WRITE_CONFLICT.CHANGES_NOT_FOLDED", **told)

    def keep_changes_out(
        self, lock: LockComponent, location: str, folded: ValidWriteIdList, transaction: Transaction
    ) -> None:
        """Right before the commit: nobody who has not seen the new IDs gets to read before it."""
        if not self._unlocked_writers.keep_out(transaction, [lock], self._settings):
            return
        now = find_write_ids_now(self._metastore, lock.table)
        (listing,) = self._file_system.list_trees([location])
        changes = find_changes(listing, find_new_write_ids(folded, now, _NO_WRITE_ID))
        if changes is not None:
            raise Conflict(transaction.txn_id, "HIVE_ACID_WRITE_CONFLICT.ROWS_CHANGED", folder=changes)
