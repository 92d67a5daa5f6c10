"""Which files of an insert-only table a snapshot reads."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hive_acid.errors import HiveAcidError
from hive_acid.model.table import Column, Partition, RowFormat, TableDescription, TableName
from hive_acid.model.write_ids import ValidTxnList, ValidWriteIdList
from hive_acid.snapshot.scan_plan import ScanPlan
from hive_acid.snapshot.stray_files import refuse_stray_files
from hive_acid.snapshot.table_snapshot import load_scan_plan
from support.listings import ROOT, listing_of, state_of
from support.memory_file_system import MemoryFileSystem

INSERT_ONLY = {"transactional": "true", "transactional_properties": "insert_only"}
FLAT = TableDescription(TableName("db", "t"), ROOT, (Column("id", "int"),), parameters=INSERT_ONLY)


def plan_of(lines: str, write_ids: str = "60", transactions: str = "100") -> ScanPlan:
    files, listing = MemoryFileSystem(), listing_of(lines)
    for folder in listing.folders:
        files.make_folder(listing.absolute_path(folder))
    for file in listing.files:
        files.add_file(listing.absolute_path(file.relative_path), file.length_bytes)
    snapshot = ValidWriteIdList.parse(f"db.t:{write_ids}"), ValidTxnList.parse(transactions)
    return load_scan_plan(files, FLAT, None, *snapshot)


def read(lines: str, write_ids: str = "60", transactions: str = "100") -> list[str]:
    (partition,) = plan_of(lines, write_ids, transactions).partitions
    assert not partition.deletes.folders
    assert not any(folder.check or folder.deletes for folder in partition.folders)
    return [
        f"{folder.path.removeprefix(ROOT + '/')}/{file.path}" for folder in partition.folders for file in folder.files
    ]


def refusal_of(lines: str, write_ids: str = "60") -> str:
    with pytest.raises(HiveAcidError) as raised:
        plan_of(lines, write_ids)
    assert raised.value.main_condition == "HIVE_ACID_UNSUPPORTED_LAYOUT"
    return raised.value.getMessageParameters()["path"].removeprefix(ROOT + "/")


def test_files_of_every_name_at_any_depth_are_read_but_hidden_and_empty_ones() -> None:
    assert read("""
        delta_0000001_0000001_0000/000000_0
        delta_0000001_0000001_0000/000000_0_copy_1
        delta_0000001_0000001_0000/HIVE_UNION_SUBDIR_2/000000_0
        delta_0000001_0000001_0000/HIVE_UNION_SUBDIR_1/a/000001_0
        delta_0000001_0000001_0000/_tmp.x/000000_0
        delta_0000001_0000001_0000/_manifest
        delta_0000001_0000001_0000/.x.crc
        delta_2_2/5d4c8e_77_data.0.parq
        delta_3_3/bucket_00000
        delta_4_4/empty 0
    """) == [
        "delta_0000001_0000001_0000/000000_0",
        "delta_0000001_0000001_0000/000000_0_copy_1",
        "delta_0000001_0000001_0000/HIVE_UNION_SUBDIR_1/a/000001_0",
        "delta_0000001_0000001_0000/HIVE_UNION_SUBDIR_2/000000_0",
        "delta_2_2/5d4c8e_77_data.0.parq",
        "delta_3_3/bucket_00000",
    ]


def test_bases_hide_what_was_written_before_also_files_of_no_folder() -> None:
    lines = "base_5/x\nbase_0000003/y\ndelta_5_5/z\ndelta_6_6/z\n000000_0"
    assert read(lines.replace("000000_0", "file:000000_0")) == ["base_5/x", "delta_6_6/z"]


def test_a_truncated_table_has_no_rows() -> None:
    assert read("base_0000004/empty 0\ndelta_0000003_0000003_0000/000000_0") == []


def test_open_and_aborted_writers_are_not_seen() -> None:
    lines = "delta_1_1/a\ndelta_2_2/b\ndelta_3_3/c\nbase_4/d\ndelta_9_9/e"
    assert read(lines, write_ids="5:3:3:2,4") == ["delta_1_1/a"]


def test_a_compaction_over_aborted_writers_is_read_and_one_over_open_ones_refused() -> None:
    lines = "delta_0000001_0000005_v0000012/000000_0\ndelta_0000002_0000002_0000/000000_0"
    assert read(lines, write_ids="6:::2") == ["delta_0000001_0000005_v0000012/000000_0"]
    assert refusal_of(lines, write_ids="6:2:2:") == "delta_0000001_0000005_v0000012"
    assert refusal_of(lines, write_ids="4:::") == "delta_0000001_0000005_v0000012"


def test_files_outside_of_bases_and_deltas_are_passed_over_as_hive_does() -> None:
    assert read("delta_1_1/a\nfile:000000_0\nHIVE_UNION_SUBDIR_1/000000_0") == ["delta_1_1/a"]
    assert read("file:000000_0") == []


def test_a_compaction_refuses_files_that_the_cleaner_would_remove_after_it() -> None:
    refuse_stray_files(FLAT, state_of("delta_1_1/a"))
    with pytest.raises(HiveAcidError, match=f"{ROOT}/000000_0.*belongs to no base or delta") as raised:
        refuse_stray_files(FLAT, state_of("delta_1_1/a\nfile:000000_0"))
    assert raised.value.getCondition() == "HIVE_ACID_UNSUPPORTED_LAYOUT.STRAY_FILE"


@pytest.mark.parametrize("stray", ["000000_0", "delta_5.orc", "HIVE_UNION_SUBDIR_1/000000_0"])
def test_a_compaction_refuses_them_beside_a_base_that_hides_them_too(stray: str) -> None:
    with pytest.raises(HiveAcidError, match=f"{ROOT}/{stray}"):
        refuse_stray_files(FLAT, state_of(f"base_1/a\nfile:{stray}"))


def test_deletes_are_refused() -> None:
    assert (
        refusal_of("delta_1_1/a\ndelete_delta_0000002_0000002_0000/bucket_00000") == "delete_delta_0000002_0000002_0000"
    )


def test_partitions_with_files_of_another_format_are_refused() -> None:
    table = TableDescription(
        FLAT.name, ROOT, FLAT.columns, (Column("d", "string"),), input_format="a.OrcInputFormat", parameters=INSERT_ONLY
    )
    snapshot = ValidWriteIdList("db.t", 9), ValidTxnList(9)
    same = Partition("d=1", ("1",), f"{ROOT}/d=1", input_format="a.OrcInputFormat")
    assert load_scan_plan(MemoryFileSystem(), table, [same], *snapshot).partitions[0].folders == ()
    other = Partition("d=2", ("2",), f"{ROOT}/d=2", input_format="a.b.TextInputFormat")
    with pytest.raises(HiveAcidError, match="TextInputFormat") as raised:
        load_scan_plan(MemoryFileSystem(), table, [same, other], *snapshot)
    assert raised.value.getCondition() == "HIVE_ACID_UNSUPPORTED_TABLE.PARTITION_FORMAT"


def test_partitions_of_json_that_hive_reads_in_another_way_than_the_table_are_refused() -> None:
    row_format = RowFormat("org.apache.hadoop.hive.serde2.JsonSerDe", frozenset({("a", "b")}), FLAT.columns)
    table = TableDescription(
        FLAT.name,
        ROOT,
        FLAT.columns,
        (Column("d", "string"),),
        input_format="a.TextInputFormat",
        parameters=INSERT_ONLY,
        row_format=row_format,
    )
    snapshot = ValidWriteIdList("db.t", 9), ValidTxnList(9)
    same = Partition("d=1", ("1",), f"{ROOT}/d=1", input_format="a.TextInputFormat", row_format=row_format)
    assert load_scan_plan(MemoryFileSystem(), table, [same], *snapshot).partitions[0].folders == ()
    others: list[dict[str, Any]] = [
        {"serde": "a.B"},
        {"properties": frozenset()},
        {"columns": (Column("id", "bigint"),)},
    ]
    for changes in others:
        other = replace(same, name="d=2", row_format=replace(row_format, **changes))
        with pytest.raises(HiveAcidError, match=r"d=2 has another SerDe, SERDEPROPERTIES or columns") as raised:
            load_scan_plan(MemoryFileSystem(), table, [same, other], *snapshot)
        assert raised.value.getCondition() == "HIVE_ACID_UNSUPPORTED_TABLE.PARTITION_ROW_FORMAT"
