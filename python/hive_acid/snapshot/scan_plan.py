"""The files that hold the rows of one table in a snapshot, and where its deletes are found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hive_acid.model.evolution import Evolution
from hive_acid.model.write_ids import ValidWriteIdList
from hive_acid.wire.scan_plan import PartitionScan, ScanFile, TableScan


@dataclass(frozen=True)
class ScanPlan:
    """One table in one snapshot. `write_ids` is the snapshot's list for the table.

    `without_folder` are the names of the partitions whose folder was not there when it was listed (an empty name for
    an unpartitioned table): no rows are read of them.
    """

    table: str
    write_ids: ValidWriteIdList
    partitions: tuple[PartitionScan, ...]
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
        deletes = (folder.max_write_id for partition in partitions for folder in partition.deletes.folders)
        return max(*data, *deletes, 0, 0)

    def message(self, evolution: Evolution, json_release: str | None) -> TableScan:
        """The form for the engine; see `TableScan`."""
        return TableScan(self.table, self.write_ids.format(), evolution, json_release, self.partitions)

    def _data_files(self) -> Iterable[ScanFile]:
        return (file for partition in self.partitions for folder in partition.folders for file in folder.files)
