"""Snapshots: the write IDs that a snapshot sees, and the folders of a table that it reads."""

from hive_acid.model.write_ids import LONG_MIN as LONG_MIN
from hive_acid.model.write_ids import RangeState as RangeState
from hive_acid.model.write_ids import ValidTxnList as ValidTxnList
from hive_acid.model.write_ids import ValidWriteIdList as ValidWriteIdList
from hive_acid.reading.late_tables import find_write_ids_now as find_write_ids_now
from hive_acid.snapshot.acid_state import AcidFolder as AcidFolder
from hive_acid.snapshot.acid_state import AcidState as AcidState
from hive_acid.snapshot.acid_state import find_aborted_overwrites as find_aborted_overwrites
from hive_acid.snapshot.acid_state import marker_folders as marker_folders
from hive_acid.snapshot.acid_state import sort_out as sort_out
from hive_acid.snapshot.stray_files import find_stray_files as find_stray_files
from hive_acid.snapshot.table_snapshot import load_scan_plan as load_scan_plan
from hive_acid.snapshot.table_snapshot import load_state as load_state
