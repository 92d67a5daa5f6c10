"""The entries of a table's history. A client of Spark Connect reads them, too, and has few libraries."""

from __future__ import annotations

from dataclasses import dataclass

from hive_acid.api.messages import read

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

    @property
    def row(self) -> tuple[str | int | tuple[str, ...] | None, ...]:
        """Its row in DESCRIBE HISTORY and `AcidTable.history`; the time is in milliseconds since 1970."""
        return (
            self.write_id,
            self.first_write_id,
            self.time_ms,
            self.operation,
            self.statement,
            self.application,
            self.application_id,
            self.user,
            self.txn_id,
            self.inserted,
            self.updated,
            self.deleted,
            self.files,
            self.bytes,
            self.partition_count,
            self.partitions,
            self.folders,
            self.folded_into,
            self.remark,
        )


def read_entries(text: str) -> tuple[HistoryEntry, ...]:
    """The entries of a message."""
    return read(tuple[HistoryEntry, ...], text)
