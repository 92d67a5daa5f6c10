"""A compaction folds nothing beside the result of another one that it does not see, on the 4.x line."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hive_acid.errors import WriteConflict
from hive_acid.metastore.compaction_types import CompactionKind, CompactionRequest
from hive_acid.wire.statement_kinds import StatementKind
from support.statements import LOCATION, TABLE
from unit.compaction.worker_shop import FAILED, MAJOR, MINOR, READY, Shop

BASE = "base_0000002_v0000003"


def begin_other(shop: Shop) -> int:
    """Another worker's compaction of both inserts, which has told the queue and whose commit is under way."""
    shop.request()
    txn_id = shop.world.memory.open_compaction("other", "host", "agent", MAJOR)
    job = shop.world.memory.next_compaction("other-1", "test", None)
    assert job is not None
    shop.world.file_system.add_file(f"{LOCATION}/{BASE}/bucket_00000")
    shop.world.memory.mark_compacted(job)
    shop.world.run(StatementKind.INSERT)
    return txn_id


@pytest.mark.parametrize("kind", [MINOR, MAJOR, CompactionKind.REBALANCE])
def test_one_whose_commit_is_under_way_is_waited_for(kind: CompactionKind) -> None:
    """A delta of the writes 1 to 3 would stand beside its base of the writes 1 and 2: Hive would show these twice."""
    shop = Shop()
    other = begin_other(shop)
    shop.world.clock.after_pause = lambda: shop.world.memory.commit(other)
    shop.request(kind)
    outcome = shop.worker.run_next(None)
    assert outcome is not None
    assert not [name for name in shop.world.folders() if name.startswith("delta_0000001_0000003")]
    (job,) = shop.engine.specs or (None,)
    if kind is MINOR:
        assert (outcome.folders, job) == ((), None), "one delta is left"
    else:
        assert job is not None
        read = {folder.path.rpartition("/")[2] for folder in job.partition.folders}
        assert read == {BASE, "delta_0000003_0000003_0000"}
    assert shop.world.open_transactions() == []


def test_two_workers_never_straddle() -> None:
    """The queue gives the second nothing before the first has committed."""
    shop = Shop()
    shop.request()

    def run_beside() -> None:
        shop.world.run(StatementKind.INSERT)
        assert not shop.world.memory.request_compaction(CompactionRequest(TABLE, MINOR)).accepted
        assert shop.worker.run_next(None) is None

    shop.world.metastore.before["heartbeat"] = lambda: shop.world.metastore.before.update(commit=run_beside)
    outcome = shop.worker.run_next(None)
    assert outcome is not None
    assert outcome.folders == (BASE,)
    assert sorted(name for name in shop.world.folders() if name not in shop.before) == [
        BASE,
        "delta_0000003_0000003_0000",
    ]


@pytest.mark.parametrize("asks_cleaner", [False, True])
def test_one_that_has_ended_since_the_worker_began_is_folded_by_a_younger_transaction(asks_cleaner: bool) -> None:
    """Also where the queue tells of it: its inputs may be gone there (decision 0045)."""
    shop = Shop()
    shop.world.transactions.asks_cleaner = asks_cleaner
    shop.request()

    def compact_first() -> None:
        """Of another pool, before this worker asks for its job."""
        entry = shop.world.memory.next_compaction("other-1", "test", None)
        assert entry is not None
        txn_id = shop.world.memory.open_compaction("other", "host", "agent", MAJOR)
        shop.world.memory.start_compaction(replace(entry, user="other", highest_write_id=2), txn_id)
        shop.world.file_system.add_file(f"{LOCATION}/base_0000002_v{txn_id:07d}/bucket_00000")
        shop.world.memory.mark_compacted(entry)
        shop.world.memory.commit(txn_id)
        shop.world.run(StatementKind.INSERT)
        shop.request()

    shop.world.metastore.before["next_compaction"] = compact_first
    outcome = shop.worker.run_next(None)
    assert outcome is not None
    (job,) = shop.engine.specs
    assert [folder.path.rpartition("/")[2] for folder in job.partition.folders] == [
        "base_0000002_v0000004",
        "delta_0000003_0000003_0000",
    ]


def test_what_an_aborted_one_has_left_is_passed_over() -> None:
    shop = Shop()
    other = begin_other(shop)
    shop.world.memory.abort(other)
    shop.request(MINOR)
    outcome = shop.worker.run_next(None)
    assert outcome is not None
    assert outcome.folders[0].startswith("delta_0000001_0000003_v")
    assert shop.entry().state is READY


def test_one_that_does_not_end_is_named() -> None:
    shop = Shop()
    begin_other(shop)
    shop.request(MINOR)
    before_ms = shop.world.clock.now_ms
    with pytest.raises(WriteConflict, match=BASE):
        shop.worker.run_next(None)
    assert shop.entry().state is FAILED
    assert shop.world.clock.now_ms - before_ms >= 10_000, "a commit may take its time"
