"""The seam to the engine that plans and writes row changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from hive_acid.model.names import FolderName
from hive_acid.wire.write_spec import WriteReport, WriteSpec, WrittenFolder


@dataclass(frozen=True)
class RowCounts:
    """Rows of the target by what happened to them; a row that was moved to another partition is updated.

    `replaced` are those that an overwrite or TRUNCATE has removed, if somebody wanted to know.
    """

    inserted: int = 0
    updated: int = 0
    deleted: int = 0
    replaced: int = 0

    @property
    def affected(self) -> int:
        """All that were written or deleted one by one."""
        return self.inserted + self.updated + self.deleted

    @property
    def lost(self) -> int:
        """All that are no longer as they were."""
        return self.updated + self.deleted + self.replaced

    def joined(self, other: RowCounts) -> RowCounts:
        return RowCounts(
            self.inserted + other.inserted,
            self.updated + other.updated,
            self.deleted + other.deleted,
            self.replaced + other.replaced,
        )


@dataclass(frozen=True)
class WriteResult:
    """The files that a write job left in staging."""

    folders: tuple[WrittenFolder, ...] = ()
    counts: RowCounts = RowCounts()

    @property
    def partitions(self) -> tuple[str, ...]:
        """Names of the partitions with changes, sorted; none in a flat table."""
        return tuple(sorted({folder.partition for folder in self.folders} - {""}))

    @property
    def has_first_folder(self) -> bool:
        """True if its transaction has put nothing into the table before: statement IDs begin at 0, bases have none."""
        names = (FolderName.parse(folder.name) for folder in self.folders)
        return any(not name.statement_id for name in names if name is not None)

    def joined(self, other: WriteResult) -> WriteResult:
        return WriteResult((*self.folders, *other.folders), self.counts.joined(other.counts))

    @classmethod
    def of(cls, report: WriteReport) -> WriteResult:
        """The report of the engine."""
        rows = report.rows
        return cls(report.folders, RowCounts(rows.inserted, rows.updated, rows.deleted))


class SourceChanged(Exception):
    """The statement's source had other rows when it was read again; the engine reads it once from then on."""


class Engine(Protocol):
    """Plans the row changes of the running statement in a snapshot and writes them."""

    def find_partitions(self, token: str) -> tuple[str, ...] | None:
        """Names of all partitions that the statement can touch in the snapshot of `token`, or None if it cannot tell.

        None needs to be touched in the end. Only for partitioned targets; nothing of the target is read but the names
        of partitions.
        """
        ...

    def find_misspelled(self, partitions: Sequence[str]) -> tuple[str, str] | None:
        """The first of these partitions of the target that has not the name that Hive gives its values, and that name.

        None if there is none. The meaning of a value is the engine's to say, and may depend on the session's time zone.
        """
        ...

    def count_rows(self, token: str, partitions: Sequence[str] | None) -> int:
        """How many rows the target has in the snapshot of `token`: in these partitions, or in all of it if None.

        Names of partitions that the snapshot does not know are passed over.
        """
        ...

    def write_empty(self, partitions: Sequence[str], spec: WriteSpec) -> WriteResult:
        """A base with one file without rows for each of the partitions (one empty name: for a flat table), in staging.

        The empty file hides older rows in every engine, which a folder without one does not.
        """
        ...

    def write(self, token: str, spec: WriteSpec) -> WriteResult:
        """One job; every scan of a transactional table in it reads the snapshot of `token`.

        Leaves complete folders below the staging folder of `spec`, exactly one file per partition, bucket and statement
        ID, whatever tasks were tried again. Raises SourceChanged, or the engine's own error if the query or a task
        fails; staging may then hold anything.
        """
        ...
