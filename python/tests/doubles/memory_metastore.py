"""A metastore in memory that keeps the promises of the real ones, for tests without a server.

It lacks databases as lock objects, cleaning, forgetting. Time is given: nothing times out unless the clock says
so, and then at the next call.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from doubles.memory_compactions import CompactionEntries, MemoryQueue
from doubles.memory_locks import LockTable
from doubles.memory_tables import MemoryTables
from doubles.memory_transactions import Transaction, TransactionTable, build_ended_error
from hive_acid.clock import wall_clock_ms
from hive_acid.errors import build_error
from hive_acid.metastore.types import (
    AddedFile,
    HeldLock,
    LockComponent,
    LockState,
    MetastoreLine,
    OperationKind,
    TransactionInfo,
    TransactionState,
)
from hive_acid.model.table import TableName
from hive_acid.model.write_ids import ValidTxnList, ValidWriteIdList


class MemoryMetastore(MemoryTables, MemoryQueue):
    """A `Metastore` of either line.

    `clock` gives milliseconds since 1970. A transaction without a heartbeat for `timeout_ms` (inclusive) is aborted.
    """

    def __init__(
        self,
        line: MetastoreLine = MetastoreLine.HIVE_4,
        *,
        clock: Callable[[], int] = wall_clock_ms,
        timeout_ms: int = 300_000,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__()
        self._line = line
        self._clock = clock
        self._timeout_ms = timeout_ms
        self._settings = dict(settings or {})
        self._guard = threading.RLock()
        self._transactions = TransactionTable(line)
        self._locks = LockTable(line)
        self._compactions = CompactionEntries(line, clock)
        self.kept: dict[int, set[TableName]] = {}
        self.notified: list[tuple[int, int, TableName, dict[str, Sequence[AddedFile]]]] = []

    # transactions

    @property
    def uri(self) -> str:
        return "memory"

    @property
    def line(self) -> MetastoreLine:
        return self._line

    @property
    def version(self) -> str:
        return "3.0" if self._line is MetastoreLine.HIVE_3 else "4.1.0"

    def _now(self) -> int:
        """The time, after ending what has timed out by it."""
        now = self._clock()
        for transaction in self._transactions.listed():
            if transaction.state is TransactionState.OPEN and now - transaction.heartbeat_ms >= self._timeout_ms:
                self._end(transaction, TransactionState.ABORTED)
        return now

    def _end(self, transaction: Transaction, state: TransactionState) -> None:
        transaction.state = state
        self._locks.release(transaction.id)

    def open_transaction(self, user: str, host: str, agent: str) -> int:
        with self._guard:
            return self._transactions.open(user, host, agent, self._now())

    def forget(self, txn_id: int) -> None:
        """Lists the ended transaction no more, so that its write IDs count as committed."""
        with self._guard:
            self._transactions.forget(txn_id)

    def valid_transactions(self, own_txn_id: int) -> ValidTxnList:
        with self._guard:
            self._now()
            return self._transactions.valid_transactions(own_txn_id)

    def valid_write_ids(
        self, tables: Sequence[TableName], transactions: ValidTxnList | None
    ) -> dict[TableName, ValidWriteIdList]:
        with self._guard:
            seen = transactions if transactions is not None else self.valid_transactions(0)
            return {table: self._transactions.valid_write_ids(table, seen) for table in tables}

    def restore_write_ids(self, table: TableName, high_water_mark: int, user: str, host: str) -> None:
        with self._guard:
            self._transactions.restore_write_ids(table, high_water_mark)

    def clean_entries(self) -> None:
        """Forgets whose write IDs those of the oldest transactions are, as housekeeping does."""
        with self._guard:
            self._transactions.clean_entries()

    def forget_write_ids(self, table: TableName) -> None:
        """As 3.1 does when a table is dropped, or was to be."""
        with self._guard:
            self._transactions.forget_write_ids(table)

    def allocate_write_id(self, txn_id: int, table: TableName) -> int:
        with self._guard:
            self._now()
            return self._transactions.allocate(txn_id, table)

    def keep_files(self, txn_id: int, tables: Collection[TableName]) -> None:
        with self._guard:
            self._now()
            self._transactions.require_open(txn_id)
            self.kept.setdefault(txn_id, set()).update(tables)

    def heartbeat(self, txn_id: int) -> None:
        with self._guard:
            now = self._now()
            self._transactions.require_open(txn_id).heartbeat_ms = now

    def commit(self, txn_id: int) -> None:
        with self._guard:
            self._now()
            if self.transaction_state(txn_id) is TransactionState.COMMITTED:
                return
            transaction = self._transactions.require_open(txn_id)
            winner = self._transactions.find_commit_conflict(transaction)
            if winner is not None:
                self._end(transaction, TransactionState.ABORTED)
                raise build_ended_error(txn_id, "its tables", f"a write conflict with transaction {winner}")
            transaction.commit_id = self._transactions.high_water_mark
            self._end(transaction, TransactionState.COMMITTED)
            self._compactions.note_commit(txn_id)

    def abort(self, txn_id: int) -> None:
        with self._guard:
            self._now()
            transaction = self._transactions.find(txn_id)
            if transaction is None or transaction.state is TransactionState.COMMITTED:
                state = "unknown" if transaction is None else "already committed"
                reason = f"transaction {txn_id} is {state}"
                raise build_error("HIVE_ACID_METASTORE_REFUSED", method="abort_txn", reason=reason)
            self._end(transaction, TransactionState.ABORTED)

    def transaction_state(self, txn_id: int) -> TransactionState | None:
        """The 3.1 line does not remember the commit of a transaction that recorded no write."""
        with self._guard:
            self._now()
            transaction = self._transactions.find(txn_id)
            if transaction is None or transaction.is_forgotten:
                return None
            committed = transaction.state is TransactionState.COMMITTED
            if committed and self._line is MetastoreLine.HIVE_3 and not transaction.components:
                return None
            return transaction.state

    def transactions(self) -> list[TransactionInfo]:
        with self._guard:
            self._now()
            return [transaction.info() for transaction in self._transactions.listed()]

    def latest_conflict(self, txn_id: int) -> int:
        if self._line is MetastoreLine.HIVE_3:
            raise build_error("HIVE_ACID_INTERNAL", reason="a metastore of the 3.1 line cannot be asked for conflicts")
        with self._guard:
            transaction = self._transactions.find(txn_id)
            if transaction is None or transaction.state is TransactionState.COMMITTED:
                return 0
            return self._transactions.latest_conflict(transaction)

    # locks

    def lock(
        self, txn_id: int, components: Sequence[LockComponent], user: str, host: str, agent: str
    ) -> tuple[int, LockState]:
        with self._guard:
            now = self._now()
            named = [self._normalize(component) for component in components]
            transaction = self._transactions.require_open(txn_id, ", ".join(sorted({str(c.table) for c in named})))
            lock_id = self._locks.add(txn_id, named, user, host, agent)
            self._transactions.record_lock(transaction, named)
            return lock_id, self._locks.grant(lock_id, now)

    def _normalize(self, component: LockComponent) -> LockComponent:
        """The 3.1 line lower-cases the whole partition name of a lock, values too."""
        if self._line is MetastoreLine.HIVE_3 and component.partition is not None:
            return replace(component, partition=component.partition.lower())
        return component

    def check_lock(self, txn_id: int, lock_id: int, elapsed_ms: int) -> LockState:
        with self._guard:
            now = self._now()
            transaction = self._transactions.require_open(txn_id)
            if not self._locks.belongs_to(lock_id, txn_id):
                reason = f"no such lock {lock_id}"
                raise build_error("HIVE_ACID_METASTORE_REFUSED", method="check_lock", reason=reason)
            transaction.heartbeat_ms = now
            return self._locks.grant(lock_id, now)

    def unlock(self, lock_id: int) -> None:
        with self._guard:
            self._now()
            if not self._locks.remove_waiting(lock_id):
                reason = f"lock {lock_id} is granted to an open transaction"
                raise build_error("HIVE_ACID_METASTORE_REFUSED", method="unlock", reason=reason)

    def held_locks(self, table: TableName | None = None) -> list[HeldLock]:
        with self._guard:
            self._now()
            return [lock for lock in self._locks.held() if table is None or lock.table == table]

    def add_dynamic_partitions(
        self, txn_id: int, write_id: int, table: TableName, names: Sequence[str], operation: OperationKind
    ) -> None:
        with self._guard:
            self._now()
            transaction = self._transactions.require_open(txn_id, table)
            self._transactions.record_partitions(transaction, table, names, operation)

    def notify_write(
        self, txn_id: int, write_id: int, table: TableName, files: Mapping[str, Sequence[AddedFile]]
    ) -> None:
        self.notified.append((txn_id, write_id, table, dict(files)))

    # the rest

    def config_value(self, name: str, default: str) -> str:
        return self._settings.get(name, default)

    def close(self) -> None:
        """There is nothing to close."""
