"""Committed write IDs above those of a transaction that is about to commit: they keep its own in sight.

A list of valid write IDs ends with the greatest one that the metastore still has an entry for, as long as there is an
entry (TxnHandler.getValidWriteIdsForTable, 3.1.3; GetValidWriteIdsForTableFunction, 4.2.0). Its housekeeping removes
the entries of all transactions that are older than the oldest open or aborted one (cleanTxnToWriteIdTable, 3.1.3;
CleanTxnToWriteIdTableFunction, 4.2.0). If a younger transaction has got a lower write ID and is aborted, the entry of
the committed one is removed and that of the aborted one stays: nobody sees what was committed, until somebody writes to
the table again. A transaction that is younger than both, with a greater committed write ID, keeps its entry longer.
"""

from __future__ import annotations

from collections.abc import Sequence

from hive_acid import config
from hive_acid.errors import CommitStateUnknown, build_error
from hive_acid.model.table import TableName
from hive_acid.model.write_ids import ValidTxnList, ValidWriteIdList
from hive_acid.transactions.manager import TransactionManager


def first_of_younger(before: ValidWriteIdList, seen: ValidTxnList, txn_id: int) -> int:
    """The first write ID of the table that a transaction younger than `txn_id` may own.

    `before` are the table's write IDs as a snapshot `seen` has them. It may have been taken under a lock, and shows
    younger transactions then.
    """
    shows_younger = seen.high_water_mark > txn_id and bool(before.open or before.aborted)
    return 1 if shows_younger else before.high_water_mark + 1


def can_be_lost_from_sight(write_id: int, first: int, now: ValidWriteIdList) -> bool:
    """True if one of the write IDs from `first` to below the own `write_id` is open or aborted.

    `now` is a list of everybody's. It may be cut to its first entry if it shows nothing (4.x), and tells nothing then.
    """
    return now.high_water_mark < write_id or any(first <= other < write_id for other in now.open | now.aborted)


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
