"""The names of folders and a list of write IDs tell which folders are read, and in which order."""

from __future__ import annotations

from hive_acid.model.write_ids import ValidWriteIdList
from hive_acid.snapshot.directory_choice import newest_base_write_id
from support.listings import COMPACTED, TRUNCATED, listing_of, originals, read_folders, state_of


def test_deltas_are_read_in_the_order_of_their_write_ids() -> None:
    state = state_of("""
        delta_0000010_0000010_0000
        delta_0000002_0000002_0000
        delta_0000001_0000001_0000
    """)
    assert read_folders(state) == [
        "delta_0000001_0000001_0000",
        "delta_0000002_0000002_0000",
        "delta_0000010_0000010_0000",
    ]


def test_the_worked_example_of_the_fact_sheet() -> None:
    state = state_of("""
        base_5
        delta_6_6_0000
        delete_delta_6_6_0000
        delta_7_9
        delete_delta_7_9
        delta_7_7_0000
        delete_delta_8_8_0000
        delta_10_10_0001
        delta_10_10_0000
    """)
    assert state.base is not None
    assert state.base.path == "base_5"
    assert [folder.path for folder in state.deltas] == [
        "delta_6_6_0000",
        "delta_7_9",
        "delta_10_10_0000",
        "delta_10_10_0001",
    ]
    assert [folder.path for folder in state.delete_deltas] == ["delete_delta_6_6_0000", "delete_delta_7_9"]
    assert state.obsolete == ("delete_delta_8_8_0000", "delta_7_7_0000")


def test_the_greatest_base_hides_everything_up_to_its_write_id() -> None:
    state = state_of("""
        base_5
        base_10
        delta_0000004_0000004_0000
        delta_0000010_0000010_0000
        delete_delta_0000009_0000009_0000
        delta_0000011_0000011_0000
    """)
    assert read_folders(state) == ["base_10", "delta_0000011_0000011_0000"]
    assert state.obsolete == (
        "base_5",
        "delete_delta_0000009_0000009_0000",
        "delta_0000004_0000004_0000",
        "delta_0000010_0000010_0000",
    )


def test_an_empty_base_hides_what_is_older() -> None:
    state = state_of("""
        delta_0000001_0000001_0000
        base_0000002/
    """)
    assert read_folders(state) == ["base_0000002"]


def test_a_truncated_table_has_a_base_with_nothing_but_a_marker() -> None:
    lines = """
        delta_0000001_0000001_0000
        base_0000002/_metadata_acid
        delta_0000003_0000003_0000
    """
    for data_format in ("truncated", "dropped"):
        state = state_of(lines, markers={"base_0000002": f'{{"dataFormat":"{data_format}"}}'})
        assert read_folders(state) == ["base_0000002", "delta_0000003_0000003_0000"]


def test_an_open_truncation_hides_nothing_although_a_compaction_of_its_name_would() -> None:
    lines = """
        delta_0000001_0000001_0000
        base_0000003/_metadata_acid
    """
    state = state_of(lines, "3:3:3:", markers={"base_0000003": TRUNCATED})
    assert read_folders(state) == ["delta_0000001_0000001_0000"]
    assert state.invisible == ("base_0000003",)


def test_a_truncation_is_visible_while_an_older_write_id_is_open_but_a_compaction_is_not() -> None:
    lines = """
        base_0000001
        base_0000003/_metadata_acid
        delta_0000002_0000002_0000
    """
    assert read_folders(state_of(lines, "3:2:2:", markers={"base_0000003": TRUNCATED})) == ["base_0000003"]
    assert read_folders(state_of(lines, "3:2:2:", markers={"base_0000003": COMPACTED})) == ["base_0000001"]


def test_open_and_aborted_overwrites_hide_nothing() -> None:
    lines = """
        delta_0000001_0000001_0000
        base_0000002
        base_0000003
    """
    state = state_of(lines, "3:2:2:3")
    assert read_folders(state) == ["delta_0000001_0000001_0000"]
    assert state.invisible == ("base_0000002",)
    assert state.aborted == ("base_0000003",)


def test_the_only_base_being_an_open_overwrite_is_no_lack_of_history() -> None:
    assert read_folders(state_of("base_0000001", "1:1:1:")) == []


def test_open_aborted_and_unallocated_write_ids_are_passed_over() -> None:
    state = state_of(
        """
        delta_0000001_0000001_0000
        delta_0000002_0000002_0000
        delta_0000003_0000003_0000
        delete_delta_0000003_0000003_0000
        delta_0000004_0000004_0000
        """,
        "3:2:2:3",
    )
    assert read_folders(state) == ["delta_0000001_0000001_0000"]
    assert state.invisible == ("delta_0000002_0000002_0000", "delta_0000004_0000004_0000")
    assert state.aborted == ("delete_delta_0000003_0000003_0000", "delta_0000003_0000003_0000")


def test_folders_of_a_range_that_is_visible_in_part_are_checked_row_by_row() -> None:
    state = state_of(
        """
        delta_0000001_0000003
        delete_delta_0000004_0000006
        delta_0000007_0000008
        delta_0000009_0000010
        """,
        "9:2:2:5",
    )
    assert read_folders(state) == [
        "delete_delta_0000004_0000006?",
        "delta_0000001_0000003?",
        "delta_0000007_0000008",
        "delta_0000009_0000010?",
    ]


def test_a_range_with_open_and_aborted_write_ids_alone_is_invisible() -> None:
    state = state_of("delta_0000001_0000003", "3:1:1,3:2")
    assert read_folders(state) == []
    assert state.invisible == ("delta_0000001_0000003",)


def test_all_statements_of_one_write_id_are_read() -> None:
    state = state_of("""
        delta_0000001_0000001_0002
        delta_0000001_0000001_0000
        delete_delta_0000001_0000001_0003
        delete_delta_0000001_0000001_0002
    """)
    assert read_folders(state) == [
        "delete_delta_0000001_0000001_0002",
        "delete_delta_0000001_0000001_0003",
        "delta_0000001_0000001_0000",
        "delta_0000001_0000001_0002",
    ]


def test_names_without_padding_and_files_with_attempt_numbers_are_read() -> None:
    state = state_of(
        """
        base_5/bucket_00000_0
        delta_6_6_0/bucket_00001_3
        delta_10000001_10000001_0000
        """,
        "20000000",
    )
    assert read_folders(state) == ["base_5", "delta_6_6_0", "delta_10000001_10000001_0000"]


def test_originals_of_any_depth_are_visible_without_a_base_and_hidden_by_one() -> None:
    lines = """
        file:000000_0
        HIVE_UNION_SUBDIR_1/deeper/000000_0
        file:_SUCCESS
        file:000001_0 0
        delta_0000001_0000001_0000
    """
    assert originals(state_of(lines)) == ["000000_0", "HIVE_UNION_SUBDIR_1/deeper/000000_0"]
    state = state_of(lines + "base_0000003")
    assert originals(state) == []
    assert state.obsolete == ("000000_0", "HIVE_UNION_SUBDIR_1", "delta_0000001_0000001_0000")


def test_the_newest_base_is_that_of_the_greatest_write_id() -> None:
    listing = listing_of("base_0000002\nbase_0000007_v0000012\nbase_0000009\ndelta_0000011_0000011_0000\nx/base_44")
    assert newest_base_write_id(listing) == 9
    assert newest_base_write_id(listing, ValidWriteIdList.parse("db.t:60:::9")) == 7
    assert newest_base_write_id(listing_of("delta_0000011_0000011_0000")) is None
