"""Read transactions: opened by the first scan of an execution, ended when the execution ends."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from hive_acid import config
from hive_acid.errors import HiveAcidError
from hive_acid.model.table import TableName
from hive_acid.reading.ended_readers import EndedReaders
from hive_acid.reading.endings import Endings
from hive_acid.reading.read_transaction import ReadTransaction
from hive_acid.reading.snapshot import Snapshot
from hive_acid.reading.warehouse import Warehouse
from hive_acid.snapshot.acid_state import TableContent
from hive_acid.snapshot.scan_plan import ScanPlan
from hive_acid.wire.scan_requests import ReadTable

LOG = logging.getLogger(__name__)


class Jobs(Protocol):
    """Questions about Spark's jobs."""

    def idle_ms(self) -> int:
        """For how long none has run; 0 while one does."""
        ...

    def runs_loose(self) -> bool:
        """Whether one runs that is part of no execution, as those of RDDs are."""
        ...

    def ended_executions(self, keys: Collection[int]) -> Collection[int]:
        """The ones of these executions that cannot run any more, whatever has been reported of them."""
        ...


@dataclass
class _Reader:
    """One execution, or one query outside of any. A scan last asked at `used_ms`; `is_read`: one has its files."""

    started_ms: int
    used_ms: int
    transaction: ReadTransaction
    is_read: bool = False

    def locks_one_of(self, tables: Collection[TableName]) -> bool:
        """True if it is in the way of who wants to lock them."""
        return not self.transaction.locked_tables.isdisjoint(tables)


