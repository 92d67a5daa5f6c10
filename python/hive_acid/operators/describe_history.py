"""The rows of DESCRIBE HISTORY and of `AcidTable.history`."""

from __future__ import annotations

from hive_acid.history.entries import HistoryEntry
from hive_acid.wire.operators import Row


def build_history_row(entry: HistoryEntry) -> Row:
    """One row; its time is in milliseconds since 1970."""
    return (
        entry.write_id,
        entry.first_write_id,
        entry.time_ms,
        entry.operation,
        entry.statement,
        entry.application,
        entry.application_id,
        entry.user,
        entry.txn_id,
        entry.inserted,
        entry.updated,
        entry.deleted,
        entry.files,
        entry.bytes,
        entry.partition_count,
        entry.partitions,
        entry.folders,
        entry.folded_into,
        entry.remark,
    )
