"""Whoever keeps the Cleaner waiting is named, and nothing is waited for in vain."""

from __future__ import annotations

import pytest

from doubles.memory_metastore import MemoryMetastore
from hive_acid.metastore.compaction_types import CompactionJob, CompactionKind, CompactionRequest, CompactionState
from hive_acid.metastore.types import LockComponent, LockKind, OperationKind
from hive_acid.model.table import TableName
from hive_acid_erasure.erase.cleaning import CleanerWatch
from support.erasure_shop import Clock

SALES = TableName("shop", "sales")
CLEANER = {"hive.compactor.cleaner.on": "true"}


def compact(metastore: MemoryMetastore) -> CompactionJob:
    metastore.request_compaction(CompactionRequest(SALES, CompactionKind.MAJOR))
    job = metastore.next_compaction("test", "1", None)
    assert job is not None
    return job


def watch(metastore: MemoryMetastore, clock: Clock) -> CleanerWatch:
    return CleanerWatch(metastore, clock, clock.pause, 10_000)


def test_a_compaction_that_is_cleaned_or_forgotten_is_over() -> None:
    metastore, clock = MemoryMetastore(settings=CLEANER), Clock()
    job = compact(metastore)
    metastore.mark_refused(job)
    assert watch(metastore, clock).wait([job.id, 77], lambda _: None) == ()


def test_a_state_of_a_later_release_is_not_taken_for_cleaned() -> None:
    metastore, clock = MemoryMetastore(settings=CLEANER), Clock()
    job = compact(metastore)
    metastore._compactions._change(job.id, state=CompactionState.UNKNOWN)
    (waiting,) = watch(metastore, clock).wait([job.id], lambda _: None)
    assert waiting.reason == f"compaction {job.id} is unknown"


def test_the_cleaner_is_waited_for_and_the_wait_is_told() -> None:
    metastore, clock, told = MemoryMetastore(settings=CLEANER), Clock(), list[str]()
    job = compact(metastore)
    metastore.mark_compacted(job)

    def tell(text: str) -> None:
        told.append(text)
        if len(told) == 3:
            metastore._compactions._change(job.id, state=CompactionState.SUCCEEDED)

    assert watch(metastore, clock).wait([job.id], tell) == ()
    assert len(told) == 3


def test_readers_and_open_transactions_are_named_at_the_limit() -> None:
    metastore, clock = MemoryMetastore(settings=CLEANER), Clock()
    txn = metastore.open_transaction("eve", "laptop", "hive-cli")
    component = LockComponent(SALES, LockKind.SHARED_READ, OperationKind.SELECT)
    metastore.lock(txn, [component], "eve", "laptop", "hive-cli")
    job = compact(metastore)
    metastore.mark_compacted(job)
    began = clock.now_ms
    (waiting,) = watch(metastore, clock).wait([job.id], lambda _: None)
    assert f"transaction {txn} of eve on laptop" in waiting.reason
    assert waiting.table == SALES and clock.now_ms - began >= 10_000


def test_where_no_cleaner_runs_nothing_is_waited_for() -> None:
    metastore, clock = MemoryMetastore(), Clock()
    job = compact(metastore)
    metastore.mark_compacted(job)
    began = clock.now_ms
    (waiting,) = watch(metastore, clock).wait([job.id], lambda _: None)
    assert "no Cleaner runs" in waiting.reason
    assert clock.now_ms - began < 1_000


@pytest.mark.parametrize("with_reason", [True, False])
def test_a_compaction_that_failed_is_told_with_its_reason(with_reason: bool) -> None:
    metastore, clock = MemoryMetastore(settings=CLEANER), Clock()
    job = compact(metastore)
    metastore.mark_failed(CompactionJob.of(metastore.compactions()[0], "disk full" if with_reason else ""))
    (waiting,) = watch(metastore, clock).wait([job.id], lambda _: None)
    assert ("disk full" if with_reason else "no reason is kept") in waiting.reason


def test_one_that_nobody_has_begun_is_told_so() -> None:
    metastore, clock = MemoryMetastore(settings=CLEANER), Clock()
    asked = metastore.request_compaction(CompactionRequest(SALES, CompactionKind.MAJOR))
    assert asked.id is not None
    (waiting,) = watch(metastore, clock).wait([asked.id], lambda _: None)
    assert "initiated" in waiting.reason
