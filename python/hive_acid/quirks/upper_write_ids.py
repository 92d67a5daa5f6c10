"""Committed write IDs above those of a transaction that is about to commit: they keep its own in sight.

A list of valid write IDs ends with the greatest one that the metastore still has an entry for, as long as there is an
entry (TxnHandler.getValidWriteIdsForTable, 3.1.3; GetValidWriteIdsForTableFunction, 4.2.0). Its housekeeping removes
the entries of all transactions that are older than the oldest open or aborted one, of whatever table
(cleanTxnToWriteIdTable, 3.1.3; CleanTxnToWriteIdTableFunction, 4.2.0). If a younger transaction has got a lower write
ID, its entry may stay when that of the older one is removed, whether it has committed or not: nobody sees what the
older one has committed, until somebody writes to the table again. A transaction that is younger than both, with a
greater committed write ID, keeps its entry longer.
"""

from __future__ import annotations

from collections.abc import Sequence

from hive_acid import config
from hive_acid.errors import CommitStateUnknown, build_error
from hive_acid.metastore.protocol import Metastore
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.table import TableName
from hive_acid.model.write_ids import ValidTxnList, ValidWriteIdList
from hive_acid.quirks.fault import Fault
from hive_acid.quirks.quirk import Quirk
from hive_acid.transactions.manager import TransactionManager
from hive_acid.writing.stages import Published

FAULT = Fault(
    title="A list of write IDs ends with the greatest one that the metastore has not forgotten",
    releases="Hive 3.1.3 to 4.2.0",
    lines=tuple(MetastoreLine),
    harm="Committed rows are hidden from every engine if a younger transaction has a lower write ID",
    until="no supported release ends its lists with what it has not forgotten",
)


def can_have_younger_below(before: ValidWriteIdList, seen: ValidTxnList, txn_id: int, write_id: int) -> bool:
    """False if a transaction younger than `txn_id` can own no write ID of the table below its `write_id`.

    `before` are the table's write IDs as a snapshot `seen` has them. It shows those of younger transactions as open,
    also if they have committed, unless it was taken under a lock.
    """
    return seen.high_water_mark > txn_id or bool(before.open) or before.high_water_mark + 1 != write_id


def has_younger_below(metastore: Metastore, table: TableName, txn_id: int, write_id: int) -> bool:
    """True if a transaction younger than `txn_id` owns a write ID of the table below its `write_id`."""
    of_older = metastore.valid_write_ids([table], ValidTxnList(txn_id))[table]
    return any(other < write_id for other in of_older.open)


def commit_above(transactions: TransactionManager, tables: Sequence[TableName], settings: config.Settings) -> None:
    """Commits a write ID on each table that is greater than all there are. Nothing is written under it.

    Raises what the metastore says, MetastoreUnavailable also if nobody knows whether it was committed: it is not the
    transaction whose rows count.
    """
    upper = transactions.begin(", ".join(map(str, tables)), settings)
    try:
        for table in tables:
            upper.allocate_write_id(table)
        upper.commit()
    except CommitStateUnknown as unknown:
        told = unknown.getMessageParameters()
        raise build_error(
            "HIVE_ACID_METASTORE_UNAVAILABLE", uri=told["uri"], method="commit_txn", reason=told["reason"]
        ) from unknown
    except BaseException as error:
        upper.abort_because(error)
        raise


class KeptInSight(Quirk):
    """Write IDs above those of a transaction beside which younger ones have lower write IDs."""

    FAULT = FAULT

    def before_commit(self, published: Published) -> None:
        """Commits them. Raises what `commit_above` raises."""
        txn_id = published.transaction.txn_id
        hidden = [
            name
            for name, work in sorted(self.scope.work.items())
            if work.published
            and can_have_younger_below(work.before, work.snapshot.transactions, txn_id, work.write_id)
            and has_younger_below(self.warehouse.metastore, name, txn_id, work.write_id)
        ]
        if hidden:
            commit_above(self.warehouse.transactions, hidden, self.scope.settings)
