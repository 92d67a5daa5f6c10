"""A minor compaction loses no delete that readers find in the file of the first bucket (R4 of the protocol)."""

from __future__ import annotations

import pytest

from hive_acid.compaction.plan.engine import FoldingJob
from hive_acid.compaction.plan.planning import build_compaction_plan
from hive_acid.metastore.compaction_types import CompactionKind
from hive_acid.model.evolution import Evolution
from hive_acid.model.write_ids import ValidWriteIdList
from hive_acid.snapshot.plan_building import build_scan_plan
from hive_acid.writing.table_rules import build_row_type, find_layout
from support.listings import state_of
from support.statements import build_table

WRITTEN_SINCE = "delete_delta_0000006_0000006_0000"


def find_passed_over(lines: str) -> dict[str, bool]:
    """The files that a minor compaction folds, and whether events of other buckets in them are passed over."""
    table, write_ids, state = build_table(), ValidWriteIdList.parse("db.t:9"), state_of(lines, "9")
    (partition,) = build_scan_plan(table, write_ids, [("", state)]).partitions
    plan = build_compaction_plan(CompactionKind.MINOR, state, partition, 20)
    job = FoldingJob(
        table.name,
        table.columns,
        "/staging",
        build_row_type(table),
        "ZLIB",
        Evolution(by_position=False, as_hive_3=False),
        write_ids,
        partition,
        plan,
        find_layout(table),
    )
    files = [file for made in job.message().files for group in made.groups for run in group for file in run]
    return {file.path.removeprefix(f"{table.location}/"): file.any_bucket for file in files}


@pytest.mark.parametrize("folder", ["delete_delta_0000003_0000005", "delete_delta_0000003_0000005_v0000007"])
def test_events_of_other_buckets_are_refused_in_the_only_file_of_a_folder(folder: str) -> None:
    """Hive has folded what Trino wrote: events of all buckets in one file, which is read for rows of each.

    The file that is made of them holds those of the first bucket alone, so rows of the others would come back.
    """
    base = "base_0000002/bucket_00000\nbase_0000002/bucket_00001"
    assert find_passed_over(f"{base}\n{folder}/bucket_00000\n{WRITTEN_SINCE}/bucket_00001") == {
        f"{folder}/bucket_00000": False,
        f"{WRITTEN_SINCE}/bucket_00001": False,
    }


def test_copies_that_hive_3_puts_into_the_file_of_every_bucket_are_passed_over() -> None:
    folder = "delete_delta_0000003_0000005"
    files = [f"{folder}/bucket_00000", f"{folder}/bucket_00001"]
    assert find_passed_over("\n".join((*files, WRITTEN_SINCE))) == {
        **dict.fromkeys(files, True),
        f"{WRITTEN_SINCE}/bucket_00000": False,
    }


def test_the_only_file_is_not_read_for_others_if_it_is_another_buckets() -> None:
    folder = "delete_delta_0000003_0000005"
    assert find_passed_over(f"{folder}/bucket_00001\n{WRITTEN_SINCE}")[f"{folder}/bucket_00001"]
