"""A compaction's result is read in place of what it was made of, once its transaction is visible."""

from __future__ import annotations

from support.listings import COMPACTED, originals, read_folders, state_of


def test_a_compacted_base_over_aborted_write_ids_is_checked_and_an_overwrite_is_not() -> None:
    marker = {"base_0000005": COMPACTED}
    lines = """
        base_0000005/_metadata_acid
        base_0000005
    """
    assert read_folders(state_of(lines, "9::" + ":3", markers=marker)) == ["base_0000005?"]
    assert read_folders(state_of("base_0000005", "9:::3")) == ["base_0000005"]
    assert read_folders(state_of("base_-9223372036854775808", "9:::3")) == ["base_-9223372036854775808"]


def test_a_minor_compaction_replaces_all_deltas_and_delete_deltas_of_its_range() -> None:
    state = state_of("""
        delta_0000005_0000020
        delta_0000005_0000010
        delta_0000011_0000020
        delete_delta_0000007_0000007_0000
        delta_0000020_0000020_0000
        delta_0000021_0000021_0000
    """)
    assert read_folders(state) == ["delta_0000005_0000020", "delta_0000021_0000021_0000"]


def test_a_delete_delta_alone_replaces_the_deltas_of_its_range_too() -> None:
    state = state_of("""
        delete_delta_0000030_0000050
        delta_0000040_0000040_0000
        delete_delta_0000040_0000040_0001
    """)
    assert read_folders(state) == ["delete_delta_0000030_0000050"]


def test_both_twins_of_a_compacted_range_are_read() -> None:
    state = state_of("""
        delta_0000001_0000004_v0000009
        delete_delta_0000001_0000004_v0000009
        delta_0000001_0000001_0000
        delete_delta_0000002_0000002_0000
    """)
    assert read_folders(state) == ["delete_delta_0000001_0000004_v0000009", "delta_0000001_0000004_v0000009"]


def test_of_two_compactions_of_one_range_only_the_later_is_read() -> None:
    state = state_of("""
        delta_0000001_0000004_v0000009
        delete_delta_0000001_0000004_v0000009
        delta_0000001_0000004_v0000012
        delta_0000001_0000004
        base_0000000_v0000008
        base_0000000_v0000010
    """)
    assert read_folders(state) == ["base_0000000_v0000010", "delta_0000001_0000004_v0000012"]


def test_a_compaction_beats_the_overwrite_of_the_same_write_id() -> None:
    assert read_folders(state_of("base_0000005\nbase_0000005_v0000012")) == ["base_0000005_v0000012"]
    assert read_folders(state_of("base_0000005\nbase_0000005_v0000012", "60", "20:12:12:")) == ["base_0000005"]


def test_results_of_open_later_and_aborted_compactions_are_passed_over() -> None:
    state = state_of(
        """
        delta_0000001_0000001_0000
        delete_delta_0000002_0000002_0000
        delta_0000001_0000002_v0000030
        base_0000002_v0000031
        base_0000002_v0000099
        """,
        "60",
        "50:30:30:31",
    )
    assert read_folders(state) == ["delete_delta_0000002_0000002_0000", "delta_0000001_0000001_0000"]
    assert state.aborted == ("base_0000002_v0000031",)
    assert state.invisible == ("base_0000002_v0000099", "delta_0000001_0000002_v0000030")


def test_a_compaction_is_chosen_once_its_transaction_is_visible() -> None:
    lines = """
        delta_0000001_0000001_0000
        delta_0000002_0000002_0000
        base_0000002_v0000030
    """
    assert read_folders(state_of(lines, "60", "29")) == ["delta_0000001_0000001_0000", "delta_0000002_0000002_0000"]
    assert read_folders(state_of(lines, "60", "30")) == ["base_0000002_v0000030"]


def test_the_base_of_a_compaction_of_originals_alone_hides_them() -> None:
    state = state_of("""
        file:000000_0
        base_-9223372036854775808
        delta_0000001_0000001_0000
    """)
    assert read_folders(state) == ["base_-9223372036854775808", "delta_0000001_0000001_0000"]
    assert originals(state) == []
    assert state.obsolete == ("000000_0",)