class Readers:
    """All read transactions of this process, by the key their scans give.

    The key is the root execution, or the query's own in a batch of a stream. All its scans share a transaction and so a
    snapshot. Spark reports the end of an execution by an event, which it may drop: whoever waits for such a reader, and
    each turn of the heartbeat, asks whether its execution can still run.

    The scans of a query outside of any, as of an RDD, have a negative key. The JVM tells when nobody can read
    their files any more; before that, they end when no job has run for `idle_ms`, or when a statement of this process
    waits for them and no job reads them. A later read of their files gives the rows of their snapshot, or an error if a
    file is gone. A later scan would have another snapshot than those before it, and is refused.
    """

    def __init__(
        self,
        warehouse: Warehouse,
        max_age_ms: int,
        clock_ms: Callable[[], int],
        jobs: Jobs,
        idle_ms: int,
    ) -> None:
        self._warehouse = warehouse
        self._max_age_ms = max_age_ms
        self._clock_ms = clock_ms
        self._jobs = jobs
        self._idle_ms = idle_ms
        self._guard = threading.Lock()
        self._readers: dict[int, _Reader] = {}
        self._ended = EndedReaders()
        # whoever reports the end of an execution (Spark's listener bus) must not wait for a slow metastore
        self._endings = Endings("hive-acid-readers")
        warehouse.transactions.before_waiting = self.end_unread
        warehouse.transactions.heartbeat.after_turn = self.tend

    def partition_names(self, key: int, asked: ReadTable, settings: config.Settings) -> list[str]:
        """Names of the table's partitions; see `Snapshot`. `settings` are those of the session that reads."""
        return self._snapshot(key, asked, (), settings).partition_names(asked.name)

    def scan_plan(
        self,
        key: int,
        asked: ReadTable,
        partitions: Sequence[str] | None,
        settings: config.Settings,
        with_row_ids: bool = False,
    ) -> ScanPlan:
        """The files of the table in the execution's snapshot, held by SHARED_READ locks until the execution ends.

        See `Snapshot`. Raises HIVE_ACID_TABLE_CHANGED.
        """
        found = self._snapshot(key, asked, partitions or (), settings).scan_plan(asked.name, partitions, with_row_ids)
        with self._guard:
            if key in self._readers:
                self._readers[key].is_read = True
        return found

    def content(self, table: TableName, settings: config.Settings) -> TableContent:
        """How much is to be read of the table now, looked at in a read transaction that ends with the call.

        It takes no lock, for it opens no file, and would wait for an overwrite of the caller's own transaction.
        """
        transaction = ReadTransaction(self._warehouse, settings)
        try:
            return transaction.unlocked_snapshot(table).content(table)
        finally:
            transaction.end()

    def _snapshot(self, key: int, asked: ReadTable, partitions: Sequence[str], settings: config.Settings) -> Snapshot:
        """The snapshot of the execution, with the table locked, which is still what the scan was analysed on.

        Raises HIVE_ACID_TABLE_CHANGED if it is not, and HIVE_ACID_SNAPSHOT_UNAVAILABLE if the execution has ended.
        """
        self._end_aged()
        self._endings.start()
        with self._guard:
            self._ended.refuse(key, asked.name)
            if key not in self._readers:
                opened = ReadTransaction(self._warehouse, settings)
                self._readers[key] = _Reader(self._clock_ms(), 0, opened)
            reader = self._readers[key]
            reader.used_ms = self._clock_ms()
        try:
            snapshot = reader.transaction.snapshot(asked.name, partitions, asked.together)
            snapshot.ensure_same(asked.analysed)
            return snapshot
        except HiveAcidError:
            if key < 0:  # nobody reports the end of a scan outside of executions
                self._end_early(key, "a scan of it has failed" if reader.is_read else None)
            raise

    def end(self, key: int) -> None:
        """Ends the read transaction of a query that has ended, if it has one, without waiting for the metastore."""
        with self._guard:
            self._ended.add(key)
            self._submit_end(self._readers.pop(key, None))

    def _end_early(self, key: int, reason: str | None) -> None:
        """Ends that of a query that may go on; without a reason no scan has had an answer, so it may begin anew."""
        with self._guard:
            reader = self._readers.pop(key, None)
            if reader is not None and reason is not None:
                self._ended.add_early(key, reason)
            self._submit_end(reader)

    def _submit_end(self, reader: _Reader | None) -> None:
        if reader is not None:
            self._endings.submit(reader.transaction.end)

    def close(self) -> None:
        """Ends all of them, and waits until they have ended."""
        with self._guard:
            readers = list(self._readers.values())
            self._readers.clear()
        for reader in readers:
            reader.transaction.end()
        self._endings.close()

    def end_unread(self, tables: Collection[TableName]) -> None:
        """Ends those that hold one of the tables and are not needed: see `_end_over` and `_end_loose`."""
        with self._guard:
            held = [key for key, reader in self._readers.items() if reader.locks_one_of(tables)]
        self._end_over([key for key in held if key >= 0])
        self._end_loose([key for key in held if key < 0])

    def _end_over(self, keys: Collection[int]) -> None:
        """Ends those of executions that cannot run any more."""
        for key in self._jobs.ended_executions(keys) if keys else ():
            LOG.info("execution %d is over, and no event has told so: its read transaction ends", key)
            self.end(key)

    def _end_loose(self, keys: Collection[int]) -> None:
        """Ends those outside of executions, unless a job may be reading them."""
        if not keys or self._jobs.runs_loose():
            return
        with self._guard:
            found = [key for key in keys if key in self._readers]
            ended = [self._readers.pop(key) for key in found]
            for key in found:
                self._ended.add_early(key, "a statement has waited for its lock")
        for reader in ended:
            reader.transaction.end()

    def tend(self) -> None:
        """Ends those that are not needed any more, without waiting for the metastore or the JVM."""
        with self._guard:
            if self._readers:
                self._endings.submit(self._end_unneeded)

    def _end_unneeded(self) -> None:
        with self._guard:
            executions = [key for key in self._readers if key >= 0]
            has_loose = len(executions) < len(self._readers)
        self._end_over(executions)
        if has_loose:
            self._end_idle()

    def _end_idle(self) -> None:
        """Ends those outside of executions once neither a job nor a scan has been seen for `idle_ms`."""
        idle_ms, now_ms = self._jobs.idle_ms(), self._clock_ms()
        with self._guard:
            loose = [(key, reader) for key, reader in self._readers.items() if key < 0]
        for key, reader in loose:
            if min(idle_ms, now_ms - reader.used_ms) >= self._idle_ms:
                LOG.info("the snapshot of query %d, which nothing has read for %d ms, ends", key, idle_ms)
                self._end_early(key, f"nothing has read it for {idle_ms} ms")

    def _end_aged(self) -> None:
        oldest_ms = self._clock_ms() - self._max_age_ms
        with self._guard:
            aged = [key for key, reader in self._readers.items() if reader.started_ms < oldest_ms]
        for key in aged:
            LOG.warning("read transaction of execution %d is older than %d ms and ends now", key, self._max_age_ms)
            self._end_early(key, f"it is older than {self._max_age_ms} ms ({config.READER_MAX_AGE_MS.key})")
