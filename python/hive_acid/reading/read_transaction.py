"""The transaction of a query that only reads."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Sequence

from hive_acid import config
from hive_acid.errors import HiveAcidError, build_error
from hive_acid.model.table import TableName
from hive_acid.model.table_identity import AnalysedTable
from hive_acid.reading.opening import Opening
from hive_acid.reading.snapshot import Snapshot
from hive_acid.reading.warehouse import Warehouse
from hive_acid.snapshot.scan_plan import ScanPlan
from hive_acid.transactions.manager import Transaction

LOG = logging.getLogger(__name__)


class ReadTransaction:
    """One snapshot, taken when what is first asked for is locked, and SHARED_READ locks on all that is asked for.

    Tables that are to be read together are named with the first question, so that none is locked after the snapshot;
    one that is (a query within a query) is looked at again. For several threads. `settings` are those of the session
    that reads; with `read.transactions` off there is a snapshot, but neither transaction nor locks.
    """

    def __init__(self, warehouse: Warehouse, settings: config.Settings) -> None:
        self._warehouse = warehouse
        self._settings = settings
        self._guard = threading.Lock()
        self._state = threading.Lock()  # never held while the metastore is asked
        self._transaction: Transaction | None = None
        self._first: TableName | None = None
        self._alone: Snapshot | None = None
        self._ended = False
        self._opening = Opening(warehouse.metastore, warehouse.file_system, settings, self._begin)

    @property
    def txn_id(self) -> int | None:
        """The metastore's ID, if there is a transaction."""
        return self._transaction.txn_id if self._transaction is not None else None

    @property
    def locked_tables(self) -> frozenset[TableName]:
        """The tables that it holds locks on."""
        return frozenset(lock.table for lock in tuple(self._opening.held))

    def read_together(self, tables: Iterable[TableName]) -> None:
        """See `Snapshot`; they are locked."""
        for table in tables:
            self.snapshot(table, (), tables)

    def ensure_same(self, analysed: AnalysedTable) -> None:
        self.snapshot(analysed.table, ()).ensure_same(analysed)

    def partition_names(self, table: TableName) -> list[str]:
        """Names of the table's partitions; see `Snapshot`."""
        return self.snapshot(table, ()).partition_names(table)

    def scan_plan(self, table: TableName, partitions: Sequence[str] | None, with_row_ids: bool = False) -> ScanPlan:
        """The files of the table, or of the partitions named, which stay until the transaction ends."""
        return self.snapshot(table, partitions or ()).scan_plan(table, partitions, with_row_ids)

    def snapshot(self, table: TableName, partitions: Sequence[str], together: Iterable[TableName] = ()) -> Snapshot:
        """The snapshot, with the table locked; `partitions` are those to be read, `together` what else the query reads.

        Raises HIVE_ACID_SNAPSHOT_UNAVAILABLE once it has ended, and HIVE_ACID_TABLE_CHANGED for a table that was not
        named with the first question and of which the snapshot does not serve any more.
        """
        with self._guard:
            self._refuse_ended(table)
            if not self._settings.flag(config.READ_TRANSACTIONS):
                return self._find_alone()
            self._find_transaction(table).ensure_active()
            self._opening.read({table, *together})
            self._opening.hold(table, partitions)
            self._refuse_ended(table)
            return self._opening.under_lock()

    def unlocked_snapshot(self, table: TableName) -> Snapshot:
        """The snapshot for whoever opens no file; `table` is for messages."""
        with self._guard:
            self._refuse_ended(table)
            if not self._settings.flag(config.READ_TRANSACTIONS):
                return self._find_alone()
            self._find_transaction(table)
            return self._opening.under_lock()

    def _find_transaction(self, table: TableName) -> Transaction:
        self._first = self._first or table
        return self._opening.transaction

    def _begin(self) -> Transaction:
        begun = self._warehouse.transactions.begin(str(self._first), self._settings)
        with self._state:
            self._transaction = begun
            has_ended = self._ended
        if has_ended:  # meanwhile, and nobody else has seen the transaction
            _end(begun)
            raise self._ended_error(self._first)
        return begun

    def _find_alone(self) -> Snapshot:
        """That of no transaction."""
        if self._alone is None:
            metastore = self._warehouse.metastore
            self._alone = Snapshot(metastore, self._warehouse.file_system, metastore.valid_transactions(0))
        return self._alone

    def end(self) -> None:
        """Ends the transaction, if there is one; nothing can be read afterwards.

        It waits for no scan: one that waits for a lock finds that its transaction has ended.
        """
        with self._state:
            self._ended = True
            transaction = self._transaction
        if transaction is not None:
            _end(transaction)

    def _refuse_ended(self, table: TableName) -> None:
        if self._ended:
            raise self._ended_error(table)

    def _ended_error(self, table: TableName | None) -> HiveAcidError:
        return build_error("HIVE_ACID_SNAPSHOT_UNAVAILABLE", table=table, reason="its query has ended")


def _end(transaction: Transaction) -> None:
    try:
        transaction.end_read()
    except HiveAcidError as error:
        # nothing was written, so nothing is lost; locks and transaction time out at the metastore
        LOG.warning("read transaction %d could not be ended: %s", transaction.txn_id, error)
