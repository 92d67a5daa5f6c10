"""A table that was locked after the snapshot is read in it only if nothing can have been dropped in between."""

from __future__ import annotations

import pytest

from hive_acid.errors import build_refusal
from hive_acid.metastore.compaction_types import CompactionInfo, CompactionKind, CompactionState
from hive_acid.model.table import Column, TableDescription, TableName
from hive_acid.model.write_ids import ValidTxnList, ValidWriteIdList
from hive_acid.transactions.late_tables import find_late_change, find_late_compaction

STARTED_MS = 1_700_000_000_000


def table(*keys: str, created_s: int = 0) -> TableDescription:
    partition_columns = tuple(Column(key, "string") for key in keys)
    return TableDescription(TableName("db", "t"), "/t", (Column("id", "int"),), partition_columns, created_s=created_s)


def ids(text: str) -> ValidWriteIdList:
    return ValidWriteIdList.parse(f"db.t:{text}")


@pytest.mark.parametrize("keys", [(), ("d",)], ids=["flat", "partitioned"])
@pytest.mark.parametrize(
    ("before", "now"),
    [("0::", "0::"), ("3::", "3::"), ("3::", "5::4,5:"), ("3::2:", "4::4:2")],
    ids=["never written", "not written since", "others are writing", "others were aborted"],
)
def test_what_nobody_has_changed_since_is_read(keys: tuple[str, ...], before: str, now: str) -> None:
    assert find_late_change(table(*keys), ids(before), ids(now), None) is None


@pytest.mark.parametrize(("before", "now"), [("3::", "4::"), ("3::3:", "3::"), ("0::", "1::")])
def test_a_partitioned_table_that_others_have_changed_may_have_lost_partitions(before: str, now: str) -> None:
    change = find_late_change(table("d"), ids(before), ids(now), STARTED_MS)
    assert change == build_refusal("HIVE_ACID_TABLE_CHANGED.WRITTEN_SINCE")


def test_a_flat_table_that_the_snapshot_knows_is_read_as_it_was() -> None:
    assert find_late_change(table(), ids("3::"), ids("9::"), None) is None


@pytest.mark.parametrize(
    ("created_ms", "started_ms", "is_older"),
    [
        (STARTED_MS - 5000, STARTED_MS, True),
        (STARTED_MS - 5000, None, False),
        (STARTED_MS, STARTED_MS, False),
        (STARTED_MS - 1000, STARTED_MS, False),  # times of creation are cut off to seconds
        (STARTED_MS + 5000, STARTED_MS, False),
        (0, STARTED_MS, False),
    ],
)
def test_a_flat_table_without_a_visible_write_is_read_only_if_it_is_older_than_the_transaction(
    created_ms: int, started_ms: int | None, is_older: bool
) -> None:
    made = table(created_s=created_ms // 1000)
    assert (find_late_change(made, ids("0::"), ids("2::"), started_ms) is None) is is_older


SEEN = ValidTxnList(high_water_mark=9, open=frozenset({7}))


@pytest.mark.parametrize(
    ("state", "txn_id", "is_late"),
    [
        (CompactionState.READY, 10, True),
        (CompactionState.SUCCEEDED, 10, True),
        (CompactionState.READY, 7, True),
        (CompactionState.READY, 9, False),
        (CompactionState.WORKING, 10, False),
        (CompactionState.FAILED, 10, False),
        (CompactionState.UNKNOWN, 10, True),
        (CompactionState.READY, None, False),
    ],
)
def test_a_compaction_is_late_if_it_is_done_and_the_snapshot_does_not_see_it(
    state: CompactionState, txn_id: int | None, is_late: bool
) -> None:
    name = TableName("db", "t")
    entry = CompactionInfo(1, name, CompactionKind.MAJOR, state, txn_id=txn_id)
    assert (find_late_compaction([entry], [name], SEEN) is not None) == is_late
    assert find_late_compaction([entry], [TableName("db", "other")], SEEN) is None


def test_one_that_failed_after_its_commit_was_cleaned_in_part_maybe() -> None:
    name = TableName("db", "t")
    failed = CompactionInfo(1, name, CompactionKind.MAJOR, CompactionState.FAILED, txn_id=10, committed_ms=1)
    assert find_late_compaction([failed], [name], SEEN) is not None
