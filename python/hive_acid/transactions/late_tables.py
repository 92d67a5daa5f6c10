"""Tables that are locked after the snapshot was taken, and whether they may still be read in it.

A lock keeps others from dropping a table or a partition, but only from then on. A table dropped between the snapshot
and the lock leaves no trace that a reader of the snapshot meets: rows that others had moved elsewhere before they
dropped the rest would be in neither place.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from hive_acid.errors import Refusal, build_refusal
from hive_acid.metastore.compaction_types import CompactionInfo, CompactionState
from hive_acid.model.table import TableDescription, TableName
from hive_acid.model.write_ids import ValidTxnList, ValidWriteIdList
from hive_acid.transactions.validity import is_unchanged

_DONE = (CompactionState.READY, CompactionState.SUCCEEDED, CompactionState.FAILED, CompactionState.UNKNOWN)
"""One that has failed is among them if it had been committed: the Cleaner has failed then, half way maybe."""
CLOCK_STEP_MS = 1000
"""The metastore keeps times of creation in seconds."""


def find_late_change(
    table: TableDescription, before: ValidWriteIdList, now: ValidWriteIdList, started_ms: int | None
) -> Refusal | None:
    """Why the table cannot be read by a snapshot that saw `before`, by HIVE_ACID_TABLE_CHANGED; None if it can be.

    `table` and `now` are looked at under the lock. `started_ms` is when the transaction began by the metastore's clock,
    None if that is not known.

    * Nothing was committed since: whoever drops something by the protocol leaves a write ID, or has moved no row.
    * A flat table of which the snapshot sees a write was there already: a table that is made anew starts without.
    * A partitioned table to which others have written since may have lost partitions since. No write ID tells whether
      it has: Hive 3.1 drops without one, and rows may have been copied elsewhere under one that looks like any other.
    """
    if is_unchanged(before, now, own_write_id=0):
        return None
    if table.is_partitioned:
        return build_refusal("HIVE_ACID_TABLE_CHANGED.WRITTEN_SINCE")
    if before.max_visible > 0:
        return None
    if started_ms is not None and 0 < table.created_s * 1000 < started_ms - CLOCK_STEP_MS:
        return None
    return build_refusal("HIVE_ACID_TABLE_CHANGED.MADE_SINCE")


def find_late_compaction(
    entries: Iterable[CompactionInfo], tables: Collection[TableName], seen: ValidTxnList
) -> tuple[TableName, Refusal] | None:
    """The first of the tables with a compaction whose result a snapshot does not see, and why.

    The Cleaner may have removed what it has folded. `entries` are those of the queue and of its history, `seen` the
    transactions that the snapshot sees.
    """
    for entry in entries:
        is_unseen = entry.txn_id is not None and not seen.is_valid(entry.txn_id)
        is_done = entry.state in _DONE and (entry.state is not CompactionState.FAILED or entry.committed_ms is not None)
        if entry.table in tables and is_done and is_unseen:
            return entry.table, build_refusal("HIVE_ACID_TABLE_CHANGED.COMPACTED_SINCE")
    return None
