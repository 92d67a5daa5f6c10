"""Rows of files without ACID columns are numbered as Hive numbers them, and only where somebody needs it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive_acid.errors import HiveAcidError
from hive_acid.model.names import original_order
from hive_acid.model.table import Column, TableDescription, TableName
from hive_acid.model.write_ids import ValidTxnList, ValidWriteIdList
from hive_acid.snapshot.row_numbers import number_rows
from hive_acid.snapshot.scan_plan import ScanPlan
from hive_acid.snapshot.table_snapshot import load_scan_plan
from hive_acid.wire.scan_plan import PartitionDeletes, PartitionScan, RawIds, ScanFile, ScanFolder
from support.listings import COMPACTED, ROOT, listing_of
from support.memory_file_system import MemoryFileSystem

TABLE = TableDescription(TableName("db", "t"), ROOT, (Column("id", "int"),), parameters={"transactional": "true"})
V1 = 1 << 29
"""The bucket property of bucket 0 and statement 0."""


def files_of(lines: str, rows: dict[str, int]) -> MemoryFileSystem:
    files = MemoryFileSystem()
    for file in listing_of(lines).files:
        files.add_file(f"{ROOT}/{file.relative_path}", file.length_bytes)
    files.rows = {f"{ROOT}/{name}": count for name, count in rows.items()}
    return files


def plan_of(files: MemoryFileSystem, with_row_ids: bool) -> ScanPlan:
    plan = load_scan_plan(files, TABLE, None, ValidWriteIdList("db.t", 60), ValidTxnList(100))
    files.calls.clear()
    return number_rows(files, plan, with_row_ids)


def first_rows(plan: ScanPlan) -> dict[str, int | None]:
    return {file.path: file.first_row for folder in plan.partitions[0].folders for file in folder.files}


def test_rows_of_one_bucket_are_numbered_through_in_the_order_of_paths() -> None:
    lines = """
        file:000001_0
        file:000000_0
        file:000000_0_copy_2
        file:000000_0_copy_10
        HIVE_UNION_SUBDIR_2/000000_0
        HIVE_UNION_SUBDIR_15/000000_0
        file:000000_12345678901234567890
        file:000003_0 0
    """
    rows = {
        "000000_0": 7,
        "000000_0_copy_10": 20,
        "000000_0_copy_2": 300,
        "000000_12345678901234567890": 4000,
        "HIVE_UNION_SUBDIR_15/000000_0": 50000,
    }
    files = files_of(lines, rows)
    plan = plan_of(files, with_row_ids=True)
    assert first_rows(plan) == {
        "000000_0": 0,
        "000000_0_copy_10": 7,
        "000000_0_copy_2": 27,
        "000000_12345678901234567890": 327,
        "000001_0": 0,
        "HIVE_UNION_SUBDIR_15/000000_0": 4327,
        "HIVE_UNION_SUBDIR_2/000000_0": 54327,
    }
    assert files.calls == ["row_counts"], "one call, which leaves out the last file of each bucket"
    (folder,) = plan.partitions[0].folders
    assert (folder.path, folder.raw, folder.check) == (ROOT, RawIds(0), False)
    assert folder.files[4] == ScanFile("000001_0", 100, 1, 1, 0)


def test_loaded_files_are_numbered_by_folder_under_its_write_id_and_statement() -> None:
    files = files_of(
        """
        file:000000_0
        delta_0000003_0000003_0002/000000_0
        delta_0000003_0000003_0002/000001_0
        delta_0000004_0000004/HIVE_UNION_SUBDIR_1/000000_0
        delta_0000004_0000004/HIVE_UNION_SUBDIR_2/000000_0
        """,
        {"delta_0000004_0000004/HIVE_UNION_SUBDIR_1/000000_0": 6},
    )
    folders = plan_of(files, with_row_ids=True).partitions[0].folders
    assert [(folder.raw, [(file.bucket, file.first_row) for file in folder.files]) for folder in folders] == [
        (RawIds(0), [(0, 0)]),
        (RawIds(3, 2), [(0, 0), (1, 0)]),
        (RawIds(4), [(0, 0), (0, 6)]),
    ]


def test_files_loaded_by_an_overwrite_hide_the_originals() -> None:
    (folder,) = plan_of(files_of("file:000000_0\nbase_0000003/000000_0", {}), with_row_ids=True).partitions[0].folders
    assert folder.raw and (folder.raw.write_id, folder.raw.statement_id) == (3, 0)


def test_a_compacted_base_has_no_loaded_files() -> None:
    files = files_of("base_0000003/000000_0", {})
    files.add_file(f"{ROOT}/base_0000003/_metadata_acid", text=COMPACTED)
    with pytest.raises(HiveAcidError, match="000000_0"):
        plan_of(files, with_row_ids=False)


@pytest.mark.parametrize(
    ("lines", "with_row_ids", "is_counted"),
    [
        ("file:000000_0\nfile:000000_1", False, False),
        ("file:000000_0\nfile:000000_1", True, True),
        ("file:000000_0\nfile:000001_0", True, False),
        ("file:000000_0\nfile:000000_1\ndelete_delta_0000001_0000001_0000", False, True),
        ("delta_0000002_0000002_0000/000000_0\ndelta_0000002_0000002_0000/000000_1", False, False),
        (
            "delta_0000002_0000002_0000/000000_0\ndelta_0000002_0000002_0000/000000_1\ndelete_delta_0000001_0000001_0000",
            False,
            False,
        ),
        ("delta_0000002_0000002_0000\ndelete_delta_0000003_0000003_0000", True, False),
    ],
)
def test_files_are_counted_only_if_row_ids_are_asked_for_or_deletes_may_apply(
    lines: str, with_row_ids: bool, is_counted: bool
) -> None:
    files = files_of(lines, {"000000_0": 1, "delta_0000002_0000002_0000/000000_0": 1})
    plan_of(files, with_row_ids)
    assert ("row_counts" in files.calls) is is_counted


def test_ids_that_nobody_needs_are_not_given() -> None:
    plan = plan_of(files_of("file:000000_0", {}), with_row_ids=False)
    assert first_rows(plan) == {"000000_0": None}
    assert plan.buckets == {0}


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), max_size=20))
def test_no_two_rows_of_a_bucket_have_one_number_and_none_is_left_out(sizes: list[tuple[int, int]]) -> None:
    files = files_of("".join(f"file:00000{bucket}_{i:02}\n" for i, (bucket, _) in enumerate(sizes)), {})
    rows = {f"00000{bucket}_{i:02}": count for i, (bucket, count) in enumerate(sizes)}
    files.rows = {f"{ROOT}/{name}": count for name, count in rows.items()}
    (partition,) = plan_of(files, with_row_ids=True).partitions
    found: dict[int, list[int]] = {}
    for file in (file for folder in partition.folders for file in folder.files):
        assert file.first_row is not None
        found.setdefault(file.bucket, []).extend(range(file.first_row, file.first_row + rows[file.path]))
    for bucket, numbers in found.items():
        assert numbers == list(range(sum(count for of, count in sizes if of == bucket)))


def test_a_hundred_thousand_files_are_numbered_in_one_call() -> None:
    folder = (
        load_scan_plan(files_of("file:000000_0", {}), TABLE, None, ValidWriteIdList("db.t", 60), ValidTxnList(100))
        .partitions[0]
        .folders[0]
    )
    many = tuple(ScanFile(f"000000_{i:06}", 1, 1, 0) for i in range(100_000))
    files = MemoryFileSystem()
    files.rows = {f"{ROOT}/{file.path}": 2 for file in many}
    wide = ScanFolder(folder.path, 0, 0, True, False, many, folder.raw)
    plan = ScanPlan("db.t", ValidWriteIdList("db.t", 60), (PartitionScan("", (wide,), PartitionDeletes.of(())),))
    numbered = number_rows(files, plan, with_row_ids=False).partitions[0].folders[0].files
    assert [file.first_row for file in numbered] == list(range(0, 200_000, 2))
    assert files.calls == ["row_counts"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("000000_0", "000000_0_copy_1"),
        ("000000_0_copy_10", "000000_0_copy_2"),
        ("000000_0_copy_1", "000000_1"),
        ("000001_0", "HIVE_UNION_SUBDIR_1/000000_0"),
        ("HIVE_UNION_SUBDIR_15/000000_0", "HIVE_UNION_SUBDIR_1_/000000_0"),
        ("x-/000000_0", "x/000000_0"),  # the separator is a character like any other
        ("x!y/000000_0", "x y/000000_0"),  # a blank is %20 in a URI
        ("\U0001f600/000000_0", "\uff21/000000_0"),  # Java compares 16-bit units
        ("x[/000000_0", "x0/000000_0"),
    ],
)
def test_paths_are_ordered_as_java_orders_uris(before: str, after: str) -> None:
    assert original_order(before) < original_order(after)
