"""Transactions, write IDs and conflicts of the in-memory metastore, by the rules of either line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from hive_acid.errors import HiveAcidError, build_error
from hive_acid.metastore.types import (
    LockComponent,
    MetastoreLine,
    OperationKind,
    TransactionInfo,
    TransactionState,
)
from hive_acid.model.table import TableName
from hive_acid.model.write_ids import LONG_MAX, ValidTxnList, ValidWriteIdList

_RECORDED = (OperationKind.INSERT, OperationKind.UPDATE, OperationKind.DELETE)


@dataclass(frozen=True)
class Component:
    """A recorded write: of a table, or of one partition."""

    table: TableName
    partition: str | None
    operation: OperationKind


@dataclass
class Transaction:
    """`commit_id` is the greatest transaction ID given out when it committed; overlap is judged by it.

    One that `is_forgotten` counts as committed, and its state cannot be asked for.
    """

    id: int
    user: str
    host: str
    agent: str
    started_ms: int
    heartbeat_ms: int
    state: TransactionState = TransactionState.OPEN
    commit_id: int = 0
    components: set[Component] = field(default_factory=set)
    is_forgotten: bool = False

    @property
    def changes(self) -> list[Component]:
        """The components that take part in the search for conflicts."""
        return [part for part in self.components if part.operation.is_conflicting]

    def info(self) -> TransactionInfo:
        """As a value."""
        return TransactionInfo(
            self.id, self.state, self.user, self.host, self.agent, self.started_ms, self.heartbeat_ms
        )


def build_ended_error(txn_id: int, table: object, reason: str) -> HiveAcidError:
    """HIVE_ACID_TRANSACTION_ABORTED."""
    return build_error("HIVE_ACID_TRANSACTION_ABORTED", txnId=txn_id, table=table, reason=reason)


class TransactionTable:
    """All transactions since the start; nothing is forgotten by itself."""

    def __init__(self, line: MetastoreLine) -> None:
        self._line = line
        self._transactions: dict[int, Transaction] = {}
        self._write_ids: dict[TableName, dict[int, int]] = {}
        self._restored: dict[TableName, int] = {}

    @property
    def high_water_mark(self) -> int:
        """The greatest transaction ID given out."""
        return len(self._transactions)

    def open(self, user: str, host: str, agent: str, now_ms: int) -> int:
        """A new transaction."""
        txn_id = self.high_water_mark + 1
        self._transactions[txn_id] = Transaction(txn_id, user, host, agent, now_ms, now_ms)
        return txn_id

    def find(self, txn_id: int) -> Transaction | None:
        """The transaction in whatever state."""
        return self._transactions.get(txn_id)

    def require_open(self, txn_id: int, table: object = "its tables") -> Transaction:
        """The open transaction. Raises TransactionAborted."""
        transaction = self.find(txn_id)
        if transaction is None or transaction.state is not TransactionState.OPEN:
            raise build_ended_error(txn_id, table, "it is not open")
        return transaction

    def forget(self, txn_id: int) -> None:
        """Lists it no more, as the Cleaner does with an aborted transaction that has left nothing: so it is visible."""
        forgotten = self._transactions[txn_id]
        forgotten.state, forgotten.is_forgotten = TransactionState.COMMITTED, True
        forgotten.components.clear()

    def listed(self) -> list[Transaction]:
        """Open and aborted ones."""
        return [entry for entry in self._transactions.values() if entry.state is not TransactionState.COMMITTED]

    def valid_transactions(self, own_txn_id: int) -> ValidTxnList:
        """The snapshot of `own_txn_id`, 0: of nobody."""
        seen = [entry for entry in self.listed() if own_txn_id == 0 or entry.id < own_txn_id]
        aborted = frozenset(entry.id for entry in seen if entry.state is TransactionState.ABORTED)
        open_ids = frozenset(entry.id for entry in seen) - aborted
        mark = min(own_txn_id, self.high_water_mark) if own_txn_id else self.high_water_mark
        return ValidTxnList(mark, open_ids, aborted)

    def allocate(self, txn_id: int, table: TableName) -> int:
        """The write ID of the transaction on the table."""
        self.require_open(txn_id, table)
        return self._write_ids.setdefault(table, {}).setdefault(txn_id, self._last(table) + 1)

    def _last(self, table: TableName) -> int:
        """The greatest write ID that is known of the table; 0 for none."""
        return max([self._restored.get(table, 0), *self._write_ids.get(table, {}).values()])

    def clean_entries(self) -> None:
        """The housekeeping of the servers: entries of transactions older than the oldest open or aborted one go."""
        oldest = min((entry.id for entry in self.listed()), default=self.high_water_mark + 1)
        for table, ids in self._write_ids.items():
            self._restored[table] = self._last(table)
            self._write_ids[table] = {txn_id: write_id for txn_id, write_id in ids.items() if txn_id >= oldest}

    def forget_write_ids(self, table: TableName) -> None:
        """As 3.1 does when a table is dropped, or was to be."""
        self._write_ids.pop(table, None)
        self._restored.pop(table, None)

    def restore_write_ids(self, table: TableName, high_water_mark: int) -> None:
        """Write IDs of nobody up to the mark, unless there are any."""
        if not self._last(table):
            self._restored[table] = high_water_mark

    def valid_write_ids(self, table: TableName, transactions: ValidTxnList) -> ValidWriteIdList:
        """As the servers compute it; 4.x cuts a list without any visible write ID to its first entry."""
        ids = self._write_ids.get(table, {})
        below = [write_id for txn_id, write_id in ids.items() if txn_id <= transactions.high_water_mark]
        mark = max(below, default=self._last(table))
        hidden = {w: txn_id for txn_id, w in ids.items() if w <= mark and not transactions.is_valid(txn_id)}
        aborted = frozenset(w for w, txn_id in hidden.items() if transactions.is_aborted(txn_id))
        open_ids = frozenset(hidden) - aborted
        min_open = min(open_ids, default=LONG_MAX)
        shows_none = len(hidden) == sum(write_id <= mark for write_id in ids.values())
        if self._line is MetastoreLine.HIVE_4 and hidden and shows_none:
            mark = min(hidden)
            open_ids, aborted = open_ids & {mark}, aborted & {mark}
        return ValidWriteIdList(str(table), mark, open_ids, aborted, min_open)

    def record_lock(self, transaction: Transaction, components: Iterable[LockComponent]) -> None:
        """Records the writes among the components of a lock."""
        parts = [part for part in components if part.operation in _RECORDED]
        for part in parts:
            if not part.is_dynamic_partition_write:
                transaction.components.add(Component(part.table, part.partition, part.operation))
            elif self._line is MetastoreLine.HIVE_4:
                changing = any(
                    other.table == part.table and other.is_dynamic_partition_write and other.operation.is_conflicting
                    for other in parts
                )
                operation = OperationKind.UPDATE if changing else OperationKind.INSERT
                transaction.components.add(Component(part.table, None, operation))

    def record_partitions(
        self, transaction: Transaction, table: TableName, names: Iterable[str], operation: OperationKind
    ) -> None:
        """Records written partitions; on 4.x they replace the placeholder of the lock."""
        if self._line is MetastoreLine.HIVE_4:
            transaction.components -= {
                part for part in transaction.components if (part.table, part.partition) == (table, None)
            }
        transaction.components |= {Component(table, name, operation) for name in names}

    def find_commit_conflict(self, transaction: Transaction) -> int | None:
        """A transaction that committed a change of the same object while this one was open."""
        for other in self._overlapping(transaction):
            for mine in transaction.changes:
                for theirs in other.changes:
                    same = (mine.table, mine.partition) == (theirs.table, theirs.partition)
                    if same and self._clash(mine.operation, theirs.operation):
                        return other.id
        return None

    def _clash(self, mine: OperationKind, theirs: OperationKind) -> bool:
        """On 3.1 two deletes do not clash."""
        return self._line is MetastoreLine.HIVE_4 or OperationKind.UPDATE in (mine, theirs)

    def latest_conflict(self, transaction: Transaction) -> int:
        """The greatest ID of a committed transaction that changed what this one is about to change; 0: none."""
        found = [
            other.id
            for other in self._overlapping(transaction)
            for mine in transaction.changes
            for theirs in other.changes
            if mine.table == theirs.table and (mine.partition is None or mine.partition == theirs.partition)
        ]
        return max(found, default=0)

    def _overlapping(self, transaction: Transaction) -> list[Transaction]:
        return [
            other
            for other in self._transactions.values()
            if other.state is TransactionState.COMMITTED and other.commit_id >= transaction.id
        ]
