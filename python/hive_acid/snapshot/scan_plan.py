"""What the scan tasks of one table are told: folders, files, and where deletes are found."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from hive_acid.model.bucket import BucketProperty
from hive_acid.model.evolution import Evolution
from hive_acid.model.write_ids import ValidWriteIdList


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


@dataclass(frozen=True)
class RawIds:
    """What the rows of files without ACID columns have in common: their write ID and statement ID (0 if unnamed)."""

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

    def to_dict(self) -> dict[str, Any]:
        """The form the shim reads: files as `[path, bytes, ms]`, raw ones with bucket property and first row ID."""
        text: dict[str, Any] = {"path": self.path, "deletes": self.deletes, "check": self.check}
        text |= {"first": self.min_write_id, "last": self.max_write_id}
        files: list[list[Any]] = [[file.path, file.length_bytes, file.modified_ms] for file in self.files]
        if self.raw is None:
            return {**text, "files": files}
        properties = [BucketProperty(file.bucket, self.raw.statement_id).encode() for file in self.files]
        for row, file, encoded in zip(files, self.files, properties, strict=True):
            row += [encoded, file.first_row]
        return {**text, "writeId": self.raw.write_id, "files": files}


@dataclass(frozen=True)
class ScanDeletes:
    """A delete delta to read: absolute path, files; `check` and write IDs as for rows.

    `any_bucket`: its files may hold events of other buckets beside those of their own (Hive 3.1's minor compaction).
    """

    path: str
    min_write_id: int
    max_write_id: int
    any_bucket: bool
    check: bool
    files: tuple[ScanFile, ...]

    def to_dict(self) -> dict[str, Any]:
        """The form the shim reads: files by name alone."""
        text: dict[str, Any] = {"path": self.path, "check": self.check, "anyBucket": self.any_bucket}
        return {**text, "first": self.min_write_id, "last": self.max_write_id, "files": [f.path for f in self.files]}


@dataclass(frozen=True)
class ScanPartition:
    """A partition by the metastore's name, or the whole of an unpartitioned table (empty name)."""

    name: str
    folders: tuple[ScanFolder, ...]
    deletes: tuple[ScanDeletes, ...]

    @property
    def delete_stamp(self) -> str:
        """Differs whenever the delete files differ, also for a table that was dropped and made again at one place.

        Executors keep what they read of delete files by it.
        """
        files = [(f"{delete.path}/{file.path}", file) for delete in self.deletes for file in delete.files]
        text = "\n".join(f"{path}\t{file.length_bytes}\t{file.modified_ms}" for path, file in files)
        return blake2b(text.encode(), digest_size=16).hexdigest()


@dataclass(frozen=True)
class ScanPlan:
    """One table in one snapshot. `write_ids` is the snapshot's list for the table.

    `without_folder` are the names of the partitions whose folder was not there when it was listed (an empty name for
    an unpartitioned table): no rows are read of them.
    """

    table: str
    write_ids: ValidWriteIdList
    partitions: tuple[ScanPartition, ...]
    without_folder: tuple[str, ...] = ()

    @property
    def total_bytes(self) -> int:
        """Length of all data files; delete files do not count."""
        return sum(file.length_bytes for file in self._data_files())

    @property
    def buckets(self) -> frozenset[int]:
        """The bucket numbers of the data files."""
        return frozenset(file.bucket for file in self._data_files())

    @property
    def max_write_id(self) -> int:
        """The greatest write ID in the name of a folder that is read, or 0."""
        partitions = self.partitions
        data = (folder.max_write_id for partition in partitions for folder in partition.folders)
        deletes = (folder.max_write_id for partition in partitions for folder in partition.deletes)
        return max(*data, *deletes, 0, 0)

    def to_json(self, evolution: Evolution, *, json_release: str | None = None) -> str:
        """The form the shim reads: see `ScanFolder.to_dict` and `ScanDeletes.to_dict`.

        `json_release`: of a table of JSON, whose reader decides (`find_json_release`).
        """
        partitions = [
            {
                "name": partition.name,
                "folders": [folder.to_dict() for folder in partition.folders],
                "deletes": [deletes.to_dict() for deletes in partition.deletes],
                "deleteStamp": partition.delete_stamp,
            }
            for partition in self.partitions
        ]
        plan = {"table": self.table, "writeIds": self.write_ids.format(), "evolution": evolution.to_dict()}
        released = {} if json_release is None else {"jsonRelease": json_release}
        return json.dumps({**plan, **released, "partitions": partitions}, separators=(",", ":"))

    def _data_files(self) -> Iterable[ScanFile]:
        return (file for partition in self.partitions for folder in partition.folders for file in folder.files)
