"""Asks the metastore whether tables that were locked after the snapshot may be read in it."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from hive_acid.errors import Refusal
from hive_acid.metastore.protocol import Metastore
from hive_acid.model.table import TableName
from hive_acid.model.write_ids import ValidTxnList, ValidWriteIdList
from hive_acid.reading.snapshot import Snapshot
from hive_acid.transactions.late_tables import find_late_change, find_late_compaction
from hive_acid.transactions.manager import Transaction


def find_late_table(
    metastore: Metastore, snapshot: Snapshot, tables: Iterable[TableName], transaction: Transaction
) -> tuple[TableName, Refusal] | None:
    """The first of the tables that the transaction, which has locked them by now, cannot read in the snapshot any more.

    The Cleaner has to be asked to leave their files, where it waits for nobody else: what a compaction has folded that
    the snapshot does not see may be gone by then. The second part is why.
    """
    names = sorted(set(tables))
    transaction.keep_files(names)
    changed = find_changed_since(metastore, snapshot, names, transaction.txn_id)
    if changed is None and names and transaction.asks_cleaner:
        changed = find_late_compaction(metastore.compactions(), names, snapshot.transactions)
    return changed


def find_missed_compaction(
    metastore: Metastore, transaction: Transaction, tables: Collection[TableName], seen: ValidTxnList
) -> tuple[TableName, Refusal] | None:
    """The first of the tables, of which the Cleaner was asked, that the transaction's own snapshot cannot be read of.

    It does not see younger transactions. If there are any, one may have compacted the table before the Cleaner was
    asked. The second part is why.
    """
    if not (tables and transaction.asks_cleaner and transaction.has_younger):
        return None
    return find_late_compaction(metastore.compactions(), tables, seen)


def find_changed_since(
    metastore: Metastore, snapshot: Snapshot, tables: Iterable[TableName], txn_id: int | None
) -> tuple[TableName, Refusal] | None:
    """The first of the tables, which are locked by now, that the snapshot cannot be read of any more, and why.

    Facts that the snapshot had looked up of them are asked for anew. `txn_id` is the reader's transaction, if it has
    one.
    """
    names = sorted(set(tables))
    if not names:
        return None
    snapshot.forget(names)
    now = metastore.valid_write_ids(names, None)
    started_ms: int | None = None
    for name in names:
        table, before = snapshot.description(name), snapshot.write_ids(name)
        change = find_late_change(table, before, now[name], started_ms)
        if change is not None and started_ms is None and not table.is_partitioned:
            started_ms = _find_start_ms(metastore, txn_id)
            change = find_late_change(table, before, now[name], started_ms)
        if change is not None:
            return name, change
    return None


def find_write_ids_now(metastore: Metastore, table: TableName) -> ValidWriteIdList:
    """The write IDs that a transaction that begins now would see; none of a transaction that is still open."""
    return metastore.valid_write_ids([table], None)[table]


def _find_start_ms(metastore: Metastore, txn_id: int | None) -> int | None:
    """When the transaction began, by the metastore's clock."""
    return next((info.started_ms for info in metastore.transactions() if info.id == txn_id), None)
