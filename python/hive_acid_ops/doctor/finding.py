"""Findings of `hive-acid doctor`, as values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from hive_acid.api.tables import TableName


class FindingKind(Enum):
    """The kind of a fault; the values are stable, for programs."""

    ABORTED_OVERWRITE = "aborted-overwrite"
    ABORTED_FOLDERS = "aborted-folders"
    ORPHAN_STAGING = "orphan-staging"
    FOREIGN_STAGING = "foreign-staging"
    PENDING_UPLOADS = "pending-uploads"
    STRAY_FILES = "stray-files"
    SPARK_MARKER = "spark-marker"
    NAME_NOT_HIVES = "name-not-hives"
    NAME_TRINO_IGNORES = "name-trino-ignores"
    UNREADABLE = "unreadable"
    FOLDER_WITHOUT_PARTITION = "folder-without-partition"
    PARTITION_WITHOUT_FOLDER = "partition-without-folder"
    LOCAL_FILES = "local-files"
    STALE_STATISTICS = "stale-statistics"
    DELTA_PILE_UP = "delta-pile-up"
    OBSOLETE_FOLDERS = "obsolete-folders"
    COMPACTION_FAILED = "compaction-failed"
    COMPACTION_WAITS = "compaction-waits"
    CLEANING_WAITS = "cleaning-waits"
    OLD_TRANSACTION = "old-transaction"
    LEAKED_READER = "leaked-reader"
    DEAD_TRANSACTION = "dead-transaction"
    UNLOCKED_WRITER = "unlocked-writer"
    IMPATIENT_CLEANER = "impatient-cleaner"
    NOT_EXAMINED = "not-examined"

    @property
    def is_hint(self) -> bool:
        """True for what is as makers ship it, costs time alone, and may be left."""
        return self is FindingKind.IMPATIENT_CLEANER


@dataclass(frozen=True)
class Finding:
    """Something that should not be so.

    `table` is None for what is the whole metastore's, `path` for what is no file or folder. `detail` says what was
    found, `harm` what it does, `cure` what to do. `is_fixable`: `--fix` does it, by removing `path`,
    or by giving up the uploads to it.
    """

    kind: FindingKind
    table: TableName | None
    partition: str | None
    path: str | None
    detail: str
    harm: str
    cure: str
    is_fixable: bool = False


@dataclass(frozen=True)
class Subject:
    """A flat table, a partition, or a partitioned table as a whole; where findings are made."""

    table: TableName
    partition: str | None = None

    def finding(
        self, kind: FindingKind, detail: str, harm: str, cure: str, path: str | None = None, is_fixable: bool = False
    ) -> Finding:
        return Finding(kind, self.table, self.partition, path, detail, harm, cure, is_fixable)
