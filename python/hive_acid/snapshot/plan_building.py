"""The scan plan of a table, from the states of its roots."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from hive_acid.errors import HiveAcidError, Refusal, build_error, build_refusal
from hive_acid.model.bucket import MAX_BUCKET, MAX_STATEMENT
from hive_acid.model.names import (
    FLUSH_LENGTH_SUFFIX,
    BucketFileName,
    FolderKind,
    original_bucket,
    original_order,
)
from hive_acid.model.table import TableDescription
from hive_acid.model.write_ids import LONG_MIN, ValidWriteIdList
from hive_acid.snapshot.acid_state import AcidFolder, AcidState, marker_folders
from hive_acid.snapshot.listing import ListedFile
from hive_acid.snapshot.scan_plan import ScanPlan
from hive_acid.wire.scan_plan import DeleteFolder, PartitionDeletes, PartitionScan, RawIds, ScanFile, ScanFolder


def build_scan_plan(
    table: TableDescription,
    write_ids: ValidWriteIdList,
    states: Sequence[tuple[str, AcidState]],
    readable_bytes: Mapping[str, int] | None = None,
) -> ScanPlan:
    """The plan for the partitions in `states` (name, state), in that order.

    `readable_bytes` tells, by absolute path, how much may be read of files that streaming ingest still writes; all
    others are read to their end.

    Raises HIVE_ACID_UNSUPPORTED_LAYOUT for visible files that are no data files of the table, HIVE_ACID_CORRUPT_FILE
    for two files of one bucket in one folder and for a folder in the place of one. Files that the snapshot does not see
    are not judged.
    """
    lengths = readable_bytes or {}
    return ScanPlan(
        str(table.name),
        write_ids,
        tuple(_Partition(table, state, lengths).scan_partition(name) for name, state in states),
    )


class _Partition:
    """One partition, or the whole of an unpartitioned table."""

    def __init__(self, table: TableDescription, state: AcidState, readable_bytes: Mapping[str, int]) -> None:
        self.table = table
        self.state = state
        self.readable_bytes = readable_bytes

    def scan_partition(self, name: str) -> PartitionScan:
        self._check_subfolders()
        deletes = tuple(
            DeleteFolder(
                self._absolute(folder.path),
                folder.name.min_write_id,
                folder.name.max_write_id,
                folder.name.statement_id is None,
                folder.check,
                files,
            )
            for folder in self.state.delete_deltas
            if (files := self._bucket_files(folder.path, self._files_with_content(folder)))
        )
        max_delete = max((delete.max_write_id for delete in deletes), default=-1)
        folders = [self._scan_folder(folder, max_delete) for folder in self.state.data_folders]
        filled = tuple(f for f in (self._originals(max_delete), *folders) if f.files)
        return PartitionScan(name, filled, PartitionDeletes.of(deletes))

    def _check_subfolders(self) -> None:
        """Refuses folders in the place of files that are read: with files in them they are refused for these."""
        read = {folder.path for folder in (*self.state.data_folders, *self.state.delete_deltas)}
        for path in self.state.listing.folders:
            top, slash, name = path.partition("/")
            if slash and top in read and BucketFileName.parse(name):
                file, table = self._absolute(path), self.table.name
                raise build_error("HIVE_ACID_CORRUPT_FILE.FOLDER", path=file, table=table)

    def _originals(self, max_delete: int) -> ScanFolder:
        """Files from before the table was transactional: Hive's write ID 0, which every snapshot sees."""
        files = self._raw_files("", self.state.originals)
        return ScanFolder(self.state.listing.root.rstrip("/"), 0, 0, max_delete >= 0, False, files, RawIds(0))

    def _scan_folder(self, folder: AcidFolder, max_delete: int) -> ScanFolder:
        path, first, last = self._absolute(folder.path), _first_write_id(folder), max(folder.name.max_write_id, 0)
        deletes = max_delete >= first
        files = self._files_with_content(folder)
        raw = [file for file in files if original_bucket(file.name) is not None]
        if not raw:
            return ScanFolder(path, first, last, deletes, folder.check, self._bucket_files(folder.path, files))
        ids = self._raw_ids(folder, raw[0])
        return ScanFolder(path, first, last, deletes, folder.check, self._raw_files(folder.path + "/", files), ids)

    def _raw_ids(self, folder: AcidFolder, file: ListedFile) -> RawIds:
        """The IDs of rows that were loaded, which took one write ID; no compaction leaves them without ACID columns."""
        name = folder.name
        is_compacted = name.visibility_txn_id or folder.path in marker_folders(self.state.listing)
        if is_compacted or name.min_write_id != name.max_write_id or name.min_write_id == LONG_MIN:
            raise self._unsupported(
                file, build_refusal("HIVE_ACID_UNSUPPORTED_LAYOUT.RAW_FILE_IN_FOLDER", folder=folder.path)
            )
        statement_id = name.statement_id or 0
        if statement_id > MAX_STATEMENT:
            raise self._unsupported(
                file, build_refusal("HIVE_ACID_UNSUPPORTED_LAYOUT.STATEMENT_BEYOND_LIMIT", limit=MAX_STATEMENT)
            )
        return RawIds(name.max_write_id, statement_id)

    def _files_with_content(self, folder: AcidFolder) -> list[ListedFile]:
        """Files to read, with the bytes to read.

        No writer leaves a file of no bytes under the name of a bucket: one without rows has a footer, too
        (OrcRecordUpdater.close). Files that were loaded may be empty, and those that streaming ingest has not flushed.
        """
        found = []
        for file in folder.files:
            if file.name.endswith(FLUSH_LENGTH_SUFFIX):
                if folder.name.kind is FolderKind.DELETE_DELTA:
                    raise self._unsupported(file, Refusal("HIVE_ACID_UNSUPPORTED_LAYOUT.SIDE_FILE_OF_DELETES"))
                continue
            readable = self.readable_bytes.get(self._absolute(file.relative_path))
            if readable is None and not file.length_bytes and BucketFileName.parse(file.name):
                path, table = self._absolute(file.relative_path), self.table.name
                raise build_error("HIVE_ACID_CORRUPT_FILE.LOST_CONTENT", path=path, table=table)
            length = file.length_bytes if readable is None else readable
            if length:
                found.append(ListedFile(file.relative_path, length, file.modified_ms))
        return found

    def _bucket_files(self, folder: str, listed: Iterable[ListedFile]) -> tuple[ScanFile, ...]:
        """Files with ACID columns, by name."""
        files: dict[int, ScanFile] = {}
        for file in listed:
            parsed = BucketFileName.parse(file.name)
            if not parsed or file.relative_path.count("/") != 1:
                raise self._unsupported(file, Refusal("HIVE_ACID_UNSUPPORTED_LAYOUT.NO_BUCKET_FILE"))
            if parsed.bucket in files:
                path, other = self._absolute(file.relative_path), files[parsed.bucket].path
                raise build_error("HIVE_ACID_CORRUPT_FILE.SAME_BUCKET", path=path, table=self.table.name, other=other)
            files[parsed.bucket] = self._scan_file(file, len(folder) + 1, parsed.bucket)
        return tuple(files.values())

    def _raw_files(self, prefix: str, listed: Iterable[ListedFile]) -> tuple[ScanFile, ...]:
        """Files without ACID columns, in the order in which their rows are numbered."""
        files = []
        for file in sorted(listed, key=lambda each: original_order(each.relative_path)):
            bucket = original_bucket(file.name)
            if bucket is None:
                raise self._unsupported(file, self._judge_name(file, bool(prefix)))
            files.append(self._scan_file(file, len(prefix), bucket))
        return tuple(files)

    def _judge_name(self, file: ListedFile, in_folder: bool) -> Refusal:
        if in_folder and BucketFileName.parse(file.name):
            return Refusal("HIVE_ACID_UNSUPPORTED_LAYOUT.MIXED_FOLDER")
        return Refusal("HIVE_ACID_UNSUPPORTED_LAYOUT.NO_BUCKET_IN_NAME")

    def _scan_file(self, file: ListedFile, prefix_length: int, bucket: int) -> ScanFile:
        if bucket > MAX_BUCKET:
            raise self._unsupported(
                file, build_refusal("HIVE_ACID_UNSUPPORTED_LAYOUT.BUCKET_BEYOND_LIMIT", limit=MAX_BUCKET)
            )
        if self.table.bucket_count and bucket >= self.table.bucket_count:
            found = build_refusal("HIVE_ACID_UNSUPPORTED_LAYOUT.BUCKET_BEYOND_TABLE", buckets=self.table.bucket_count)
            raise self._unsupported(file, found)
        return ScanFile(file.relative_path[prefix_length:], file.length_bytes, file.modified_ms, bucket)

    def _absolute(self, relative_path: str) -> str:
        return self.state.listing.absolute_path(relative_path)

    def _unsupported(self, file: ListedFile, refusal: Refusal) -> HiveAcidError:
        return refusal.build_error(table=self.table.name, path=self._absolute(file.relative_path))


def _first_write_id(folder: AcidFolder) -> int:
    """Where the write IDs of the folder's rows begin (inclusive); a compacted base holds rows of any write ID."""
    return 0 if folder.name.kind is FolderKind.BASE else folder.name.min_write_id
