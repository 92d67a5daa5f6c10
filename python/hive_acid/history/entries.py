"""The entries of a table's history, which the wing of operators reads."""

from __future__ import annotations

from dataclasses import dataclass

from hive_acid.metastore.protocol import Metastore
from hive_acid.model.table import TableName
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.wings import load_wing

COMPACTION = "COMPACTION"
UNKNOWN = "unknown"
MAX_PARTITIONS = 100
"""The most partitions that an entry names."""


@dataclass(frozen=True)
class HistoryEntry:
    """The record of what one statement wrote, a compaction made, or somebody else left.

    `operation` is None where nobody noted it; `first_write_id` is less than `write_id` only for compactions and
    streaming ingest. `time_ms`, since 1970, is when the statement was about to commit, or when the newest file was
    closed. Rows are None where nobody counted them. `files` and `bytes` are as they were written; for what others
    wrote, as they lie there now. `partitions` are names, as far as folders tell, at most MAX_PARTITIONS;
    `partition_count` says how many there were. `folders` are those that still lie there, `folded_into` those of
    compactions that have taken the rows.
    """

    write_id: int
    first_write_id: int
    files: int
    bytes: int
    partition_count: int
    partitions: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    folded_into: tuple[str, ...] = ()
    time_ms: int | None = None
    txn_id: int | None = None
    operation: str | None = None
    statement: str | None = None
    application: str = UNKNOWN
    application_id: str | None = None
    user: str | None = None
    inserted: int | None = None
    updated: int | None = None
    deleted: int | None = None
    remark: str | None = None
    statement_id: int = 0

    @property
    def order(self) -> tuple[int, bool, int]:
        """Entries sort by it as they came about."""
        return self.write_id, self.operation == COMPACTION, self.statement_id


def load_history(
    metastore: Metastore, file_system: FileSystem, name: TableName, limit: int | None = None
) -> tuple[HistoryEntry, ...]:
    """The `limit` newest entries (None: all), the newest first: of what is committed and still there.

    Raises HIVE_ACID_TABLE_NOT_FOUND, HIVE_ACID_UNSUPPORTED_TABLE for a table that is not transactional, and
    HIVE_ACID_CONFIGURATION.EXTRA_MISSING.
    """
    reader = load_wing("hive_acid_ops.history.reader", "the history of a table")
    entries: tuple[HistoryEntry, ...] = reader.load_history(metastore, file_system, name, limit)
    return entries
