"""The seam to the engine that plans and writes row changes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Protocol

from hive_acid.model.names import FolderName


@dataclass(frozen=True)
class WriteSpec:
    """One write job.

    `staging` is the folder the job may fill; `statement_id` the first that it may use; `row_type` the ORC type of a row
    in the metastore's spelling, without partition columns; `partition_columns` their names and types; `time_zone` the
    session's, in which TIMESTAMP values are wall clock.

    The number of write tasks follows from the sizes that the engine finds. `cores` (at least 1) are those of the
    session; `buckets` is how many buckets hold rows that a delete or update may change, 0 if that is not known;
    `max_buckets` how many files of one statement ID an insert may make in a partition; `shuffles_inserts` whether it
    brings the rows of a partition together first; `overwrites` whether its rows are a base, which replaces what is
    there; `discards` whether nothing is stored: everything else is done, and what would have been written is told.
    `required` are the columns that must not be NULL, by name and position in a row; a row with NULL there ends the job
    with HIVE_ACID_NULL_VALUE, which names `table`. `layout` is what the files are (`FileLayout`), and `file_name` the
    pattern of their names, which takes the number of the bucket.

    In a bucketed table `bucket_columns` are the positions of the bucketing columns in a row, in the order in which
    Hive's hash of `bucketing_version` (1 or 2) takes them to choose one of `bucket_count` buckets for each new row;
    `max_buckets` is 1 then, for a statement ID has one file of a bucket. `bucketing_time_zone` is that of Hive's
    servers, empty if the hash does not depend on it. `as_hive_3`: the files are those that Hive 3.1 reads, otherwise
    Hive 4, where the two differ.
    """

    kind: str
    staging: str
    write_id: int
    statement_id: int
    row_type: str
    compression: str
    time_zone: str
    cores: int = 1
    buckets: int = 0
    max_buckets: int = 4096
    shuffles_inserts: bool = True
    partition_columns: tuple[tuple[str, str], ...] = ()
    overwrites: bool = False
    table: str = ""
    required: tuple[tuple[str, int], ...] = ()
    layout: str = "acid_orc"
    file_name: str = "bucket_%05d"
    discards: bool = False
    bucket_columns: tuple[int, ...] = ()
    bucket_count: int = 0
    bucketing_version: int = 2
    bucketing_time_zone: str = ""
    as_hive_3: bool = False

    def to_json(self) -> str:
        """The form the shim reads: camelCase keys."""
        camel = {
            key.split("_")[0] + "".join(part.title() for part in key.split("_")[1:]): value
            for key, value in asdict(self).items()
        }
        return json.dumps(camel)


@dataclass(frozen=True)
class WrittenFolder:
    """A folder below staging, complete but for the version file; `partition` is empty in a flat table."""

    name: str
    rows: int
    bytes: int
    files: tuple[str, ...]
    partition: str = ""

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
        """Both."""
        return RowCounts(
            self.inserted + other.inserted,
            self.updated + other.updated,
            self.deleted + other.deleted,
            self.replaced + other.replaced,
        )


@dataclass(frozen=True)
class WriteResult:
    """What a write job left in staging."""

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
        """Both."""
        return WriteResult((*self.folders, *other.folders), self.counts.joined(other.counts))

    @classmethod
    def parse(cls, text: str) -> WriteResult:
        """From the shim's JSON. Raises KeyError if it has another form."""
        answer = json.loads(text)
        folders = tuple(
            WrittenFolder(f["name"], f["rows"], f["bytes"], tuple(f["files"]), f["partition"])
            for f in answer["folders"]
        )
        return cls(folders, RowCounts(answer["inserted"], answer["updated"], answer["deleted"]))


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

        None if there is none. What a value means is the engine's to say, and may depend on the session's time zone.
        """
        ...

    def count_rows(self, token: str, partitions: Sequence[str] | None) -> int:
        """How many rows the target has in the snapshot of `token`: in these partitions, or in all of it if None.

        Names of partitions that the snapshot does not know are passed over.
        """
        ...

    def write_empty(self, partitions: Sequence[str], spec: WriteSpec) -> WriteResult:
        """A base with one file without rows for each of the partitions (one empty name: for a flat table), in staging.

        Such a file hides older rows in every engine, which a folder without one does not.
        """
        ...

    def write(self, token: str, spec: WriteSpec) -> WriteResult:
        """One job; every scan of a transactional table in it reads the snapshot of `token`.

        Leaves complete folders below `spec.staging`, exactly one file per partition, bucket and statement ID, whatever
        tasks were tried again. Raises SourceChanged, or the engine's own error if the query or a task fails; staging
        may then hold anything.
        """
        ...
