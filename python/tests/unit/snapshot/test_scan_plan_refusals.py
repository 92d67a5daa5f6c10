"""Files that a snapshot sees and no reader could read right are refused by their paths, never passed over."""

from __future__ import annotations

import pytest

from hive_acid.errors import HiveAcidError
from hive_acid.model.table import TableDescription, TableName
from hive_acid.model.write_ids import ValidTxnList, ValidWriteIdList
from hive_acid.snapshot.table_snapshot import load_scan_plan
from support.listings import ROOT
from support.memory_file_system import MemoryFileSystem
from support.planned_tables import BUCKETED, FLAT, PARTITIONED, plan_of, refusal_of


def test_a_folder_in_the_place_of_a_bucket_file_is_refused_where_it_would_be_read() -> None:
    for folder in ("delta_0000001_0000001_0000", "delete_delta_0000002_0000002_0000"):
        lines = f"delta_0000001_0000001_0000/bucket_00001\n{folder}/bucket_00000/"
        assert refusal_of(lines) == ("HIVE_ACID_CORRUPT_FILE", f"{ROOT}/{folder}/bucket_00000")
    plan_of("base_0000003\ndelta_0000001_0000001_0000/bucket_00000/\nbase_0000003/_tmp/")


@pytest.mark.parametrize(
    "folder",
    ["base_0000001", "delta_0000002_0000002_0000", "delta_0000001_0000002", "delete_delta_0000002_0000002_0000"],
)
def test_a_bucket_file_of_no_bytes_has_lost_its_content(folder: str) -> None:
    with pytest.raises(HiveAcidError, match=f"{folder}/bucket_00001_0.*lost its content") as raised:
        plan_of(f"""
            {folder}/bucket_00000
            {folder}/bucket_00001_0 0
        """)
    assert raised.value.getCondition() == "HIVE_ACID_CORRUPT_FILE.LOST_CONTENT"


@pytest.mark.parametrize(
    ("lines", "path"),
    [
        ("part-00000.orc/part-00000.orc", "part-00000.orc/part-00000.orc"),
        ("delta_0000001_0000001_0000/data.orc", "delta_0000001_0000001_0000/data.orc"),
        ("file:part-00000-c000.zlib.orc\ndelta_0000001_0000001_0000", "part-00000-c000.zlib.orc"),
        ("file:004096_0", "004096_0"),
        ("delete_delta_0000001_0000001_0000/000000_0", "delete_delta_0000001_0000001_0000/000000_0"),
        (
            "delete_delta_0000001_0000009/bucket_00000_flush_length",
            "delete_delta_0000001_0000009/bucket_00000_flush_length",
        ),
        ("delta_0000001_0000009/000000_0", "delta_0000001_0000009/000000_0"),
        ("delta_0000001_0000001_v0000002/000000_0", "delta_0000001_0000001_v0000002/000000_0"),
        ("delta_0000001_0000001_4096/000000_0", "delta_0000001_0000001_4096/000000_0"),
        ("base_0000001_v0000002/000000_0", "base_0000001_v0000002/000000_0"),
        ("base_-9223372036854775808/000000_0", "base_-9223372036854775808/000000_0"),
        (
            "delta_0000001_0000001_0000/000000_0\ndelta_0000001_0000001_0000/bucket_00001",
            "delta_0000001_0000001_0000/bucket_00001",
        ),
        ("delta_0000001_0000001_0000/000000_0\ndelta_0000001_0000001_0000/x", "delta_0000001_0000001_0000/x"),
        ("delete_delta_0000001_0000001_0000/data.orc", "delete_delta_0000001_0000001_0000/data.orc"),
        (
            "delta_0000001_0000001_0000/delta_0000001_0000001_0000/bucket_00000",
            "delta_0000001_0000001_0000/delta_0000001_0000001_0000/bucket_00000",
        ),
        ("delta_0000001_0000001_0000/bucket_04096", "delta_0000001_0000001_0000/bucket_04096"),
    ],
)
def test_visible_files_that_are_no_data_files_are_refused_by_path(lines: str, path: str) -> None:
    assert refusal_of(lines) == ("HIVE_ACID_UNSUPPORTED_LAYOUT", f"{ROOT}/{path}")


def test_files_that_the_snapshot_does_not_see_are_not_judged() -> None:
    plan = plan_of(
        """
        file:000000_0
        HIVE_UNION_SUBDIR_1/000000_0
        delta_0000001_0000001_0000/000000_0
        base_0000002
        delta_0000003_0000003_0000/000000_0
        delta_0000004_0000009/bucket_00000_flush_length
        delta_0000002_0000002_0000/bucket_00000_0
        delta_0000002_0000002_0000/bucket_00000_1
        """,
        write_ids="3:3:3:",
    )
    assert [folder.path for folder in plan.partitions[0].folders] == ["/warehouse/t/base_0000002"]


@pytest.mark.parametrize("folder", ["base_0000001", "delta_0000001_0000001_0000", "delete_delta_0000001_0000001_0000"])
@pytest.mark.parametrize("second", ["bucket_00000_1", "bucket_00000", "bucket_0"])
def test_two_files_of_one_bucket_in_one_folder_are_corrupt(folder: str, second: str) -> None:
    condition, path = refusal_of(f"{folder}/bucket_00000_0\n{folder}/{second}")
    assert condition == "HIVE_ACID_CORRUPT_FILE"
    assert path.startswith(f"{ROOT}/{folder}/bucket_")


def test_bucketed_tables_have_no_bucket_beyond_their_number() -> None:
    lines = "delta_0000001_0000001_0000/bucket_00001\ndelta_0000001_0000001_0000/bucket_00002"
    assert refusal_of(lines, BUCKETED) == (
        "HIVE_ACID_UNSUPPORTED_LAYOUT",
        f"{ROOT}/delta_0000001_0000001_0000/bucket_00002",
    )
    assert plan_of(lines).buckets == {1, 2}
    assert plan_of("delta_0000001_0000001_0000/bucket_00001", BUCKETED).buckets == {1}


def test_tables_that_are_not_transactional_are_refused() -> None:
    table = TableDescription(TableName("db", "t"), ROOT, ())
    with pytest.raises(HiveAcidError) as raised:
        plan_of("delta_0000001_0000001_0000", table)
    assert raised.value.getCondition() == "HIVE_ACID_UNSUPPORTED_TABLE.NOT_TRANSACTIONAL"


def test_the_write_ids_of_another_table_and_forgotten_partitions_are_noticed() -> None:
    files = MemoryFileSystem()
    for table, write_ids in ((FLAT, ValidWriteIdList("db.other", 9)), (PARTITIONED, ValidWriteIdList("db.t", 9))):
        with pytest.raises(HiveAcidError) as raised:
            load_scan_plan(files, table, None, write_ids, ValidTxnList(9))
        assert raised.value.getCondition() == "HIVE_ACID_INTERNAL"
    with pytest.raises(HiveAcidError):
        load_scan_plan(files, FLAT, [], ValidWriteIdList("db.t", 9), ValidTxnList(9))
