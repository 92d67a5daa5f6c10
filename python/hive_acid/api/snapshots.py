"""Snapshots: the write IDs that one sees, and what it makes of the folders of a table."""

from hive_acid.model.write_ids import LONG_MIN, RangeState, ValidTxnList, ValidWriteIdList
from hive_acid.reading.late_tables import find_write_ids_now
from hive_acid.snapshot.acid_state import AcidFolder, AcidState, find_aborted_overwrites, marker_folders, sort_out
from hive_acid.snapshot.foreign_files import find_foreign_files, find_names_not_hives, find_stray_files
from hive_acid.snapshot.table_snapshot import load_scan_plan, load_state

__all__ = [
    "LONG_MIN",
    "AcidFolder",
    "AcidState",
    "RangeState",
    "ValidTxnList",
    "ValidWriteIdList",
    "find_aborted_overwrites",
    "find_foreign_files",
    "find_names_not_hives",
    "find_stray_files",
    "find_write_ids_now",
    "load_scan_plan",
    "load_state",
    "marker_folders",
    "sort_out",
]
