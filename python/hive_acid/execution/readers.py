"""Read transactions: opened by the first scan of an execution, ended when the execution ends."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from hive_acid import config
from hive_acid.errors import HiveAcidError
from hive_acid.execution.read_transaction import ReadTransaction
from hive_acid.execution.snapshots import Snapshot
from hive_acid.metastore.protocol import Metastore
from hive_acid.model.table import TableName
from hive_acid.snapshot.acid_state import TableContent
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.snapshot.scan_plan import ScanPlan
from hive_acid.transactions.manager import TransactionManager

LOG = logging.getLogger(__name__)


@dataclass
class _Reader:
    """One execution."""

    started_ms: int
    transaction: ReadTransaction


class Readers:
    """All read transactions of this process, by the key their scans give.

    The key is the root execution, whose scans share a transaction and so a snapshot. A scan outside of any has a
    negative key of its own, ended by `close` or after `max_age_ms`.
    """

    def __init__(
        self,
        metastore: Metastore,
        file_system: FileSystem,
        transactions: TransactionManager,
        max_age_ms: int,
        clock_ms: Callable[[], int],
    ) -> None:
        self._metastore = metastore
        self._file_system = file_system
        self._transactions = transactions
        self._max_age_ms = max_age_ms
        self._clock_ms = clock_ms
        self._guard = threading.Lock()
        self._readers: dict[int, _Reader] = {}
        # whoever reports the end of an execution (Spark's listener bus) must not wait for a slow metastore
        self._ending = ThreadPoolExecutor(max_workers=1, thread_name_prefix="hive-acid-readers")

    def partition_names(self, key: int, table: TableName, settings: config.Settings) -> list[str]:
        """Names of the table's partitions; see `Snapshot`. `settings` are those of the session that reads."""
        return self._snapshot(key, table, (), settings).partition_names(table)

    def scan_plan(
        self,
        key: int,
        table: TableName,
        partitions: Sequence[str] | None,
        settings: config.Settings,
        with_row_ids: bool = False,
    ) -> ScanPlan:
        """The files of the table in the execution's snapshot, held by SHARED_READ locks until the execution ends.

        See `Snapshot`.
        """
        return self._snapshot(key, table, partitions or (), settings).scan_plan(table, partitions, with_row_ids)

    def content(self, table: TableName, settings: config.Settings) -> TableContent:
        """How much is to be read of the table now, looked at in a read transaction that ends with the call.

        It takes no lock, for it opens no file, and would wait for an overwrite of the caller's own transaction.
        """
        transaction = ReadTransaction(self._metastore, self._file_system, self._transactions, settings)
        try:
            return transaction.unlocked_snapshot(table).content(table)
        finally:
            transaction.end()

    def _snapshot(self, key: int, table: TableName, partitions: Sequence[str], settings: config.Settings) -> Snapshot:
        """The snapshot of the execution, with the table locked.

        Raises HIVE_ACID_SNAPSHOT_UNAVAILABLE if the execution has ended meanwhile.
        """
        self._end_aged()
        with self._guard:
            if key not in self._readers:
                opened = ReadTransaction(self._metastore, self._file_system, self._transactions, settings)
                self._readers[key] = _Reader(self._clock_ms(), opened)
            reader = self._readers[key]
        try:
            return reader.transaction.snapshot(table, partitions)
        except HiveAcidError:
            if key < 0:  # nobody reports the end of a scan outside of executions
                self.end(key)
            raise

    def end(self, key: int) -> None:
        """Ends the read transaction of the execution, if it has one, without waiting for the metastore."""
        with self._guard:
            reader = self._readers.pop(key, None)
        if reader is not None:
            self._ending.submit(reader.transaction.end)

    def close(self) -> None:
        """Ends all of them, and waits until they have ended."""
        with self._guard:
            readers = list(self._readers.values())
            self._readers.clear()
        for reader in readers:
            reader.transaction.end()
        self._ending.shutdown()

    def _end_aged(self) -> None:
        oldest_ms = self._clock_ms() - self._max_age_ms
        with self._guard:
            aged = [key for key, reader in self._readers.items() if reader.started_ms < oldest_ms]
        for key in aged:
            LOG.warning("read transaction of execution %d is older than %d ms and ends now", key, self._max_age_ms)
            self.end(key)
