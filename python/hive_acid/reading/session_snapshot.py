"""The reading side of a transaction of several statements: its snapshot, and the locks that keep it.

It begins, and its snapshot is taken, with the first statement that reads or writes a table, under the locks of what
that reads: nothing can be dropped then between the snapshot and the lock. A table that a later statement uses first is
looked at again under its lock.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence

from hive_acid import config
from hive_acid.metastore.types import LockComponent
from hive_acid.model.table import TableName
from hive_acid.reading.changed_tables import build_table_changed
from hive_acid.reading.late_tables import find_missed_compaction, refuse_changed_since
from hive_acid.reading.partition_locks import PartitionLocks
from hive_acid.reading.snapshot import Snapshot
from hive_acid.reading.warehouse import Warehouse
from hive_acid.transactions.manager import Transaction
from hive_acid.transactions.validity import build_read_lock, is_covered

_HOW_TO_GO_ON = (
    ". Read it in the first statement of the transaction, which locks what it reads before the snapshot is taken, or"
    " have hive_acid.run_in_transaction run all statements again"
)


class SessionSnapshot:
    """The transaction, opened when it is first asked for, its snapshot and its locks; for several threads."""

    def __init__(
        self,
        warehouse: Warehouse,
        settings: config.Settings,
    ) -> None:
        self._warehouse = warehouse
        self._settings = settings
        self._guard = threading.RLock()
        self._begun: Transaction | None = None
        self._taken: Snapshot | None = None
        self._tables: set[TableName] = set()
        self._read: set[TableName] = set()
        self._kept: set[TableName] = set()
        self._partition_locks = PartitionLocks(warehouse.metastore.line, settings)
        self.held: list[LockComponent] = []

    @property
    def has_begun(self) -> bool:
        """True once the transaction has been opened."""
        return self._begun is not None

    @property
    def transaction(self) -> Transaction:
        """The transaction."""
        with self._guard:
            if self._begun is None:
                self._begun = self._warehouse.transactions.begin("its tables", self._settings)
            return self._begun

    def under_lock(self) -> Snapshot:
        """The snapshot; what its first reader reads is locked by now."""
        with self._guard:
            if self._taken is None:
                self._taken = Snapshot(
                    self._warehouse.metastore, self._warehouse.file_system, self.transaction.latest_snapshot()
                )
            return self._taken

    def before_write_id(self) -> Snapshot:
        """The snapshot, for a statement whose write ID must be above all that it sees.

        Raises HIVE_ACID_TABLE_CHANGED.
        """
        with self._guard:
            if self._taken is None:
                metastore, seen = self._warehouse.metastore, self.transaction.own_snapshot()
                missed = find_missed_compaction(metastore, self.transaction, self._kept, seen)
                if missed is not None:
                    raise build_table_changed(*missed)
                self._taken = Snapshot(metastore, self._warehouse.file_system, seen)
            return self._taken

    def keep(self, tables: Iterable[TableName]) -> None:
        """The Cleaner leaves their files alone; before the snapshot is taken if they are the first."""
        with self._guard:
            if self._taken is None:
                self._kept |= set(tables)
                self.transaction.keep_files(tables)

    def read(self, tables: Iterable[TableName]) -> None:
        """Locks the tables, before the snapshot is taken if they are the first. Raises HIVE_ACID_TABLE_CHANGED."""
        names = sorted(set(tables))
        with self._guard:
            self.keep(names)
            self.lock([build_read_lock(table) for table in names])
            self.use(names)

    def hold(self, table: TableName, partitions: Sequence[str]) -> None:
        """Locks the partitions of a locked table, so that the Cleaner leaves their files; see PartitionLocks."""
        with self._guard:
            self._partition_locks.hold(self.transaction, table, partitions, self.held)

    def use(self, tables: Iterable[TableName]) -> None:
        """The tables are locked: if the snapshot is older than the lock it may not serve for them any more.

        Raises HIVE_ACID_TABLE_CHANGED.
        """
        with self._guard:
            late = {table for table in tables if table not in self._tables}
            if self._taken is not None:
                refuse_changed_since(self._warehouse.metastore, self._taken, late, self.transaction, _HOW_TO_GO_ON)
            self.under_lock()
            self._tables |= late
            self._read |= {table for table in late if is_covered(build_read_lock(table), self.held)}

    def holds(self, table: TableName) -> bool:
        """True if the whole table has been locked, as it is in the snapshot, since a statement has used it first."""
        with self._guard:
            return table in self._read

    def lock(self, components: Sequence[LockComponent]) -> None:
        """Waits for those that the transaction does not hold yet."""
        wanted = [component for component in components if not is_covered(component, self.held)]
        if wanted:
            self.transaction.lock(wanted)
            self.held += wanted
