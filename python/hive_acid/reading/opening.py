"""The order in which a transaction comes to read: open, keep the files, lock, take the snapshot, check what is late.

A query, several statements, a statement of its own and a compaction go this way. Where a first reader locks before the
snapshot is taken, nothing can be dropped between the two. Where a write ID is to be above all that the snapshot sees,
the lock is late. A table that is used first when the snapshot is there is looked at again under its lock.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence

from hive_acid import config
from hive_acid.errors import Refusal
from hive_acid.metastore.protocol import Metastore
from hive_acid.metastore.types import LockComponent
from hive_acid.model.table import TableDescription, TableName
from hive_acid.model.write_ids import ValidTxnList
from hive_acid.reading.late_tables import find_late_table, find_missed_compaction
from hive_acid.reading.partition_locks import PartitionLocks
from hive_acid.reading.snapshot import Snapshot
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.transactions.manager import Transaction
from hive_acid.transactions.validity import build_read_lock, is_covered


class Opening:
    """A transaction, its snapshot, and the locks that keep it; for several threads.

    `begin` opens the transaction when it is first asked for. `lost` builds what is raised of a table that cannot be
    read in the snapshot any more; unless told otherwise HIVE_ACID_TABLE_CHANGED.
    """

    def __init__(
        self,
        metastore: Metastore,
        file_system: FileSystem,
        settings: config.Settings,
        begin: Callable[[], Transaction],
        lost: Callable[[TableName, Refusal], Exception] = lambda table, change: change.build_error(table=table),
    ) -> None:
        self._metastore = metastore
        self._file_system = file_system
        self._begin = begin
        self._lost = lost
        self._guard = threading.RLock()
        self._begun: Transaction | None = None
        self._taken: Snapshot | None = None
        self._tables: set[TableName] = set()
        self._read: set[TableName] = set()
        self._kept: set[TableName] = set()
        self._partition_locks = PartitionLocks(metastore.line, settings)
        self.held: list[LockComponent] = []

    @property
    def has_begun(self) -> bool:
        """True once the transaction has been opened."""
        return self._begun is not None

    @property
    def transaction(self) -> Transaction:
        with self._guard:
            if self._begun is None:
                self._begun = self._begin()
            return self._begun

    def under_lock(self) -> Snapshot:
        """The snapshot; what its first reader reads is locked by now."""
        with self._guard:
            if self._taken is None:
                self._taken = Snapshot(self._metastore, self._file_system, self.transaction.latest_snapshot())
            return self._taken

    def before_write_id(self, *known: TableDescription) -> Snapshot:
        """The snapshot, which has the `known` tables, for a statement whose write ID must be above all that it sees."""
        with self._guard:
            if self._taken is None:
                self._taken = Snapshot(self._metastore, self._file_system, self.find_own_view(), *known)
            return self._taken

    def find_own_view(self) -> ValidTxnList:
        """The transactions that the own one sees: older ones, as far as the files are kept that it reads."""
        with self._guard:
            seen = self.transaction.own_snapshot()
            missed = find_missed_compaction(self._metastore, self.transaction, self._kept, seen)
            if missed is not None:
                raise self._lost(*missed)
            return seen

    def keep(self, tables: Iterable[TableName]) -> None:
        """The Cleaner leaves their files alone; before the snapshot is taken if they are the first."""
        with self._guard:
            if self._taken is None:
                self._kept |= set(tables)
                self.transaction.keep_files(tables)

    def read(self, tables: Iterable[TableName]) -> None:
        """Locks the tables, before the snapshot is taken if they are the first; see `use`."""
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
        """The tables are locked: if the snapshot is older than the lock it may not serve for them any more."""
        with self._guard:
            late = {table for table in tables if table not in self._tables}
            if self._taken is not None:
                changed = find_late_table(self._metastore, self._taken, late, self.transaction)
                if changed is not None:
                    raise self._lost(*changed)
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
