"""A metastore as one client of a test uses it."""

from __future__ import annotations

from dataclasses import dataclass, field

from hive_acid.metastore.types import LockComponent, LockKind, LockState, MetastoreLine, OperationKind, TransactionState
from hive_acid.model.table import TableName
from hive_acid.model.write_ids import ValidWriteIdList
from support.metastore_setup import MetastoreSetup

ACQUIRED, WAITING = LockState.ACQUIRED, LockState.WAITING
READ, SHARED_WRITE, EXCLUSIVE = LockKind.SHARED_READ, LockKind.SHARED_WRITE, LockKind.EXCLUSIVE
SELECT, INSERT, UPDATE, DELETE = (
    OperationKind.SELECT,
    OperationKind.INSERT,
    OperationKind.UPDATE,
    OperationKind.DELETE,
)
NEVER_BEGUN = 10**12
"""A transaction ID (or lock ID) that was never given out."""


@dataclass
class Session:
    """Remembers its transactions so that none stays open."""

    setup: MetastoreSetup
    begun: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.metastore = self.setup.metastore

    def begin(self) -> int:
        self.begun.append(self.metastore.open_transaction("tester", "testhost", "contract"))
        return self.begun[-1]

    def write_ids(self, txn_id: int, table: TableName) -> ValidWriteIdList:
        return self.metastore.valid_write_ids([table], self.metastore.valid_transactions(txn_id))[table]

    def lock(
        self,
        txn_id: int,
        table: TableName,
        kind: LockKind,
        operation: OperationKind = SELECT,
        partition: str | None = None,
        *,
        is_dynamic: bool = False,
    ) -> tuple[int, LockState]:
        component = LockComponent(table, kind, operation, partition, is_dynamic)
        return self.metastore.lock(txn_id, [component], "tester", "testhost", "contract")

    @property
    def writer(self) -> LockKind:
        """The lock under which a row is changed."""
        return SHARED_WRITE if self.metastore.line is MetastoreLine.HIVE_3 else LockKind.EXCL_WRITE

    def begin_change(self, table: TableName, operation: OperationKind = UPDATE) -> tuple[int, int, LockState]:
        """A transaction that is about to change rows: its ID, its lock and whether that was granted."""
        txn_id = self.begin()
        self.metastore.allocate_write_id(txn_id, table)
        return txn_id, *self.lock(txn_id, table, self.writer, operation)

    def end_all(self) -> None:
        for txn_id in self.begun:
            if self.metastore.transaction_state(txn_id) is TransactionState.OPEN:
                self.metastore.abort(txn_id)
