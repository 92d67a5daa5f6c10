"""The transaction of a query that only reads."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence

from hive_acid import config
from hive_acid.errors import HiveAcidError, build_error
from hive_acid.execution.snapshots import Snapshot
from hive_acid.metastore.protocol import Metastore
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.table import TableName
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.snapshot.scan_plan import ScanPlan
from hive_acid.transactions.manager import Transaction, TransactionManager
from hive_acid.transactions.validity import build_read_lock, is_lockable

LOG = logging.getLogger(__name__)


class ReadTransaction:
    """One snapshot, opened when something is first asked for, and SHARED_READ locks on what was asked for.

    For several threads. `settings` are those of the session that reads; with `read.transactions` off there is a
    snapshot, but neither transaction nor locks.
    """

    def __init__(
        self,
        metastore: Metastore,
        file_system: FileSystem,
        transactions: TransactionManager,
        settings: config.Settings,
    ) -> None:
        self._metastore = metastore
        self._file_system = file_system
        self._transactions = transactions
        self._settings = settings
        self._guard = threading.Lock()
        self._transaction: Transaction | None = None
        self._opened: Snapshot | None = None
        self._locked: set[tuple[TableName, str | None]] = set()
        self._ended = False

    @property
    def txn_id(self) -> int | None:
        """The metastore's ID, if there is a transaction."""
        return self._transaction.txn_id if self._transaction is not None else None

    def partition_names(self, table: TableName) -> list[str]:
        """Names of the table's partitions; see `Snapshot`."""
        return self.snapshot(table, ()).partition_names(table)

    def scan_plan(self, table: TableName, partitions: Sequence[str] | None, with_row_ids: bool = False) -> ScanPlan:
        """The files of the table, or of the partitions named, which stay until the transaction ends."""
        return self.snapshot(table, partitions or ()).scan_plan(table, partitions, with_row_ids)

    def snapshot(self, table: TableName, partitions: Sequence[str]) -> Snapshot:
        """The snapshot, with the table locked; `partitions` are those to be read.

        Raises HIVE_ACID_SNAPSHOT_UNAVAILABLE once it has ended.
        """
        with self._guard:
            if self._ended:
                raise build_error("HIVE_ACID_SNAPSHOT_UNAVAILABLE", table=table, reason="its query has ended")
            opened = self._find_opened(table)
            if self._transaction is not None:
                self._transaction.ensure_active()
                self._lock(self._transaction, table, partitions)
            return opened

    def unlocked_snapshot(self, table: TableName) -> Snapshot:
        """The snapshot for whoever opens no file; `table` is for messages."""
        with self._guard:
            return self._find_opened(table)

    def _find_opened(self, table: TableName) -> Snapshot:
        if self._opened is None:
            self._opened = self._open(table)
        return self._opened

    def _open(self, table: TableName) -> Snapshot:
        if self._settings.flag(config.READ_TRANSACTIONS):
            self._transaction = self._transactions.begin(str(table), self._settings)
            seen = self._transaction.snapshot
        else:
            seen = self._metastore.valid_transactions(0)
        return Snapshot(self._metastore, self._file_system, seen)

    def _lock(self, transaction: Transaction, table: TableName, partitions: Sequence[str]) -> None:
        """The table, so that nobody drops or overwrites it. The Cleaner of 3.1 looks for locks on the very partition it
        cleans (Cleaner.findRelatedLocks), so there those that are read are locked too; 4.x waits for transactions.
        """
        wanted: list[str | None] = [None]
        if self._metastore.line is MetastoreLine.HIVE_3:
            lockable = [name for name in partitions if is_lockable(name)]
            if len(lockable) > self._settings.number(config.LOCK_MAX_PARTITIONS):
                LOG.info("%s is locked as a whole, for %d partitions are read", table, len(lockable))
            else:
                wanted += lockable
        missing = [partition for partition in wanted if (table, partition) not in self._locked]
        if missing:
            transaction.lock([build_read_lock(table, partition) for partition in missing])
            self._locked |= {(table, partition) for partition in missing}

    def end(self) -> None:
        """Ends the transaction, if there is one; nothing can be read afterwards."""
        with self._guard:
            self._ended = True
            transaction = self._transaction
        if transaction is None:
            return
        try:
            transaction.end_read()
        except HiveAcidError as error:
            # nothing was written, so nothing is lost; locks and transaction time out at the metastore
            LOG.warning("read transaction %d could not be ended: %s", transaction.txn_id, error)
