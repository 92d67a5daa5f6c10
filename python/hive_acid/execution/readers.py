"""Read transactions: opened by the first scan of an execution, ended when the execution ends."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from hive_acid.errors import HiveAcidError
from hive_acid.execution.snapshots import Snapshot
from hive_acid.metastore.protocol import Metastore
from hive_acid.model.table import TableName
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.snapshot.scan_plan import ScanPlan
from hive_acid.transaction.manager import TransactionManager
from hive_acid.transaction.validity import build_read_lock

LOG = logging.getLogger(__name__)


@dataclass
class _Reader:
    """The read transaction of one execution and the tables it holds locks on."""

    started_ms: int
    guard: threading.Lock = field(default_factory=threading.Lock)
    snapshot: Snapshot | None = None
    locked: set[TableName] = field(default_factory=set)


class Readers:
    """All read transactions of this process.

    All scans of one root execution share a transaction and so a snapshot. A scan outside of any execution has one of
    its own, ended by `close` or after `max_age_ms`.
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
        self._loose = 0
        # whoever reports the end of an execution (Spark's listener bus) must not wait for a slow metastore
        self._ending = ThreadPoolExecutor(max_workers=1, thread_name_prefix="hive-acid-readers")

    def scan_plan(self, execution_id: int | None, table: TableName, partitions: Sequence[str] | None) -> ScanPlan:
        """The files of the table in the execution's snapshot, held by a SHARED_READ lock until the execution ends."""
        self._end_aged()
        reader = self._reader(execution_id)
        with reader.guard:
            if reader.snapshot is None:
                transaction = self._transactions.begin(str(table))
                reader.snapshot = Snapshot(self._metastore, self._file_system, transaction)
            transaction = reader.snapshot.transaction
            transaction.ensure_active()
            if table not in reader.locked:
                transaction.lock([build_read_lock(table)])
                reader.locked.add(table)
        return reader.snapshot.scan_plan(table, partitions)

    def end(self, execution_id: int) -> None:
        """Ends the read transaction of the execution, if it has one, without waiting for the metastore."""
        with self._guard:
            reader = self._readers.pop(execution_id, None)
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

    def _reader(self, execution_id: int | None) -> _Reader:
        with self._guard:
            if execution_id is None:
                self._loose -= 1
                execution_id = self._loose
            return self._readers.setdefault(execution_id, _Reader(self._clock_ms()))

    def _end_aged(self) -> None:
        oldest_ms = self._clock_ms() - self._max_age_ms
        with self._guard:
            aged = [key for key, reader in self._readers.items() if reader.started_ms < oldest_ms]
        for key in aged:
            LOG.warning("read transaction of execution %d is older than %d ms and ends now", key, self._max_age_ms)
            self.end(key)

    def _end(self, reader: _Reader) -> None:
        with reader.guard:
            snapshot = reader.snapshot
        if snapshot is None:
            return
        transaction = snapshot.transaction
        try:
            transaction.end_read()
        except HiveAcidError as error:
            # nothing was written, so nothing is lost; locks and transaction time out at the metastore
            LOG.warning("read transaction %d could not be ended: %s", transaction.txn_id, error)
