"""What a compaction of an insert-only table folds into what, as names of folders and files."""

from __future__ import annotations

import pytest

from hive_acid.compaction.plan import flat_planning
from hive_acid.compaction.plan.flat_planning import build_flat_plan
from hive_acid.compaction.plan.planning import CompactionPlan
from hive_acid.errors import UnsupportedOperation
from hive_acid.metastore.compaction_types import CompactionKind
from hive_acid.model.write_ids import ValidTxnList, ValidWriteIdList
from hive_acid.snapshot.directory_choice import choose_directories
from hive_acid.snapshot.insert_only import build_insert_only_plan
from support.listings import listing_of
from support.statements import build_table

MAJOR, MINOR, REBALANCE = CompactionKind.MAJOR, CompactionKind.MINOR, CompactionKind.REBALANCE
DELTAS = "delta_0000001_0000001_0000/000000_0\ndelta_0000002_0000002_0000/000001_0"
BASE = "base_0000001/000000_0\ndelta_0000002_0000002_0000/000000_0\ndelta_0000003_0000003_0000/000000_0"


def plan_of(
    lines: str, kind: CompactionKind = MAJOR, write_ids: str = "60", txn_id: int = 0, buckets: int = 0
) -> CompactionPlan:
    valid = ValidWriteIdList.parse(f"db.t:{write_ids}").for_compaction()
    state = choose_directories(listing_of(lines), valid, ValidTxnList(100), {})
    table = build_table(
        parameters={"transactional": "true", "transactional_properties": "insert_only"}, bucket_count=buckets
    )
    (partition,) = build_insert_only_plan(table, valid, [("", state)]).partitions
    return build_flat_plan(kind, table, state, partition, txn_id)


def made(plan: CompactionPlan) -> dict[str, list[str]]:
    """`folder/number` to the files in order."""
    return {
        f"{file.folder}/{file.bucket}": [
            f"{one.folder.path}/{one.file.path}".removeprefix("/warehouse/t/")
            for group in file.groups
            for run in group
            for one in run
        ]
        for file in plan.files
    }


@pytest.mark.parametrize("kind", [MAJOR, REBALANCE], ids=lambda kind: kind.value)
def test_all_is_put_together_in_the_order_of_write_ids(kind: CompactionKind) -> None:
    assert made(plan_of(BASE, kind, txn_id=9)) == {"base_0000003_v0000009/0": BASE.split("\n")}


def test_a_minor_one_leaves_the_base_alone() -> None:
    assert made(plan_of(BASE, MINOR, txn_id=9)) == {"delta_0000002_0000003_v0000009/0": BASE.split("\n")[1:]}


def test_a_file_within_a_folder_of_a_delta_is_of_the_delta() -> None:
    lines = "delta_0000001_0000001_0000/HIVE_UNION_SUBDIR_1/000000_0\ndelta_0000002_0000002_0000/000000_0"
    assert list(made(plan_of(lines, MINOR)).values()) == [lines.split("\n")]


def test_of_a_bucketed_table_each_bucket_has_a_file() -> None:
    assert made(plan_of(f"{DELTAS}\ndelta_0000003_0000003_0000/000001_0_copy_1", buckets=2)) == {
        "base_0000003/0": ["delta_0000001_0000001_0000/000000_0"],
        "base_0000003/1": ["delta_0000002_0000002_0000/000001_0", "delta_0000003_0000003_0000/000001_0_copy_1"],
    }


@pytest.mark.parametrize("name", ["000002_0", "part-0.orc"])
def test_a_file_of_no_bucket_of_the_table_is_refused_by_name(name: str) -> None:
    with pytest.raises(UnsupportedOperation, match=name):
        plan_of(f"{DELTAS}\ndelta_0000003_0000003_0000/{name}", buckets=2)


def test_files_are_put_together_up_to_a_size(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = "\n".join(f"delta_{n:07d}_{n:07d}_0000/000000_0" for n in range(1, 6))
    (length,) = {one.file.length_bytes for one in plan_of(lines).files[0].groups[0][0]}
    monkeypatch.setattr(flat_planning, "MERGED_BYTES", 2 * length)
    assert [len(files) for files in made(plan_of(lines)).values()] == [2, 2, 1]
    monkeypatch.setattr(flat_planning, "MERGED_BYTES", length - 1)
    assert [len(files) for files in made(plan_of(lines)).values()] == [1] * 5


def test_aborted_write_ids_are_left_out_and_cleaned() -> None:
    plan = plan_of(f"{DELTAS}\ndelta_0000003_0000003_0000/000000_0", write_ids="60:9223372036854775807::2")
    assert list(made(plan)) == ["base_0000003/0"]
    assert len(made(plan)["base_0000003/0"]) == 2
    assert plan.needs_cleaning


@pytest.mark.parametrize(
    ("kind", "lines"), [(MAJOR, "base_0000001/000000_0"), (MINOR, DELTAS.split("\n", maxsplit=1)[0])]
)
def test_what_would_be_what_is_there_is_not_made(kind: CompactionKind, lines: str) -> None:
    assert plan_of(lines, kind).files == ()
