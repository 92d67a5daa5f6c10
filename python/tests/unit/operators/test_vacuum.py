"""VACUUM … DRY RUN tells what the Cleaner would remove, who keeps it waiting, and what to do if nobody does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hive_acid.compaction.services import Services
from hive_acid.errors import HiveAcidError, build_error
from hive_acid.metastore.compaction_types import CompactionInfo, CompactionKind, CompactionState
from hive_acid.metastore.types import (
    HeldLock,
    LockKind,
    LockState,
    MetastoreLine,
    TransactionInfo,
    TransactionState,
)
from hive_acid.model.table import TableName
from hive_acid.sql.operator_statements import VacuumDryRun
from hive_acid_ops.cleaning_forecast import Cleaning, build_cleaning_rows
from hive_acid_ops.initiator.survey import Root, SurveyedRoot
from support.listings import ROOT, state_of

T = TableName("db", "t")
NOW_MS = 10_000_000
READY = CompactionInfo(
    7, T, CompactionKind.MAJOR, CompactionState.READY, partition="k=A", next_txn_id=20, committed_ms=NOW_MS - 1_000
)
OLD, YOUNG = (TransactionInfo(id_, TransactionState.OPEN, "ada", "host", "tool", NOW_MS - 120_000) for id_ in (11, 20))
LOCK = HeldLock(1, "db", T, "k=a", LockState.ACQUIRED, LockKind.SHARED_READ, 12, "bob", "host", "tool")
CLEANING = Cleaning(Services(MetastoreLine.HIVE_4, True, True), (READY,), (OLD, YOUNG), (LOCK,), False, NOW_MS)
STATE = state_of(
    """
    delta_0000001_0000001_0000/bucket_00000 7
    delta_0000001_0000001_0000/bucket_00001 5
    base_0000002/bucket_00000 100
    delta_0000003_0000003_0000/bucket_00000 9
    """,
    "3:9223372036854775807::3",
)
ROOT_OF_A = SurveyedRoot(Root("k=A", ROOT), STATE.listing, STATE)
OF_OLD = "transaction 11 of ada on host (tool), open for 2 min"
OF_LOCK = "transaction 12 of bob on host (tool, shared_read)"


def remark_and_keepers(cleaning: Cleaning, reason: str = "replaced") -> tuple[object, object]:
    names = [column.name for column in VacuumDryRun.COLUMNS]
    rows = [dict(zip(names, row, strict=True)) for row in build_cleaning_rows([ROOT_OF_A], cleaning)]
    (row,) = [row for row in rows if row["reason"] == reason]
    return row["remark"], row["waitsFor"]


def test_what_was_replaced_or_aborted_is_listed_with_its_size() -> None:
    replaced, aborted = build_cleaning_rows([ROOT_OF_A], CLEANING)
    assert replaced[:6] == ("k=A", f"{ROOT}/delta_0000001_0000001_0000", "replaced", 2, 12, 7)
    assert aborted[:6] == ("k=A", f"{ROOT}/delta_0000003_0000003_0000", "aborted", 1, 9, 7)


def test_the_cleaner_waits_for_all_that_began_before_the_compaction_was_done() -> None:
    told = "the Cleaner removes it once they have ended", (OF_OLD, OF_LOCK)
    assert remark_and_keepers(CLEANING) == told


def test_a_cleaner_that_is_asked_to_waits_for_those_alone_that_hold_the_table() -> None:
    _, keepers = remark_and_keepers(replace(CLEANING, waits_for_kept=True))
    assert keepers == (OF_LOCK,)


def test_that_of_3_1_waits_for_locks_of_the_place() -> None:
    elsewhere = replace(LOCK, partition="k=b", txn_id=13)
    services = replace(CLEANING.services, line=MetastoreLine.HIVE_3)
    _, keepers = remark_and_keepers(replace(CLEANING, services=services, locks=(elsewhere, LOCK)))
    assert keepers == (OF_LOCK,)


NOBODY = replace(CLEANING, transactions=(YOUNG,), locks=())
LATE = replace(READY, committed_ms=1)
ADVICE = "a Cleaner removes them after the next compaction of the table: ALTER TABLE … COMPACT 'major'"


@pytest.mark.parametrize(
    ("cleaning", "expected"),
    [
        (NOBODY, "the Cleaner removes it at its next turn"),
        (replace(NOBODY, entries=(replace(READY, error="disk full"),)), "the metastore's Cleaner fails (disk full)"),
        (replace(NOBODY, entries=(LATE,)), "look into the metastore's log"),
        (replace(NOBODY, entries=(replace(READY, partition="k=B"),)), ADVICE),
        (replace(NOBODY, services=Services(MetastoreLine.HIVE_4, True, False)), "no Cleaner runs; start one"),
    ],
)
def test_what_nobody_keeps_has_a_way(cleaning: Cleaning, expected: str) -> None:
    remark, keepers = remark_and_keepers(cleaning)
    assert str(remark).startswith(expected)
    assert keepers == ()


def test_a_cleaner_of_aborted_transactions_needs_no_compaction() -> None:
    services = replace(CLEANING.services, cleans_aborted=True)
    cleaning = replace(NOBODY, services=services, entries=())
    assert remark_and_keepers(cleaning, "aborted")[0] == "the Cleaner removes it by itself"
    assert remark_and_keepers(cleaning)[0] == ADVICE


def test_a_place_that_cannot_be_read_is_an_error() -> None:
    error = build_error("HIVE_ACID_SNAPSHOT_UNAVAILABLE", table=T, reason="on purpose")
    with pytest.raises(HiveAcidError, match="on purpose"):
        build_cleaning_rows([replace(ROOT_OF_A, state=None, error=error)], CLEANING)
