"""A metastore in memory that keeps the promises of the real ones, for tests without a server.

What it lacks: databases as lock objects, cleaning, forgetting. Time is given: nothing times out unless the clock says
so, and then at the next call.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from hive_acid.errors import HiveAcidError, build_error
from hive_acid.metastore.conversion import parse_partition_values
from hive_acid.metastore.memory_compactions import CompactionEntries, MemoryQueue
from hive_acid.metastore.memory_locks import LockTable
from hive_acid.metastore.memory_transactions import Transaction, TransactionTable, build_ended_error
from hive_acid.metastore.statistics import without_statistics
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
from hive_acid.model.table import Partition, TableConstraints, TableDescription, TableName
from hive_acid.model.write_ids import ValidTxnList, ValidWriteIdList


def _wall_clock_ms() -> int:
    return time.time_ns() // 1_000_000


class MemoryMetastore(MemoryQueue):
    """A `Metastore` of either line.

    `clock` gives milliseconds since 1970. A transaction without a heartbeat for `timeout_ms` (inclusive) is aborted.
    """

    def __init__(
        self,
        line: MetastoreLine = MetastoreLine.HIVE_4,
        *,
        clock: Callable[[], int] = _wall_clock_ms,
        timeout_ms: int = 300_000,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        self._line = line
        self._clock = clock
        self._timeout_ms = timeout_ms
        self._settings = dict(settings or {})
        self._guard = threading.RLock()
        self._transactions = TransactionTable(line)
        self._locks = LockTable(line)
        self._compactions = CompactionEntries(line, clock)
        self._tables: dict[TableName, TableDescription] = {}
        self._partitions: dict[TableName, dict[str, Partition]] = {}
        self._stored_write_ids: dict[tuple[TableName, str | None], int] = {}
        self.database_properties: dict[str, dict[str, str]] = {}
        self.table_constraints: dict[TableName, TableConstraints] = {}
        self.notified: list[tuple[int, int, TableName, dict[str, Sequence[AddedFile]]]] = []

    # what a test puts in and looks at

    def add_table(self, table: TableDescription) -> None:
        """Adds or replaces a table."""
        with self._guard:
            self._tables[table.name] = table
            self._partitions.setdefault(table.name, {})

    def add_partition(self, table: TableName, partition: Partition) -> None:
        """Adds or replaces a partition of a table that exists."""
        with self._guard:
            self._partitions[table][partition.name] = partition

    def stored_write_id(self, table: TableName, partition: str | None = None) -> int:
        """The write ID at the table or partition, which statistics are judged by; -1: none."""
        with self._guard:
            return self._stored_write_ids.get((table, partition), -1)

    # transactions

    @property
    def uri(self) -> str:
        """See `Metastore`."""
        return "memory"

    @property
    def line(self) -> MetastoreLine:
        """See `Metastore`."""
        return self._line

    @property
    def version(self) -> str:
        """See `Metastore`."""
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
        """See `Metastore`."""
        with self._guard:
            return self._transactions.open(user, host, agent, self._now())

    def valid_transactions(self, own_txn_id: int) -> ValidTxnList:
        """See `Metastore`."""
        with self._guard:
            self._now()
            return self._transactions.valid_transactions(own_txn_id)

    def valid_write_ids(
        self, tables: Sequence[TableName], transactions: ValidTxnList
    ) -> dict[TableName, ValidWriteIdList]:
        """See `Metastore`."""
        with self._guard:
            return {table: self._transactions.valid_write_ids(table, transactions) for table in tables}

    def allocate_write_id(self, txn_id: int, table: TableName) -> int:
        """See `Metastore`."""
        with self._guard:
            self._now()
            return self._transactions.allocate(txn_id, table)

    def heartbeat(self, txn_id: int) -> None:
        """See `Metastore`."""
        with self._guard:
            now = self._now()
            self._transactions.require_open(txn_id).heartbeat_ms = now

    def commit(self, txn_id: int) -> None:
        """See `Metastore`."""
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

    def abort(self, txn_id: int) -> None:
        """See `Metastore`."""
        with self._guard:
            self._now()
            transaction = self._transactions.find(txn_id)
            if transaction is None or transaction.state is TransactionState.COMMITTED:
                state = "unknown" if transaction is None else "already committed"
                reason = f"transaction {txn_id} is {state}"
                raise build_error("HIVE_ACID_METASTORE_REFUSED", method="abort_txn", reason=reason)
            self._end(transaction, TransactionState.ABORTED)

    def transaction_state(self, txn_id: int) -> TransactionState | None:
        """See `Metastore`. The 3.1 line does not remember the commit of a transaction that recorded no write."""
        with self._guard:
            self._now()
            transaction = self._transactions.find(txn_id)
            if transaction is None:
                return None
            committed = transaction.state is TransactionState.COMMITTED
            if committed and self._line is MetastoreLine.HIVE_3 and not transaction.components:
                return None
            return transaction.state

    def transactions(self) -> list[TransactionInfo]:
        """See `Metastore`."""
        with self._guard:
            self._now()
            return [transaction.info() for transaction in self._transactions.listed()]

    def latest_conflict(self, txn_id: int) -> int:
        """See `Metastore`."""
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
        """See `Metastore`."""
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
        """See `Metastore`."""
        with self._guard:
            now = self._now()
            transaction = self._transactions.require_open(txn_id)
            if not self._locks.belongs_to(lock_id, txn_id):
                reason = f"no such lock {lock_id}"
                raise build_error("HIVE_ACID_METASTORE_REFUSED", method="check_lock", reason=reason)
            transaction.heartbeat_ms = now
            return self._locks.grant(lock_id, now)

    def unlock(self, lock_id: int) -> None:
        """See `Metastore`."""
        with self._guard:
            self._now()
            if not self._locks.remove_waiting(lock_id):
                reason = f"lock {lock_id} is granted to an open transaction"
                raise build_error("HIVE_ACID_METASTORE_REFUSED", method="unlock", reason=reason)

    def held_locks(self, table: TableName | None = None) -> list[HeldLock]:
        """See `Metastore`."""
        with self._guard:
            self._now()
            return [lock for lock in self._locks.held() if table is None or lock.table == table]

    # tables and partitions

    def _not_found(self, table: TableName) -> HiveAcidError:
        return build_error("HIVE_ACID_TABLE_NOT_FOUND", table=table)

    def table(self, name: TableName) -> TableDescription:
        """See `Metastore`."""
        with self._guard:
            if name not in self._tables:
                raise self._not_found(name)
            return self._tables[name]

    def table_names(self) -> list[TableName]:
        """See `Metastore`."""
        return sorted(self._tables)

    def database_parameters(self, database: str) -> dict[str, str]:
        """See `Metastore`."""
        return self.database_properties.get(database, {}) if self._line is MetastoreLine.HIVE_4 else {}

    def constraints(self, table: TableName) -> TableConstraints:
        """See `Metastore`."""
        return self.table_constraints.get(table, TableConstraints())

    def column_defaults(self, table: TableName) -> dict[str, str]:
        """See `Metastore`. There are none here: only Spark would ask for them."""
        return {}

    def new_table_location(self, name: TableName) -> str | None:
        """See `Metastore`."""
        return None

    def partition_names(self, table: TableName) -> list[str]:
        """See `Metastore`."""
        with self._guard:
            self.table(table)
            return sorted(self._partitions[table])

    def partitions(self, table: TableName, names: Sequence[str]) -> list[Partition]:
        """See `Metastore`."""
        with self._guard:
            self.table(table)
            stored = self._partitions[table]
            return [stored[name] for name in names if name in stored]

    def add_partitions(
        self, table: TableName, locations: Mapping[str, str], write_id: int, write_ids: ValidWriteIdList
    ) -> None:
        """See `Metastore`."""
        with self._guard:
            self.table(table)
            for name, location in locations.items():
                if name not in self._partitions[table]:
                    self._partitions[table][name] = Partition(name, parse_partition_values(name), location)
                    self._store_write_id(table, name, write_id, write_ids)

    def add_dynamic_partitions(
        self, txn_id: int, write_id: int, table: TableName, names: Sequence[str], operation: OperationKind
    ) -> None:
        """See `Metastore`."""
        with self._guard:
            self._now()
            transaction = self._transactions.require_open(txn_id, table)
            self._transactions.record_partitions(transaction, table, names, operation)

    def drop_statistics(self, table: TableName, write_id: int, write_ids: ValidWriteIdList) -> None:
        """See `Metastore`."""
        with self._guard:
            stored = self.table(table)
            self._store_write_id(table, None, write_id, write_ids)
            self._tables[table] = replace(stored, parameters=without_statistics(stored.parameters))

    def drop_partition_statistics(
        self, table: TableName, names: Sequence[str], write_id: int, write_ids: ValidWriteIdList
    ) -> None:
        """See `Metastore`."""
        with self._guard:
            for partition in self.partitions(table, names):
                self._store_write_id(table, partition.name, write_id, write_ids)
                bare = replace(partition, parameters=without_statistics(partition.parameters))
                self._partitions[table][partition.name] = bare

    def cascade_columns(self, table: TableName, write_id: int, write_ids: ValidWriteIdList) -> None:
        """See `Metastore`; here partitions have no columns of their own."""
        self.drop_partition_statistics(table, self.partition_names(table), write_id, write_ids)

    def _store_write_id(
        self, table: TableName, partition: str | None, write_id: int, write_ids: ValidWriteIdList
    ) -> None:
        if not write_ids.is_valid(write_id):
            reason = f"write ID {write_id} is not visible in its own list {write_ids.format()}"
            raise build_error("HIVE_ACID_INTERNAL", reason=reason)
        if self._line is MetastoreLine.HIVE_4:
            self._stored_write_ids[table, partition] = write_id

    def notify_write(
        self, txn_id: int, write_id: int, table: TableName, files: Mapping[str, Sequence[AddedFile]]
    ) -> None:
        """See `Metastore`."""
        self.notified.append((txn_id, write_id, table, dict(files)))

    # the rest

    def config_value(self, name: str, default: str) -> str:
        """See `Metastore`."""
        return self._settings.get(name, default)

    def close(self) -> None:
        """See `Metastore`. There is nothing to close."""
