"""Read transactions: opened by the first scan of an execution, ended when the execution ends."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from hive_acid import config
from hive_acid.errors import HiveAcidError, build_error
from hive_acid.execution.snapshots import Snapshot
from hive_acid.metastore.protocol import Metastore
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.table import TableName
from hive_acid.snapshot.acid_state import TableContent
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.snapshot.scan_plan import ScanPlan
from hive_acid.transactions.manager import Transaction, TransactionManager
from hive_acid.transactions.validity import build_read_lock, is_lockable

LOG = logging.getLogger(__name__)


@dataclass
class _Reader:
    """The snapshot of one execution, its transaction, and what that holds locks on."""

    started_ms: int
    guard: threading.Lock = field(default_factory=threading.Lock)
    transaction: Transaction | None = None
    snapshot: Snapshot | None = None
    locked: set[tuple[TableName, str | None]] = field(default_factory=set)
    ended: bool = False


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
        self, key: int, table: TableName, partitions: Sequence[str] | None, settings: config.Settings
    ) -> ScanPlan:
        """The files of the table in the execution's snapshot, held by SHARED_READ locks until the execution ends."""
        return self._snapshot(key, table, partitions or (), settings).scan_plan(table, partitions)

    def content(self, table: TableName, settings: config.Settings) -> TableContent:
        """How much is to be read of the table now, looked at in a read transaction that ends with the call.

        It takes no lock, for it opens no file, and would wait for an overwrite of the caller's own transaction.
        """
        reader = _Reader(self._clock_ms())
        try:
            return self._open(reader, settings, table).content(table)
        finally:
            self._end(reader)

    def _snapshot(self, key: int, table: TableName, partitions: Sequence[str], settings: config.Settings) -> Snapshot:
        """The snapshot of the execution, with the table locked.

        Raises HIVE_ACID_SNAPSHOT_UNAVAILABLE if the execution has ended meanwhile.
        """
        self._end_aged()
        with self._guard:
            reader = self._readers.setdefault(key, _Reader(self._clock_ms()))
        with reader.guard:
            if reader.ended:
                raise build_error("HIVE_ACID_SNAPSHOT_UNAVAILABLE", table=table, reason="its query has ended")
            if reader.snapshot is None:
                reader.snapshot = self._open(reader, settings, table)
            if reader.transaction is not None:
                reader.transaction.ensure_active()
                try:
                    self._lock(reader, reader.transaction, table, partitions, settings)
                except HiveAcidError:
                    if key < 0:  # nobody reports the end of a scan outside of executions
                        self.end(key)
                    raise
            return reader.snapshot

    def _open(self, reader: _Reader, settings: config.Settings, table: TableName) -> Snapshot:
        if settings.flag(config.READ_TRANSACTIONS):
            reader.transaction = self._transactions.begin(str(table), settings)
            seen = reader.transaction.snapshot
        else:
            seen = self._metastore.valid_transactions(0)
        return Snapshot(self._metastore, self._file_system, seen)

    def _lock(
        self,
        reader: _Reader,
        transaction: Transaction,
        table: TableName,
        partitions: Sequence[str],
        settings: config.Settings,
    ) -> None:
        """The table, so that nobody drops or overwrites it. The Cleaner of 3.1 looks for locks on the very partition it
        cleans (Cleaner.findRelatedLocks), so there those that are read are locked too; 4.x waits for transactions.
        """
        wanted: list[str | None] = [None]
        if self._metastore.line is MetastoreLine.HIVE_3:
            lockable = [name for name in partitions if is_lockable(name)]
            if len(lockable) > settings.number(config.LOCK_MAX_PARTITIONS):
                LOG.info("%s is locked as a whole, for %d partitions are read", table, len(lockable))
            else:
                wanted += lockable
        missing = [partition for partition in wanted if (table, partition) not in reader.locked]
        if missing:
            transaction.lock([build_read_lock(table, partition) for partition in missing])
            reader.locked |= {(table, partition) for partition in missing}

    def end(self, key: int) -> None:
        """Ends the read transaction of the execution, if it has one, without waiting for the metastore."""
        with self._guard:
            reader = self._readers.pop(key, None)
        if reader is not None:
            self._ending.submit(self._end, reader)

    def close(self) -> None:
        """Ends all of them, and waits until they have ended."""
        with self._guard:
            readers = list(self._readers.values())
            self._readers.clear()
        for reader in readers:
            self._end(reader)
        self._ending.shutdown()

    def _end_aged(self) -> None:
        oldest_ms = self._clock_ms() - self._max_age_ms
        with self._guard:
            aged = [key for key, reader in self._readers.items() if reader.started_ms < oldest_ms]
        for key in aged:
            LOG.warning("read transaction of execution %d is older than %d ms and ends now", key, self._max_age_ms)
            self.end(key)

    def _end(self, reader: _Reader) -> None:
        with reader.guard:
            reader.ended = True
            transaction = reader.transaction
        if transaction is None:
            return
        try:
            transaction.end_read()
        except HiveAcidError as error:
            # nothing was written, so nothing is lost; locks and transaction time out at the metastore
            LOG.warning("read transaction %d could not be ended: %s", transaction.txn_id, error)
