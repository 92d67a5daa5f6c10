"""The scan plan of an insert-only table: whole files, which the names of their folders make visible or not."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from hive_acid.errors import HiveAcidError, build_error
from hive_acid.model.names import find_bucket
from hive_acid.model.table import TableDescription
from hive_acid.model.write_ids import ValidWriteIdList
from hive_acid.snapshot.acid_state import AcidFolder, AcidState
from hive_acid.snapshot.listing import ListedFile
from hive_acid.snapshot.scan_plan import ScanPlan
from hive_acid.wire.scan_plan import PartitionDeletes, PartitionScan, ScanFile, ScanFolder


def build_insert_only_plan(
    table: TableDescription, write_ids: ValidWriteIdList, states: Sequence[tuple[str, AcidState]]
) -> ScanPlan:
    """The plan for the partitions in `states` (name, state), in that order.

    Every file of a chosen folder counts, whatever its name and at any depth (Hive leaves `HIVE_UNION_SUBDIR_1/` there),
    but the hidden and the empty ones; each folder that holds files directly is a folder of the plan. So does Hive
    (HiveInputFormat.processPathsForMmRead of 3.1.3). Files that belong to no base or delta are passed over, as Hive
    does unless `hive.mm.allow.originals` is on (seen with 3.1.3 and 4.1.0).

    Raises HIVE_ACID_UNSUPPORTED_LAYOUT for delete deltas, and for a range of write IDs of which one is not settled in
    the snapshot, since no row tells its own.
    """
    partitions = tuple(_scan_partition(table, write_ids, name, state) for name, state in states)
    return ScanPlan(str(table.name), write_ids, partitions)


def _scan_partition(table: TableDescription, write_ids: ValidWriteIdList, name: str, state: AcidState) -> PartitionScan:
    for deletes in state.delete_deltas:
        raise _unsupported(table, state, deletes.path, "HIVE_ACID_UNSUPPORTED_LAYOUT.DELETES_IN_INSERT_ONLY")
    for folder in state.data_folders:
        if folder.check and not write_ids.is_settled(max(folder.name.min_write_id, 1), folder.name.max_write_id):
            raise _unsupported(table, state, folder.path, "HIVE_ACID_UNSUPPORTED_LAYOUT.UNSETTLED_RANGE")
    folders = tuple(found for folder in state.data_folders for found in _scan_folders(state, folder))
    return PartitionScan(name, folders, PartitionDeletes.of(()))


def _unsupported(table: TableDescription, state: AcidState, path: str, condition: str) -> HiveAcidError:
    return build_error(condition, table=table.name, path=state.listing.absolute_path(path))


def _scan_folders(state: AcidState, folder: AcidFolder) -> list[ScanFolder]:
    """One for each folder with files, by path."""
    filled = sorted((file for file in folder.files if file.length_bytes), key=lambda file: (_parent(file), file.name))
    first, last = max(folder.name.min_write_id, 0), max(folder.name.max_write_id, 0)
    return [
        ScanFolder(state.listing.absolute_path(parent), first, last, False, False, tuple(map(_scan_file, files)))
        for parent, files in groupby(filled, _parent)
    ]


def _scan_file(file: ListedFile) -> ScanFile:
    return ScanFile(file.name, file.length_bytes, file.modified_ms, find_bucket(file.name) or 0)


def _parent(file: ListedFile) -> str:
    return file.relative_path.rpartition("/")[0]
