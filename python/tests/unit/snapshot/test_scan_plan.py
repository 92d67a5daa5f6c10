"""A scan plan names the folders and files that a snapshot reads, and tells which rows are to be checked."""

from __future__ import annotations

import json

from hive_acid.model.table import Partition
from hive_acid.model.write_ids import ValidTxnList, ValidWriteIdList
from hive_acid.snapshot.directory_choice import choose_directories
from hive_acid.snapshot.listing import Listing
from hive_acid.snapshot.plan_building import build_scan_plan
from hive_acid.snapshot.table_snapshot import load_scan_plan
from hive_acid.wire import codec
from support.listings import AS_HIVE_3, ROOT, listing_of
from support.memory_file_system import MemoryFileSystem
from support.planned_tables import FLAT, PARTITIONED, add_files, files_of, plan_of


def test_the_plan_in_the_form_the_shim_reads() -> None:
    plan = plan_of(
        """
        base_0000002/bucket_00000 11
        base_0000002/_orc_acid_version
        delta_0000003_0000005/bucket_00001_0 12
        delta_0000003_0000005/bucket_00000 13
        delete_delta_0000006_0000006_0000/bucket_00001
        delete_delta_0000006_0000006_0000/bucket_00000
        delta_0000007_0000007_0001/bucket_00000 14
        """,
        write_ids="60:4:4:",
    )
    stamp = plan.partitions[0].deletes.stamp
    assert json.loads(codec.write(plan.message(AS_HIVE_3, None))) == {
        "table": "db.t",
        "writeIds": "db.t:60:4:4:",
        "evolution": {"byPosition": False, "asHive3": True},
        "jsonRelease": None,
        "partitions": [
            {
                "name": "",
                "folders": [
                    {
                        "path": "/warehouse/t/base_0000002",
                        "deletes": True,
                        "check": False,
                        "minWriteId": 0,
                        "maxWriteId": 2,
                        "files": [["bucket_00000", 11, 1, 0, None]],
                        "raw": None,
                    },
                    {
                        "path": "/warehouse/t/delta_0000003_0000005",
                        "deletes": True,
                        "check": True,
                        "minWriteId": 3,
                        "maxWriteId": 5,
                        "files": [["bucket_00000", 13, 1, 0, None], ["bucket_00001_0", 12, 1, 1, None]],
                        "raw": None,
                    },
                    {
                        "path": "/warehouse/t/delta_0000007_0000007_0001",
                        "deletes": False,
                        "check": False,
                        "minWriteId": 7,
                        "maxWriteId": 7,
                        "files": [["bucket_00000", 14, 1, 0, None]],
                        "raw": None,
                    },
                ],
                "deletes": {
                    "folders": [
                        {
                            "path": "/warehouse/t/delete_delta_0000006_0000006_0000",
                            "check": False,
                            "minWriteId": 6,
                            "maxWriteId": 6,
                            "anyBucket": False,
                            "files": [["bucket_00000", 100, 1, 0, None], ["bucket_00001", 100, 1, 1, None]],
                        }
                    ],
                    "stamp": stamp,
                },
            }
        ],
    }
    assert plan.total_bytes == 50
    assert plan.buckets == {0, 1}
    assert plan.max_write_id == 7


def test_what_the_names_of_folders_say_of_their_rows() -> None:
    plan = plan_of("""
        base_-9223372036854775808_v0000007
        delta_0000002_0000004
        delete_delta_0000002_0000004
        delete_delta_0000005_0000005_0003
        """)
    (partition,) = plan.partitions
    assert [(folder.min_write_id, folder.max_write_id) for folder in partition.folders] == [(0, 0), (2, 4)]
    found = [(deletes.min_write_id, deletes.max_write_id, deletes.any_bucket) for deletes in partition.deletes.folders]
    assert found == [(2, 4, True), (5, 5, False)]


def test_a_delete_of_the_same_write_id_may_concern_its_rows() -> None:
    plan = plan_of("""
        delta_0000003_0000003_0000
        delete_delta_0000003_0000003_0001
        delta_0000004_0000004_0000
    """)
    assert [folder.deletes for folder in plan.partitions[0].folders] == [True, False]


def test_a_delete_inside_the_range_of_a_folder_may_concern_its_rows() -> None:
    plan = plan_of("""
        base_-9223372036854775808
        delta_0000003_0000009_v0000010
        delete_delta_0000003_0000009_v0000010
    """)
    assert [folder.deletes for folder in plan.partitions[0].folders] == [True, True]


def test_loaded_files_of_no_bytes_and_folders_left_without_files_are_not_read() -> None:
    plan = plan_of("""
        delta_0000002_0000002_0000/000000_0 0
        delta_0000002_0000002_0000/000001_0
        delta_0000003_0000003_0000/
        delete_delta_0000004_0000004_0000/
    """)
    (partition,) = plan.partitions
    assert [(folder.path, len(folder.files)) for folder in partition.folders] == [
        ("/warehouse/t/delta_0000002_0000002_0000", 1)
    ]
    assert partition.deletes.folders == ()
    assert not partition.folders[0].deletes


