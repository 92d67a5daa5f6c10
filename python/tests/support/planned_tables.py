"""Tables whose scans are planned from lines like those of `ls`, and the refusal of such a plan."""

from __future__ import annotations

import pytest

from hive_acid.errors import HiveAcidError
from hive_acid.model.table import Column, TableDescription, TableName
from hive_acid.model.write_ids import ValidTxnList, ValidWriteIdList
from hive_acid.snapshot.scan_plan import ScanPlan
from hive_acid.snapshot.table_snapshot import load_scan_plan
from support.listings import ROOT, listing_of
from support.memory_file_system import MemoryFileSystem

TRANSACTIONAL = {"transactional": "true"}
FLAT = TableDescription(TableName("db", "t"), ROOT, (Column("id", "int"),), parameters=TRANSACTIONAL)
BUCKETED = TableDescription(
    TableName("db", "t"), ROOT, (Column("id", "int"),), (), ("id",), bucket_count=2, parameters=TRANSACTIONAL
)
PARTITIONED = TableDescription(
    TableName("db", "t"), ROOT, (Column("id", "int"),), (Column("d", "string"),), parameters=TRANSACTIONAL
)


def files_of(lines: str, root: str = ROOT) -> MemoryFileSystem:
    """Files and folders below `root`."""
    return add_files(MemoryFileSystem(), lines, root)


def add_files(files: MemoryFileSystem, lines: str, root: str) -> MemoryFileSystem:
    """The same files with more of them."""
    listing = listing_of(lines, root)
    for folder in listing.folders:
        files.make_folder(listing.absolute_path(folder))
    for file in listing.files:
        files.add_file(listing.absolute_path(file.relative_path), file.length_bytes)
    return files


def plan_of(lines: str, table: TableDescription = FLAT, write_ids: str = "60", transactions: str = "100") -> ScanPlan:
    """The plan of a table with these files, for a write-ID list and a transaction list as of `state_of`."""
    snapshot = ValidWriteIdList.parse(f"db.t:{write_ids}"), ValidTxnList.parse(transactions)
    return load_scan_plan(files_of(lines), table, None, *snapshot)


def refusal_of(lines: str, table: TableDescription = FLAT, write_ids: str = "60") -> tuple[str, str]:
    """The main condition of the error, and the path that it names."""
    with pytest.raises(HiveAcidError) as raised:
        plan_of(lines, table, write_ids)
    assert raised.value.getMessageParameters()["table"] == "db.t"
    return raised.value.main_condition, raised.value.getMessageParameters()["path"]
