"""What the scan tasks of one table are told: folders, files, and where deletes are found."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from hive_acid.errors import HiveAcidError, build_error
from hive_acid.model.bucket import MAX_BUCKET
from hive_acid.model.names import FLUSH_LENGTH_SUFFIX, BucketFileName, FolderKind, original_bucket
from hive_acid.model.table import TableDescription
from hive_acid.model.write_ids import ValidWriteIdList
from hive_acid.snapshot.acid_state import AcidFolder, AcidState
from hive_acid.snapshot.listing import ListedFile


@dataclass(frozen=True)
class ScanFolder:
    """A base or delta to read: absolute path, and its bucket files that are not empty, by name.

    `deletes`: some delete delta of the partition may concern its rows. `check`: only rows whose `currentTransaction`
    the snapshot sees are visible. All rows are of write IDs from `min_write_id` to `max_write_id`, both inclusive.
    """

    path: str
    min_write_id: int
    max_write_id: int
    deletes: bool
    check: bool
    files: tuple[ListedFile, ...]


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
    files: tuple[ListedFile, ...]


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
        files = (file for delete in self.deletes for file in delete.files)
        text = "\n".join(f"{file.relative_path}\t{file.length_bytes}\t{file.modified_ms}" for file in files)
        return blake2b(text.encode(), digest_size=16).hexdigest()


@dataclass(frozen=True)
class ScanPlan:
    """One table in one snapshot. `write_ids` is the snapshot's list for the table."""

    table: str
    write_ids: ValidWriteIdList
    partitions: tuple[ScanPartition, ...]

    @property
    def total_bytes(self) -> int:
        """Length of all data files; delete files do not count."""
        return sum(file.length_bytes for file in self._data_files())

    @property
    def buckets(self) -> frozenset[int]:
        """The bucket numbers of the data files."""
        parsed = (BucketFileName.parse(file.name) for file in self._data_files())
        return frozenset(name.bucket for name in parsed if name)

    @property
    def max_write_id(self) -> int:
        """The greatest write ID in the name of a folder that is read, or 0."""
        partitions = self.partitions
        data = (folder.max_write_id for partition in partitions for folder in partition.folders)
        deletes = (folder.max_write_id for partition in partitions for folder in partition.deletes)
        return max(*data, *deletes, 0, 0)

    def to_json(self) -> str:
        """The form the shim reads: files as `[name, bytes, ms]`, delete files by name alone."""
        partitions = [
            {
                "name": partition.name,
                "folders": [
                    {
                        "path": folder.path,
                        "deletes": folder.deletes,
                        "check": folder.check,
                        "first": folder.min_write_id,
                        "last": folder.max_write_id,
                        "files": [[file.name, file.length_bytes, file.modified_ms] for file in folder.files],
                    }
                    for folder in partition.folders
                ],
                "deletes": [
                    {
                        "path": deletes.path,
                        "check": deletes.check,
                        "first": deletes.min_write_id,
                        "last": deletes.max_write_id,
                        "anyBucket": deletes.any_bucket,
                        "files": [file.name for file in deletes.files],
                    }
                    for deletes in partition.deletes
                ],
                "deleteStamp": partition.delete_stamp,
            }
            for partition in self.partitions
        ]
        plan = {"table": self.table, "writeIds": self.write_ids.format(), "partitions": partitions}
        return json.dumps(plan, separators=(",", ":"))

    def _data_files(self) -> Iterable[ListedFile]:
        return (file for partition in self.partitions for folder in partition.folders for file in folder.files)


def build_scan_plan(
    table: TableDescription, write_ids: ValidWriteIdList, states: Sequence[tuple[str, AcidState]]
) -> ScanPlan:
    """The plan for the partitions in `states` (name, state), in that order.

    Raises HIVE_ACID_UNSUPPORTED_LAYOUT for visible files that are no bucket files of the table, HIVE_ACID_CORRUPT_FILE
    for two files of one bucket in one folder and for a folder in the place of one. What the snapshot does not see is
    not judged.
    """
    partitions = tuple(_scan_partition(table, name, state) for name, state in states)
    return ScanPlan(str(table.name), write_ids, partitions)