def test_an_empty_table_has_a_plan_without_folders() -> None:
    plan = plan_of("")
    assert (plan.total_bytes, plan.buckets, plan.max_write_id) == (0, frozenset(), 0)
    (partition,) = json.loads(codec.write(plan.message(AS_HIVE_3, None)))["partitions"]
    assert (partition["name"], partition["folders"], partition["deletes"]["folders"]) == ("", [], [])


def test_the_stamp_of_delete_files_tells_a_table_from_the_one_dropped_before_it() -> None:
    lines = "delta_0000001_0000001_0000\ndelete_delta_0000002_0000002_0000/bucket_00000"
    stamps = []
    for modified_ms in (1, 1, 2):
        files = files_of(lines)
        files.add_file(f"{ROOT}/delete_delta_0000002_0000002_0000/bucket_00000", 100, modified_ms)
        lists = ValidWriteIdList.parse("db.t:60"), ValidTxnList.parse("100")
        stamps.append(load_scan_plan(files, FLAT, None, *lists).partitions[0].deletes.stamp)
    assert stamps[0] == stamps[1] != stamps[2]


def test_partitions_are_listed_in_one_call_at_their_own_locations() -> None:
    files = files_of("delta_0000001_0000001_0000", "/elsewhere/a")
    add_files(files, "delta_0000001_0000001_0000\ndelete_delta_0000002_0000002_0000", ROOT + "/d=b")
    partitions = [
        Partition("d=b", ("b",), ROOT + "/d=b"),
        Partition("d=a", ("a",), "/elsewhere/a"),
        Partition("d=c", ("c",), ROOT + "/d=c"),
    ]
    files.calls.clear()
    plan = load_scan_plan(files, PARTITIONED, partitions, ValidWriteIdList("db.t", 9), ValidTxnList(9))
    found = {
        partition.name: ([folder.path for folder in partition.folders], len(partition.deletes.folders))
        for partition in plan.partitions
    }
    assert found == {
        "d=b": (["/warehouse/t/d=b/delta_0000001_0000001_0000"], 1),
        "d=a": (["/elsewhere/a/delta_0000001_0000001_0000"], 0),
        "d=c": ([], 0),
    }
    assert list(found) == ["d=b", "d=a", "d=c"]
    assert files.calls == ["list_trees"]


def test_no_partition_means_no_call() -> None:
    files = MemoryFileSystem()
    assert load_scan_plan(files, PARTITIONED, [], ValidWriteIdList("db.t", 9), ValidTxnList(9)).partitions == ()
    assert files.calls == []


def test_marker_files_are_read_only_where_a_base_has_one() -> None:
    files = files_of("base_0000001\nbase_0000002\ndelta_0000003_0000003_0000/_metadata_acid")
    files.add_file(ROOT + "/base_0000002/_metadata_acid", text='{"dataFormat":"compacted"}')
    files.calls.clear()
    plan = load_scan_plan(files, FLAT, None, ValidWriteIdList("db.t", 9), ValidTxnList(9))
    assert [folder.path for folder in plan.partitions[0].folders] == ["/warehouse/t/base_0000002"]
    assert files.calls == ["list_trees", "read_text"]


def test_equal_inputs_make_equal_plans_whatever_the_order_of_the_listing() -> None:
    listing = listing_of("""
        delta_0000001_0000001_0000/bucket_00001
        delta_0000001_0000001_0000/bucket_00000
        delete_delta_0000002_0000002_0000
        delta_0000003_0000003_0000
        base_0000000
    """)
    turned = Listing(ROOT, listing.files[::-1], listing.folders[::-1])
    write_ids = ValidWriteIdList("db.t", 9)
    plans = [
        build_scan_plan(FLAT, write_ids, [("", choose_directories(each, write_ids, ValidTxnList(9), {}))]).message(
            AS_HIVE_3, None
        )
        for each in (listing, turned)
    ]
    assert plans[0] == plans[1]


def test_the_list_of_write_ids_is_told_once_however_many_partitions_look_into_it() -> None:
    """A list of thousands of aborted write IDs in each of thousands of partitions would be the product of both."""
    aborted = ",".join(str(write_id) for write_id in range(3, 3000, 3))
    names = "delta_0000002_0003000_v0000009/bucket_00000\ndelete_delta_0000002_0003000_v0000009/bucket_00000"

    def message_length(partitions: int) -> int:
        listing = listing_of(names)
        write_ids = ValidWriteIdList.parse(f"db.t:3000:{2**63 - 1}::{aborted}")
        state = choose_directories(listing, write_ids, ValidTxnList(10), {})
        assert all(delta.check for delta in state.delete_deltas)
        plan = build_scan_plan(FLAT, write_ids, [(f"p={number}", state) for number in range(partitions)])
        return len(codec.write(plan.message(AS_HIVE_3, None)))

    assert message_length(11) - message_length(1) < 10 * 1000
