"""The checks of a statement under its lock, whether its snapshot still serves."""

from __future__ import annotations

from hive_acid.metastore.protocol import Metastore
from hive_acid.model.table_identity import describe_analysed, find_change
from hive_acid.model.write_ids import ValidWriteIdList
from hive_acid.reading.late_tables import find_changed_since, find_write_ids_now
from hive_acid.snapshot.acid_state import find_changes, holds_one_of, newest_base_write_id
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.transactions.validity import SnapshotCheck, find_new_write_ids
from hive_acid.writing.conflicts import Conflict, LostSource
from hive_acid.writing.stages import Locked, Prepared

_HARMED_BY_NEWER_BASES_ONLY = frozenset({SnapshotCheck.NO_NEWER_BASE, SnapshotCheck.NO_LATER_WRITE})
"""An older base takes nothing from new rows that do not come from the table."""


class SnapshotChecks:
    """The checks of the validity table against one metastore and its storage. All raise Conflict."""

    def __init__(self, metastore: Metastore, file_system: FileSystem) -> None:
        self._metastore = metastore
        self._file_system = file_system

    def check_table(self, locked: Locked) -> None:
        """Checks that nothing committed between the snapshot and the lock matters."""
        transaction, table, write_id = locked.transaction, locked.table, locked.work.write_id
        now = self._metastore.table(table.name)
        if table.table_id and now.table_id:
            is_same = table.table_id == now.table_id
        else:  # 3.1: a table that was dropped and made again has forgotten our write ID, and gives another
            is_same = transaction.allocate_write_id(table.name) == write_id
        if not is_same or find_change(describe_analysed(table), now):
            raise Conflict(transaction.txn_id, "HIVE_ACID_WRITE_CONFLICT.TABLE_ALTERED")
        checks = locked.plan.rule.checks
        if SnapshotCheck.NO_CONFLICT in checks:
            other = self._metastore.latest_conflict(transaction.txn_id)
            if other:
                raise Conflict(transaction.txn_id, "HIVE_ACID_WRITE_CONFLICT.CHANGED_BY", otherTxnId=other)
        if SnapshotCheck.UNCHANGED in checks and not self._are_locked_rows_unchanged(locked):
            raise Conflict(transaction.txn_id, "HIVE_ACID_WRITE_CONFLICT.CHANGED")
        if SnapshotCheck.NO_LATER_WRITE in checks:
            later = find_write_ids_now(self._metastore, table.name).max_visible
            if later > write_id:
                raise Conflict(transaction.txn_id, "HIVE_ACID_WRITE_CONFLICT.LATER_WRITE_ID", laterWriteId=later)

    def check_partitions(self, locked: Locked) -> None:
        """Partitions that were listed before the lock are those that they were, and hold all that they held.

        The rows of one that is gone may be in another by now, also if there is one of its name again.
        """
        listed = locked.work.snapshot.known_partition_names(locked.table.name)
        if not listed:
            return
        if gone := set(listed) - set(self._metastore.partition_names(locked.table.name)):
            raise Conflict(locked.transaction.txn_id, "HIVE_ACID_WRITE_CONFLICT.PARTITION_GONE", partition=min(gone))
        if locked.holds_target:  # nobody has dropped a partition
            return
        if SnapshotCheck.SAME_PARTITIONS in locked.plan.rule.checks and self._find_new(locked):
            raise Conflict(locked.transaction.txn_id, "HIVE_ACID_WRITE_CONFLICT.ROWS_MOVED")

    def _find_new(self, locked: Locked) -> frozenset[int]:
        now = find_write_ids_now(self._metastore, locked.table.name)
        return find_new_write_ids(locked.work.before, now, locked.work.write_id)

    def _are_locked_rows_unchanged(self, locked: Locked) -> bool:
        """No write ID has become visible since the snapshot, or none in the partitions that are locked by name.

        Their folders tell that of a table that is held. Another one may have lost a partition since, and rows may have
        come out of it.
        """
        new = self._find_new(locked)
        if not new or not locked.holds_target or locked.plan.partitions is None:
            return not new
        found = self._metastore.partitions(locked.table.name, locked.plan.partitions)
        listings = self._file_system.list_trees([partition.location for partition in found]) if found else []
        return not any(holds_one_of(listing, new) for listing in listings)

    def check_touched(self, prepared: Prepared) -> None:
        """No partition that is written to as a new one was listed before: its rows are in one of another name by now.

        A client that asks for no lock has renamed or dropped it, or given it away.
        """
        new = prepared.touched.new if prepared.touched else ()
        gone = set(new) & prepared.work.snapshot.listed_partition_names(prepared.table.name)
        if gone:
            raise Conflict(prepared.transaction.txn_id, "HIVE_ACID_WRITE_CONFLICT.PARTITION_GONE", partition=min(gone))

    def check_sources(self, locked: Locked) -> None:
        """The tables that are read may be read in the snapshot, which is older than their locks.

        The target is known already, but for partitions that were not listed before the lock.
        """
        table, snapshot = locked.table, locked.work.snapshot
        is_checked = not table.is_partitioned or snapshot.known_partition_names(table.name)
        sources = set(locked.statement.sources) - ({table.name} if is_checked else set())
        changed = find_changed_since(self._metastore, snapshot, sources, locked.transaction.txn_id)
        if changed is not None:
            raise LostSource(locked.transaction.txn_id, *changed)

    def check_bases(self, prepared: Prepared, now: ValidWriteIdList) -> None:
        """No overwrite or TRUNCATE was committed between the snapshot and the lock, and no rows of these were changed.

        The first would hide what an insert has written, or what an update has written of it would bring rows back.
        Hive's TRUNCATE is not among the conflicts that the metastore knows of (it locks as NO_TXN). `now` are the write
        IDs that count now; the folders are those that the statement has `touched`.
        """
        rule, before, write_id = prepared.plan.rule, prepared.work.before, prepared.work.write_id
        txn_id = prepared.transaction.txn_id
        new = find_new_write_ids(before, now, write_id)
        if not new:
            return
        for listing in self._file_system.list_trees(prepared.locations):
            # the server knows of no conflict with those who tell it of no partition that they change, as Trino
            changes = find_changes(listing, new) if rule.admits_unlocked_writers else None
            if changes is not None:
                raise Conflict(txn_id, "HIVE_ACID_WRITE_CONFLICT.ROWS_CHANGED", folder=changes)
            base = newest_base_write_id(listing, now)
            if base is None or before.is_valid(base):
                continue
            if _HARMED_BY_NEWER_BASES_ONLY.isdisjoint(rule.checks) or base > write_id:
                raise Conflict(txn_id, "HIVE_ACID_WRITE_CONFLICT.OVERWRITTEN", baseWriteId=base)