def _scan_partition(table: TableDescription, name: str, state: AcidState) -> ScanPartition:
    for original in state.originals:
        reason = "the file belongs to no base or delta (run a major compaction in Hive first)"
        raise _unsupported(table, state.listing.absolute_path(original.relative_path), reason)
    _check_subfolders(table, state)
    deletes = tuple(
        ScanDeletes(
            state.listing.absolute_path(folder.path),
            folder.name.min_write_id,
            folder.name.max_write_id,
            folder.name.statement_id is None,
            folder.check,
            files,
        )
        for folder in state.delete_deltas
        if (files := _bucket_files(table, state, folder))
    )
    max_delete = max((delete.max_write_id for delete in deletes), default=-1)
    folders = tuple(
        ScanFolder(
            state.listing.absolute_path(folder.path),
            _first_write_id(folder),
            max(folder.name.max_write_id, 0),
            max_delete >= _first_write_id(folder),
            folder.check,
            files,
        )
        for folder in state.data_folders
        if (files := _bucket_files(table, state, folder))
    )
    return ScanPartition(name, folders, deletes)


def _check_subfolders(table: TableDescription, state: AcidState) -> None:
    """Refuses folders in the place of files that are read: with files in them they are refused for these."""
    read = {folder.path for folder in (*state.data_folders, *state.delete_deltas)}
    for path in state.listing.folders:
        top, slash, name = path.partition("/")
        if slash and top in read and BucketFileName.parse(name):
            file = state.listing.absolute_path(path)
            raise build_error("HIVE_ACID_CORRUPT_FILE", path=file, table=table.name, reason="it is a folder")


def _first_write_id(folder: AcidFolder) -> int:
    """Where the write IDs of the folder's rows begin (inclusive); a compacted base holds rows of any write ID."""
    return 0 if folder.name.kind is FolderKind.BASE else folder.name.min_write_id


def _bucket_files(table: TableDescription, state: AcidState, folder: AcidFolder) -> tuple[ListedFile, ...]:
    """The bucket files with content, by name. Empty files are what compaction leaves for empty buckets (Hive 4)."""
    files: dict[int, ListedFile] = {}
    for file in folder.files:
        path = state.listing.absolute_path(file.relative_path)
        if file.name.endswith(FLUSH_LENGTH_SUFFIX):
            raise _unsupported(table, path, "streaming ingest is still writing, or broke off, beside this side file")
        if not file.length_bytes:
            continue
        bucket = _bucket_of(table, file, path)
        if bucket in files:
            reason = f"{files[bucket].name} holds the same bucket in the same folder"
            raise build_error("HIVE_ACID_CORRUPT_FILE", path=path, table=table.name, reason=reason)
        files[bucket] = file
    return tuple(files.values())


def _bucket_of(table: TableDescription, file: ListedFile, path: str) -> int:
    parsed = BucketFileName.parse(file.name)
    if not parsed and original_bucket(file.name) is not None:
        raise _unsupported(
            table, path, "the file was loaded without ACID columns (run a major compaction in Hive first)"
        )
    if not parsed or file.relative_path.count("/") != 1:
        raise _unsupported(table, path, "the file is not a bucket file of its folder")
    if parsed.bucket > MAX_BUCKET:
        raise _unsupported(table, path, f"buckets are numbered up to {MAX_BUCKET}")
    if table.bucket_count and parsed.bucket >= table.bucket_count:
        raise _unsupported(table, path, f"the table has only {table.bucket_count} buckets")
    return parsed.bucket


def _unsupported(table: TableDescription, path: str, reason: str) -> HiveAcidError:
    return build_error("HIVE_ACID_UNSUPPORTED_LAYOUT", table=table.name, path=path, reason=reason)
