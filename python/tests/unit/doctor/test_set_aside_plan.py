"""When a write ID can be taken back, and what is moved then: without files, by the names of folders alone."""

from __future__ import annotations

import pytest

from hive_acid.errors import HiveAcidError
from hive_acid.model.table import TableName
from hive_acid.model.write_ids import ValidTxnList, ValidWriteIdList
from hive_acid.snapshot.acid_state import marker_folders
from hive_acid.snapshot.directory_choice import choose_directories
from hive_acid.snapshot.listing import ListedFile, Listing
from hive_acid_ops.set_aside.set_aside_plan import SetAsidePlace, SetAsidePlan, name_bar, plan_set_aside, without_bar

TABLE = TableName("db", "t")
SEEN = ValidTxnList.parse("99:99::")
COMPACTED = '{"thisFileVersion":"0","dataFormat":"compacted"}'


def listing(*folders: str, root: str = "/t") -> Listing:
    """Each folder with one file in it."""
    return Listing(root, tuple(ListedFile(f"{folder}/bucket_00000", 10, 1) for folder in folders), folders)


def plan(write_id: int, *places: Listing, write_ids: str = "db.t:9:9223372036854775807::") -> SetAsidePlan:
    valid = ValidWriteIdList.parse(write_ids)
    found = []
    for number, each in enumerate(places):
        markers = dict.fromkeys(marker_folders(each), COMPACTED)
        state = choose_directories(without_bar(each, write_id), valid, SEEN, markers)
        found.append(SetAsidePlace(f"p={number}", state, is_barred=without_bar(each, write_id) != each))
    return plan_set_aside(TABLE, write_id, valid, found)


def refusal(write_id: int, *places: Listing, write_ids: str = "db.t:9:9223372036854775807::") -> tuple[str, str]:
    """Condition and path of the refusal."""
    with pytest.raises(HiveAcidError) as raised:
        plan(write_id, *places, write_ids=write_ids)
    assert raised.value.getSqlState() == "55000"
    return raised.value.getCondition().partition(".")[2], raised.value.getMessageParameters().get("path", "")


def test_all_folders_of_the_write_id_are_moved_and_those_with_rows_first() -> None:
    found = plan(
        2,
        listing("delta_0000001_0000001_0000", "delete_delta_0000002_0000002_0000", "delta_0000002_0000002_0001"),
        listing("delete_delta_0000002_0000002", root="/u"),
        listing("delta_0000001_0000001_0000", root="/v"),
    )
    assert [folder.path for folder in found.folders] == [
        "/t/delta_0000002_0000002_0001",
        "/t/delete_delta_0000002_0000002_0000",
        "/u/delete_delta_0000002_0000002",
    ]
    assert (found.roots, found.partitions) == (("/t", "/u"), ("p=0", "p=1"))


def test_what_a_compaction_of_this_write_id_alone_has_replaced_goes_with_it() -> None:
    found = plan(2, listing("delta_0000002_0000002", "delta_0000002_0000002_0000", "delta_0000002_0000002_0001"))
    assert len(found.folders) == 3


def test_later_deletes_of_the_places_it_wrote_to_are_to_be_looked_at() -> None:
    found = plan(
        2,
        listing(
            "delete_delta_0000001_0000001_0000",
            "delta_0000002_0000002_0000",
            "delta_0000003_0000003_0000",
            "delete_delta_0000003_0000003_0000",
            "delete_delta_0000004_0000006",
            "delete_delta_0000008_0000008_0000",
            "delete_delta_0000009_0000009_0000",
        ),
        listing("delete_delta_0000005_0000005_0000", root="/u"),
        write_ids="db.t:9:8:8:9",  # 8 is open, 9 was aborted
    )
    assert found.later_deletes == (
        ("/t/delete_delta_0000003_0000003_0000/bucket_00000", 10),
        ("/t/delete_delta_0000004_0000006/bucket_00000", 10),
        ("/t/delete_delta_0000008_0000008_0000/bucket_00000", 10),
    )


@pytest.mark.parametrize(
    ("folders", "condition"),
    [
        (["base_0000002"], "BASE"),
        (["base_0000003"], "COVERED"),
        (["base_0000003_v0000050"], "COVERED"),
        (["base_0000003_v0000050", "delta_0000002_0000002_0000"], "COVERED"),
        (["delta_0000001_0000002"], "COVERED"),
        (["delta_0000002_0000003_v0000050", "delta_0000002_0000002_0000"], "COVERED"),
        (["delete_delta_0000001_0000004_v0000050", "delta_0000002_0000002_0000"], "COVERED"),
        (["delta_0000002_0000002_v0000050", "delta_0000002_0000002_0000"], "COVERED"),
        (["delta_0000002_0000002_0000", "base_0000003_v0000100"], "COVERED"),  # a compaction that is not committed yet
        (["delta_0000001_0000001_0000"], "NOT_THERE"),
        ([], "NOT_THERE"),
    ],
)
def test_what_cannot_be_parted_is_refused(folders: list[str], condition: str) -> None:
    assert refusal(2, listing(*folders))[0] == condition


def test_a_folder_that_covers_it_in_another_partition_is_in_the_way_too() -> None:
    places = (listing("delta_0000002_0000002_0000"), listing("base_0000004_v0000050", root="/u"))
    assert refusal(2, *places) == ("COVERED", "/u/base_0000004_v0000050")


def test_bases_and_compactions_below_it_and_beside_it_are_not_in_the_way() -> None:
    folders = ("base_0000001_v0000050", "delta_0000002_0000002_0000", "delta_0000003_0000004_v0000051")
    assert [folder.path for folder in plan(2, listing(*folders)).folders] == ["/t/delta_0000002_0000002_0000"]


@pytest.mark.parametrize(
    ("write_ids", "state"),
    [("db.t:9:2:2:", "open"), ("db.t:9:9223372036854775807::2", "aborted"), ("db.t:1:2::", "unknown")],
)
def test_only_a_committed_write_id_is_set_aside(write_ids: str, state: str) -> None:
    with pytest.raises(HiveAcidError, match=f"it is {state}, so no reader sees it"):
        plan(2, listing("delta_0000002_0000002_0000"), write_ids=write_ids)


def test_a_table_that_is_barred_and_has_all_its_folders_moved_is_to_be_finished() -> None:
    bar = Listing("/t", (ListedFile(f"{name_bar(2)}/README", 1, 1),), (name_bar(2),))
    found = plan(2, bar)
    assert (found.folders, found.roots) == ((), ("/t",))


def test_the_bar_of_another_write_id_is_in_the_way_and_names_it() -> None:
    bar = Listing("/t", (ListedFile(f"{name_bar(3)}/README", 1, 1),), (name_bar(3),))
    with pytest.raises(HiveAcidError, match="--set-aside 3 --yes") as raised:
        plan(2, bar)
    assert raised.value.getCondition() == "HIVE_ACID_UNSUPPORTED_LAYOUT.BEING_SET_ASIDE"
