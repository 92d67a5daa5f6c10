"""The order for a write job, and its report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hive_acid.model.names import FolderName
from hive_acid.model.table import Column
from hive_acid.wire.row_writes import RowWrites


@dataclass(frozen=True)
class OutputJob:
    """A job of a committer of Hadoop's, which keeps files back until the driver has them put in place.

    `id` is empty if there is none: files go to the staging folder then. Files are written as if they were put below
    `root` at once; those of the partitions in `elsewhere`, by name, below these folders.
    """

    id: str = ""
    root: str = ""
    elsewhere: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Place:
    """Where a job writes: `staging` is the URI of an own hidden folder that it may fill, unless `output` says more.

    `statement_id` is the first that it may use, 0 to 4095. `overwrites`: its rows are a base, which replaces what is
    there. `discards`: nothing is stored; everything else is done, and what would have been written is told.
    """

    staging: str = ""
    write_id: int = 0
    statement_id: int = 0
    overwrites: bool = False
    discards: bool = False
    output: OutputJob = field(default_factory=OutputJob)


@dataclass(frozen=True)
class RequiredColumn:
    """A column that must not be NULL: its name, and its position in a row."""

    name: str
    position: int


@dataclass(frozen=True)
class Layout:
    """The form of the files. `name` is that of a `FileLayout`; the pattern `file_name` takes the number of the bucket.

    `row_type` is the ORC type of a row in the metastore's spelling, without partition columns. `compression` is ZLIB,
    SNAPPY or NONE, in Parquet SNAPPY, GZIP or UNCOMPRESSED. `as_hive_3`: the files are those that Hive 3.1 reads,
    otherwise Hive 4, where the two differ.
    """

    name: str
    file_name: str
    row_type: str
    compression: str
    partition_columns: tuple[Column, ...] = ()
    as_hive_3: bool = False


@dataclass(frozen=True)
class Buckets:
    """The buckets of a bucketed table; without `columns` it has none.

    `columns` are the positions of the bucketing columns in a row, in the order in which Hive's hash of `version` (1 or
    2) takes them to choose one of `count` buckets for each new row. `time_zone` is that of Hive's servers, empty if the
    hash does not depend on it.
    """

    columns: tuple[int, ...] = ()
    count: int = 0
    version: int = 2
    time_zone: str = ""


@dataclass(frozen=True)
class Spread:
    """How rows are spread over tasks and files; the number of tasks follows from the sizes that the engine finds.

    `cores` (at least 1) are those of the session; `victim_buckets` is how many buckets hold rows that a delete or
    update may change, 0 if that is not known; `max_buckets` how many files of one statement ID an insert may make in a
    partition, 1 to 4096, and 1 in a bucketed table; `shuffles_inserts`: it brings the rows of a partition together
    first; `splits_buckets`: several tasks of an insert may write to one bucket of a bucketed table, each under a
    statement ID of its own; `keeps_buckets`: the table is bucketed, so that a new version of a row stays in its bucket.
    """

    cores: int = 1
    victim_buckets: int = 0
    max_buckets: int = 4096
    shuffles_inserts: bool = True
    splits_buckets: bool = False
    keeps_buckets: bool = False


@dataclass(frozen=True)
class WriteSpec:
    """One write job, of changes of the kind `writes`.

    `table` is for messages; `time_zone` the session's, in which TIMESTAMP values are wall clock. A row with NULL in a
    column of `required` ends the job with HIVE_ACID_NULL_VALUE.
    """

    writes: RowWrites
    table: str
    time_zone: str
    layout: Layout
    place: Place = field(default_factory=Place)
    buckets: Buckets = field(default_factory=Buckets)
    spread: Spread = field(default_factory=Spread)
    required: tuple[RequiredColumn, ...] = ()


@dataclass(frozen=True)
class WrittenFolder:
    """A folder of new files, complete but for the version file; `partition` is empty in a flat table.

    `sizes` are the lengths of the files as their writers counted them, and `attempts` the attempts of tasks that wrote
    them.
    """

    name: str
    rows: int
    bytes: int
    files: tuple[str, ...]
    partition: str = ""
    sizes: tuple[int, ...] = ()
    attempts: tuple[str, ...] = ()

    @property
    def staged_path(self) -> str:
        """Where it lies below staging."""
        return f"{self.partition}/{self.name}" if self.partition else self.name


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
    """The files that a write job left in staging: folders and their files are sorted by name."""

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
