"""The orders for the scan tasks of one table: folders, files, and where deletes are found."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

from hive_acid.model.evolution import Evolution


@dataclass(frozen=True)
class ScanFile:
    """A file of a folder: its path below the folder, the bytes to read of it, its time and the bucket it is named by.

    `first_row` belongs to files of raw folders: the row ID of the first row, None while nobody needs it.
    """

    path: str
    length_bytes: int
    modified_ms: int
    bucket: int
    first_row: int | None = None

    WIRE_POSITIONAL = True


@dataclass(frozen=True)
class RawIds:
    """The IDs that rows of files without ACID columns share: write ID and statement ID (0 if unnamed)."""

    write_id: int
    statement_id: int = 0


@dataclass(frozen=True)
class ScanFolder:
    """A base or delta to read, or the originals of a root: absolute path, and its files that are not empty, in order.

    `deletes`: some delete delta of the partition may concern its rows. `check`: only rows whose `currentTransaction`
    the snapshot sees are visible. All rows are of write IDs from `min_write_id` to `max_write_id`, both inclusive.
    `raw`: the files have no ACID columns; the rows of all that are of one bucket are numbered through, file after file.
    """

    path: str
    min_write_id: int
    max_write_id: int
    deletes: bool
    check: bool
    files: tuple[ScanFile, ...]
    raw: RawIds | None = None


@dataclass(frozen=True)
class DeleteFolder:
    """A delete delta to read: absolute path and files, which are no others; `check` and write IDs as for rows.

    `any_bucket`: its files may hold events of other buckets beside those of their own, which are passed over (Hive
    3.1's minor compaction).
    """

    path: str
    min_write_id: int
    max_write_id: int
    any_bucket: bool
    check: bool
    files: tuple[ScanFile, ...]

    @property
    def is_of_one_file(self) -> bool:
        """True if readers look into its file for rows of every bucket: it is the only one, and the first bucket's."""
        return [file.bucket for file in self.files] == [0]


@dataclass(frozen=True)
class PartitionDeletes:
    """The deletes of a partition. `stamp` differs whenever the files differ, also for a table that was made anew.

    Executors keep what they have read under the text of this message. Folders with `check` are looked up in the list of
    write IDs that the scan or the compaction has once: a table may have thousands of partitions.
    """

    folders: tuple[DeleteFolder, ...]
    stamp: str

    @classmethod
    def of(cls, folders: tuple[DeleteFolder, ...]) -> PartitionDeletes:
        """The deletes in these folders."""
        files = [(f"{folder.path}/{file.path}", file) for folder in folders for file in folder.files]
        text = "\n".join(f"{path}\t{file.length_bytes}\t{file.modified_ms}" for path, file in files)
        return cls(folders, blake2b(text.encode(), digest_size=16).hexdigest())


@dataclass(frozen=True)
class PartitionScan:
    """A partition by the metastore's name, or the whole of an unpartitioned table (empty name)."""

    name: str
    folders: tuple[ScanFolder, ...]
    deletes: PartitionDeletes


@dataclass(frozen=True)
class TableScan:
    """One table in one snapshot. `write_ids` is the snapshot's list for the table.

    `json_release`: of a table of JSON, whose reader decides (`find_json_release`).
    """

    table: str
    write_ids: str
    evolution: Evolution
    json_release: str | None
    partitions: tuple[PartitionScan, ...]
