"""Snapshots whose files are gone or mean nothing certain: they are refused, and no others are."""

from __future__ import annotations

import pytest

from hive_acid.errors import HiveAcidError, SnapshotUnavailable, UnsupportedOperation
from hive_acid.model.write_ids import ValidTxnList, ValidWriteIdList
from hive_acid.snapshot.directory_choice import choose_directories
from hive_acid.snapshot.listing import Listing
from support.listings import COMPACTED, originals, read_folders, state_of


def test_a_snapshot_older_than_the_only_base_is_unavailable() -> None:
    marker = {"base_0000005": COMPACTED}
    for write_ids in ("4", "9:3:3:"):
        with pytest.raises(SnapshotUnavailable, match="base_0000005"):
            state_of("base_0000005/_metadata_acid\ndelta_0000006_0000006_0000", write_ids, markers=marker)


def test_a_marked_base_beyond_the_snapshot_is_refused_even_if_some_of_its_inputs_are_still_there() -> None:
    lines = """
        delta_0000001_0000001_0000
        delta_0000005_0000005_0000
        base_0000005/_metadata_acid
    """
    with pytest.raises(SnapshotUnavailable, match="base_0000005"):
        state_of(lines, "9:3:3:", markers={"base_0000005": COMPACTED})


def test_originals_are_read_while_a_later_compaction_has_not_removed_them() -> None:
    lines = "file:000000_0\nbase_-9223372036854775808_v0000090"
    assert originals(state_of(lines, "60", "80")) == ["000000_0"]
    assert originals(state_of(lines, "60", "90")) == []


def test_a_snapshot_is_unavailable_if_a_later_compaction_took_its_folders_away() -> None:
    for lines in (
        "base_0000005_v0000090",
        "delta_0000001_0000005_v0000090",
        "base_0000005_v0000090\ndelta_0000006_0000006_0000",
        "base_0000002\ndelta_0000003_0000005_v0000090",
        "base_-9223372036854775808_v0000090\ndelta_0000006_0000006_0000",
    ):
        with pytest.raises(SnapshotUnavailable, match="v0000090"):
            state_of(lines, "60", "80")


def test_a_snapshot_without_rows_is_available_whatever_was_compacted_later() -> None:
    assert read_folders(state_of("delta_0000004_0000005_v0000090", "3", "80")) == []


def test_the_results_of_aborted_compactions_do_not_make_a_snapshot_unavailable() -> None:
    assert read_folders(state_of("base_0000005_v0000090", "60", "95:::90")) == []


def test_an_older_base_serves_while_the_inputs_of_a_later_compaction_are_there() -> None:
    marker = {"base_0000009": COMPACTED}
    lines = """
        base_0000002
        delta_0000003_0000003_0000
        delta_0000009_0000009_0000
        base_0000009/_metadata_acid
    """
    assert read_folders(state_of(lines, "60:7:7:", markers=marker)) == [
        "base_0000002",
        "delta_0000003_0000003_0000",
        "delta_0000009_0000009_0000",
    ]
    with pytest.raises(SnapshotUnavailable, match="base_0000009"):
        state_of("base_0000002\nbase_0000009/_metadata_acid", "60:7:7:", markers=marker)


@pytest.mark.parametrize(
    "lines",
    [
        "base_0000005\ndelta_0000003_0000007",
        "delta_0000005_0000020\ndelta_0000015_0000030",
        "delta_0000005_0000020_0001\ndelta_0000007_0000007_0000",
        "delta_0000001_0000001_0000\ndelta_1_1_0",
        "delta_0000001_0000004_v0000009\ndelta_1_4_v9",
        "base_0000005\nbase_5",
        "base_0000005\ndelta_7_6",
        "base_-3",
        "delta_0000001_0000001_0000_v0000003",
    ],
)
def test_folders_that_would_give_rows_twice_or_not_at_all_are_refused(lines: str) -> None:
    with pytest.raises(UnsupportedOperation) as raised:
        state_of(lines)
    assert raised.value.main_condition == "HIVE_ACID_UNSUPPORTED_LAYOUT"
    assert raised.value.getMessageParameters()["table"] == "db.t"


@pytest.mark.parametrize("text", ["", "{}", "[]", '"compacted"', '{"dataFormat":"columnar"}'])
def test_an_unknown_marker_is_refused_unless_a_newer_base_makes_it_meaningless(text: str) -> None:
    lines = "base_0000005/_metadata_acid\n"
    with pytest.raises(HiveAcidError, match="_metadata_acid") as raised:
        state_of(lines, markers={"base_0000005": text})
    assert raised.value.main_condition == "HIVE_ACID_UNSUPPORTED_LAYOUT"
    assert read_folders(state_of(lines + "base_0000006", markers={"base_0000005": text})) == ["base_0000006"]


def test_nothing_is_read_from_a_root_that_is_empty_or_missing() -> None:
    assert read_folders(state_of("")) == []
    missing = Listing("/warehouse/t", exists=False)
    assert read_folders(choose_directories(missing, ValidWriteIdList("db.t", 9), ValidTxnList(9), {})) == []
