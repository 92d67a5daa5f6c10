"""What a compaction folds into what, as names of folders."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hive_acid.compaction.plan.planning import (
    CompactionPlan,
    build_compaction_plan,
    find_cleanable,
    find_covered,
    find_foldable_mark,
)
from hive_acid.metastore.compaction_types import CompactionKind
from hive_acid.model.write_ids import ValidTxnList, ValidWriteIdList
from hive_acid.snapshot.acid_state import AcidState
from hive_acid.snapshot.directory_choice import choose_directories
from hive_acid.snapshot.plan_building import build_scan_plan
from support.listings import listing_of
from support.statements import build_table

MAJOR, MINOR, REBALANCE = CompactionKind.MAJOR, CompactionKind.MINOR, CompactionKind.REBALANCE


def state_for(lines: str, write_ids: str = "60") -> AcidState:
    valid = ValidWriteIdList.parse(f"db.t:{write_ids}").for_compaction()
    return choose_directories(listing_of(lines), valid, ValidTxnList(100), {})


def plan_of(
    lines: str, kind: CompactionKind = MAJOR, write_ids: str = "60", txn_id: int = 0, buckets: int | None = None
) -> CompactionPlan:
    state = state_for(lines, write_ids)
    valid = ValidWriteIdList.parse(f"db.t:{write_ids}").for_compaction()
    (partition,) = build_scan_plan(build_table(), valid, [("", state)]).partitions
    return build_compaction_plan(kind, state, partition, txn_id, buckets)


def made(plan: CompactionPlan) -> dict[str, list[str]]:
    """`folder/bucket` to its groups, in each the runs by `+`, and in a run the files by `,`."""
    return {
        f"{file.folder}/{file.bucket}": [
            " + ".join(
                ",".join(f"{one.folder.path}/{one.file.path}".removeprefix("/warehouse/t/") for one in run)
                for run in group
            )
            for group in file.groups
        ]
        for file in plan.files
    }


def test_a_major_compaction_folds_all_into_a_base_after_the_greatest_write_id() -> None:
    plan = plan_of("base_0000002\ndelta_0000003_0000003_0000\ndelete_delta_0000004_0000004_0000", txn_id=9)
    assert made(plan) == {
        "base_0000004_v0000009/0": ["base_0000002/bucket_00000", "delta_0000003_0000003_0000/bucket_00000"]
    }
    assert plan.applies_deletes


def test_on_3_1_the_name_says_nothing_of_a_transaction() -> None:
    assert list(made(plan_of("delta_0000001_0000001_0000\ndelta_0000002_0000002_0000"))) == ["base_0000002/0"]


def test_each_bucket_has_a_file() -> None:
    plan = plan_of("delta_0000001_0000001_0000/bucket_00001\ndelta_0000002_0000002_0000")
    assert made(plan) == {
        "base_0000002/0": ["delta_0000002_0000002_0000/bucket_00000"],
        "base_0000002/1": ["delta_0000001_0000001_0000/bucket_00001"],
    }


def test_statements_of_one_write_id_are_merged() -> None:
    plan = plan_of("delta_0000001_0000001_0000\ndelta_0000001_0000001_0001\ndelta_0000002_0000002_0000")
    assert made(plan)["base_0000002/0"] == [
        "delta_0000001_0000001_0000/bucket_00000 + delta_0000001_0000001_0001/bucket_00000",
        "delta_0000002_0000002_0000/bucket_00000",
    ]


def test_originals_of_a_bucket_follow_each_other() -> None:
    plan = plan_of("file:000000_0\nfile:000000_0_copy_1\nfile:000001_0\ndelta_0000001_0000001_0000")
    assert made(plan) == {
        "base_0000001/0": ["000000_0,000000_0_copy_1", "delta_0000001_0000001_0000/bucket_00000"],
        "base_0000001/1": ["000001_0"],
    }


def test_originals_alone_become_a_base_of_no_write_id() -> None:
    assert list(made(plan_of("file:000000_0"))) == ["base_-9223372036854775808/0"]


def test_a_minor_compaction_leaves_base_and_originals_alone() -> None:
    plan = plan_of(
        "base_0000002\ndelta_0000003_0000003_0000\ndelta_0000005_0000005_0000\n"
        "delete_delta_0000004_0000004_0000\ndelete_delta_0000005_0000005_0001",
        MINOR,
        txn_id=9,
    )
    assert made(plan) == {
        "delta_0000003_0000005_v0000009/0": [
            "delta_0000003_0000003_0000/bucket_00000",
            "delta_0000005_0000005_0000/bucket_00000",
        ],
        "delete_delta_0000003_0000005_v0000009/0": [
            "delete_delta_0000004_0000004_0000/bucket_00000 + delete_delta_0000005_0000005_0001/bucket_00000"
        ],
    }
    assert not plan.applies_deletes


def test_all_files_of_a_rebalance_are_made_together() -> None:
    lines = "delta_0000001_0000001_0000/bucket_00000\ndelta_0000001_0000001_0000/bucket_00001"
    (file,) = plan_of(lines, REBALANCE, buckets=5).files
    assert file.buckets == 5
    assert len(file.groups[0]) == 2
    assert plan_of(lines, REBALANCE).files[0].buckets == 2


@pytest.mark.parametrize(
    ("kind", "lines", "is_enough"),
    [
        (MAJOR, "delta_0000001_0000001_0000", False),
        (MAJOR, "base_0000001", False),
        (MAJOR, "base_0000001\ndelta_0000002_0000002_0000", True),
        (MAJOR, "file:000000_0", True),
        (MAJOR, "delta_0000001_0000001_0000\ndelete_delta_0000002_0000002_0000", True),
        (MINOR, "base_0000001\ndelta_0000002_0000002_0000", False),
        (MINOR, "delta_0000002_0000002_0001\ndelete_delta_0000002_0000002_0000", False),
        (MINOR, "delta_0000001_0000001_0000\ndelete_delta_0000002_0000002_0000", True),
        (MINOR, "delta_0000002_0000002_0000\ndelete_delta_0000002_0000002_0001\ndelta_0000002_0000002_0002", False),
        (MINOR, "delta_0000002_0000002_0000\ndelta_0000002_0000002_0002", True),
        (MINOR, "delta_0000002_0000002_0000\ndelete_delta_0000002_0000002_0001\ndelta_0000003_0000003_0000", True),
        (MINOR, "delete_delta_0000001_0000001_0000\ndelete_delta_0000002_0000002_0000", True),
        (REBALANCE, "base_0000001", True),
        (REBALANCE, "", False),
    ],
)
def test_nothing_is_made_that_is_there_already(kind: CompactionKind, lines: str, is_enough: bool) -> None:
    assert bool(plan_of(lines, kind).files) is is_enough


def test_what_is_obsolete_is_told_even_if_nothing_is_made() -> None:
    assert plan_of("base_0000002\ndelta_0000001_0000001_0000") == CompactionPlan((), True)
    assert plan_of("base_0000002").needs_cleaning is False


@pytest.mark.parametrize(
    ("write_ids", "covered", "cleanable"),
    [("12:::", 10, 12), ("12:::11,12", 10, 10), ("12:::3,12", 10, 11), ("12:::3,9", 10, 12), ("2:::1,2", 0, 0)],
)
def test_no_aborted_write_id_above_what_can_be_seen_is_forgotten(write_ids: str, covered: int, cleanable: int) -> None:
    assert find_cleanable(ValidWriteIdList.parse(f"db.t:{write_ids}"), covered) == cleanable


@pytest.mark.parametrize(
    ("kind", "lines", "covered"),
    [
        (MINOR, "base_0000002\ndelta_0000003_0000003_0000\ndelta_0000004_0000004_0000", 2),
        (MAJOR, "delta_0000003_0000003_0000\ndelta_0000004_0000004_0000", 0),
        (MINOR, "file:000000_0\ndelta_0000003_0000003_0000\ndelta_0000004_0000004_0000", 0),
        (MINOR, "base_-9223372036854775808\ndelta_0000003_0000003_0000\ndelta_0000004_0000004_0000", 0),
        (MAJOR, "base_0000002\ndelta_0000003_0000003_0000\ndelta_0000004_0000004_0000", 4),
        (MINOR, "base_0000002\ndelta_0000003_0000003_0000\ndelta_0000004_0000004_0000\ndelta_0000005_0000005", 5),
    ],
)
def test_where_nothing_is_made_only_a_base_keeps_aborted_rows_from_counting_again(
    kind: CompactionKind, lines: str, covered: int
) -> None:
    """The Cleaner leaves delta_3_3, which its list ends before, and then has write ID 3 forgotten up to the mark."""
    write_ids = ValidWriteIdList.parse("db.t:5:::3").for_compaction()
    found = find_covered(state_for(lines, "5:::3"), plan_of(lines, kind, "5:::3"))
    assert (found, find_cleanable(write_ids, found)) == (covered, 2 if covered < 3 else 5)


def test_nothing_from_the_first_open_write_id_on_is_folded() -> None:
    lines = "delta_0000001_0000001_0000\ndelta_0000002_0000002_0000\ndelta_0000004_0000004_0000"
    plan = plan_of(lines, write_ids="4:3:3:")
    assert made(plan)["base_0000002/0"] == [
        "delta_0000001_0000001_0000/bucket_00000",
        "delta_0000002_0000002_0000/bucket_00000",
    ]


def test_aborted_write_ids_are_left_out() -> None:
    lines = "delta_0000001_0000001_0000\ndelta_0000002_0000002_0000\ndelta_0000003_0000003_0000"
    assert made(plan_of(lines, write_ids="3:::2"))["base_0000003/0"] == [
        "delta_0000001_0000001_0000/bucket_00000",
        "delta_0000003_0000003_0000/bucket_00000",
    ]


def test_a_delta_that_streaming_still_writes_to_is_not_cut_in_two() -> None:
    state = state_for("delta_0000001_0000001_0000\ndelta_0000002_0000009", "9:5:5:")
    folders = (*state.data_folders, *state.delete_deltas)
    assert find_foldable_mark(folders, 4) == 1
    assert find_foldable_mark(state_for("delta_0000001_0000001_0000").data_folders, 4) == 4


@given(
    spans=st.lists(st.tuples(st.integers(1, 30), st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=12),
    kind=st.sampled_from([MAJOR, MINOR]),
)
def test_every_file_is_folded_once_and_groups_do_not_meet(
    spans: list[tuple[int, int, int]], kind: CompactionKind
) -> None:
    lines = "\n".join({f"delta_{w:07d}_{w:07d}_{s:04d}/bucket_{b:05d}" for w, s, b in spans})
    plan = plan_of(lines, kind)
    folded = [f"{one.folder.path}/{one.file.path}" for f in plan.files for g in f.groups for run in g for one in run]
    assert len(folded) == len(set(folded))
    if plan.files:
        assert sorted(name.removeprefix("/warehouse/t/") for name in folded) == sorted(lines.split("\n"))
    for file in plan.files:
        spans_of = [
            (min(run[0].folder.min_write_id for run in g), max(run[0].folder.max_write_id for run in g))
            for g in file.groups
        ]
        assert all(before[1] < after[0] for before, after in itertools.pairwise(spans_of))
