"""The locks of statements that alter a table, not its rows: one table of rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hive_acid.metastore.types import LockComponent, LockKind, OperationKind
from hive_acid.model.table import TableName
from hive_acid.transactions.validity import is_lockable
from hive_acid.wire.ddl_kinds import DdlKind

DDL_LOCKS: Mapping[DdlKind, LockKind | None] = {
    DdlKind.ADD_PARTITION: LockKind.SHARED_READ,
    DdlKind.DROP_PARTITION: LockKind.EXCLUSIVE,
    DdlKind.RENAME_PARTITION: LockKind.EXCLUSIVE,
    DdlKind.ALTER_COLUMNS: LockKind.EXCLUSIVE,
    DdlKind.RENAME_TABLE: LockKind.EXCLUSIVE,
    DdlKind.SET_PROPERTIES: LockKind.SHARED_READ,
    # keeps other transactional statements of this name away; writers of plain tables ask for no lock
    DdlKind.CONVERT: LockKind.EXCLUSIVE,
    DdlKind.CONVERT_TO_INSERT_ONLY: LockKind.EXCLUSIVE,
    # its queries lock what they read; a lock of its own would stand behind their waiting ones, and they behind it
    DdlKind.ANALYZE: None,
    DdlKind.DROP_TABLE: LockKind.EXCLUSIVE,
    DdlKind.DROP_DATABASE: LockKind.EXCLUSIVE,
}
"""As Hive has them (WriteEntity.determineAlterTableWriteType, DDL_EXCLUSIVE and DDL_SHARED, of 3.1.3 and 4.1.0), but
for ANALYZE, which writes no rows here."""


def build_ddl_locks(
    kind: DdlKind, tables: Sequence[TableName], partitions: Sequence[str] = ()
) -> tuple[LockComponent, ...]:
    """The locks to ask for, at once; nothing for a kind without a lock.

    `partitions` are those of the one table that the statement touches; they are locked instead of the table if there
    are any and a lock request can name them all.
    """
    lock = DDL_LOCKS[kind]
    if lock is None:
        return ()
    if partitions and all(is_lockable(name) for name in partitions):
        names = sorted(set(partitions))
        return tuple(LockComponent(tables[0], lock, OperationKind.NO_TXN, name) for name in names)
    return tuple(LockComponent(table, lock, OperationKind.NO_TXN) for table in sorted(set(tables)))
