"""The files that hold the rows of one table in a snapshot, and where its deletes are found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b

from hive_acid.model.evolution import Evolution
from hive_acid.model.write_ids import ValidWriteIdList
from hive_acid.wire.scan_plan import DeleteFolder, PartitionDeletes, PartitionScan, ScanFile, ScanFolder, TableScan


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

    @property
    def is_of_one_file(self) -> bool:
        """True if readers look into its file for rows of every bucket: it is the only one, and the first bucket's."""
        return [file.bucket for file in self.files] == [0]

    def message(self) -> DeleteFolder:
        """The form for the engine."""
        return DeleteFolder(self.path, self.min_write_id, self.max_write_id, self.any_bucket, self.check, self.files)


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

    def message(self) -> PartitionScan:
        """The form for the engine."""
        return PartitionScan(self.name, self.folders, self.deletes_message())

    def deletes_message(self) -> PartitionDeletes:
        """That of the deletes alone."""
        return PartitionDeletes(tuple(deletes.message() for deletes in self.deletes), self.delete_stamp)


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

    def message(self, evolution: Evolution, json_release: str | None) -> TableScan:
        """The form for the engine; see `TableScan`."""
        partitions = tuple(partition.message() for partition in self.partitions)
        return TableScan(self.table, self.write_ids.format(), evolution, json_release, partitions)

    def _data_files(self) -> Iterable[ScanFile]:
        return (file for partition in self.partitions for folder in partition.folders for file in folder.files)
