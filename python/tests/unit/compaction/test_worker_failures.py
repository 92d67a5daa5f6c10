"""A compaction that fails or dies is visible wholly or not at all, and the queue hears what became of it."""

from __future__ import annotations

from dataclasses import replace
from typing import NoReturn

import pytest

from hive_acid.compaction.queue.liveness import name_with_transaction
from hive_acid.errors import HiveAcidError, SnapshotUnavailable, build_error
from hive_acid.errors.masking import asking
from hive_acid.metastore.compaction_types import CompactionState
from hive_acid.metastore.types import MetastoreLine
from support.faults import Lost
from support.statements import TABLE
from unit.compaction.worker_shop import FAILED, MAJOR, READY, REFUSED, Shop


@pytest.mark.parametrize("fails", [RuntimeError("no space left"), KeyboardInterrupt()], ids=["error", "interrupt"])
def test_a_failure_leaves_nothing_and_is_told(fails: BaseException) -> None:
    shop = Shop()
    shop.request()
    shop.engine.fails = fails
    with pytest.raises(type(fails)):
        shop.worker.run_next(None)
    assert shop.world.folders() == shop.before
    assert shop.entry().state is FAILED
    assert shop.entry().error == (str(fails) or "KeyboardInterrupt")
    assert shop.world.open_transactions() == []
    assert shop.world.memory.held_locks() == []


def test_a_failure_is_told_without_names_that_are_kept() -> None:
    shop = Shop()
    shop.request()
    shop.engine.fails = RuntimeError("no file below who=Ada Lovelace")
    with asking(lambda text: text.replace("Ada Lovelace", "#")), pytest.raises(RuntimeError):
        shop.worker.run_next(None)
    assert shop.entry().error == "no file below who=#"


@pytest.mark.parametrize("lost", list(Lost))
@pytest.mark.parametrize(
    "step",
    ["table", "open_compaction", "lock", "valid_write_ids", "start_compaction"],
)
def test_a_step_that_gets_no_answer_leaves_nothing_visible(step: str, lost: Lost) -> None:
    shop = Shop()
    shop.request()
    shop.world.metastore.method, shop.world.metastore.lost = step, lost
    with pytest.raises(HiveAcidError):
        shop.worker.run_next(None)
    assert shop.world.folders() == shop.before
    is_taken = step not in ("open_compaction", "valid_transactions")
    assert shop.entry().state is (FAILED if is_taken else CompactionState.INITIATED)
    shop.world.time_out()
    assert shop.world.open_transactions() == []


@pytest.mark.parametrize("lost", list(Lost))
def test_what_is_done_stays_done_if_the_queue_is_not_told(lost: Lost) -> None:
    shop = Shop()
    shop.request()
    shop.world.metastore.method, shop.world.metastore.lost = "mark_compacted", lost
    outcome = shop.worker.run_next(None)
    assert outcome is not None
    assert outcome.folders == ("base_0000002_v0000003",)
    assert "base_0000002_v0000003" in shop.world.folders()
    assert shop.worker.fail_dead() == []
    assert shop.entry().state is READY


def test_an_interrupt_after_the_commit_takes_nothing_back() -> None:
    shop = Shop()
    shop.request()

    def interrupt() -> NoReturn:
        raise KeyboardInterrupt

    shop.world.metastore.before["mark_compacted"] = interrupt
    with pytest.raises(KeyboardInterrupt):
        shop.worker.run_next(None)
    assert "base_0000002_v0000003" in shop.world.folders()
    assert shop.entry().error is None
    assert shop.worker.fail_dead() == []
    assert shop.entry().state is READY


@pytest.mark.parametrize("lost", list(Lost))
def test_a_commit_that_gets_no_answer_is_resolved(lost: Lost) -> None:
    shop = Shop()
    shop.request()
    shop.world.metastore.method, shop.world.metastore.lost = "commit", lost
    shop.worker.run_next(None)
    assert "base_0000002_v0000003" in shop.world.folders()
    assert shop.entry().state is READY


def test_a_commit_that_nobody_knows_of_keeps_the_files() -> None:
    shop = Shop()
    shop.request()
    metastore = shop.world.metastore
    metastore.method, metastore.lost, metastore.forever = "commit", Lost.ANSWER, True

    def lose_all() -> None:
        metastore.method = "transaction_state"

    metastore.before["transaction_state"] = lose_all
    with pytest.raises(HiveAcidError, match="COMMIT_STATE_UNKNOWN"):
        shop.worker.run_next(None)
    assert "base_0000002_v0000003" in shop.world.folders()


def test_a_lost_transaction_puts_nothing_into_place() -> None:
    shop = Shop()
    shop.request()

    def lose() -> None:
        shop.world.time_out()
        shop.world.transactions.heartbeat.beat()

    shop.engine.before = lose
    with pytest.raises(HiveAcidError, match="TRANSACTION_ABORTED"):
        shop.worker.run_next(None)
    assert shop.world.folders() == shop.before
    assert shop.entry().state is FAILED


def test_what_a_worker_that_died_had_begun_is_failed() -> None:
    shop = Shop()
    shop.request()
    job = shop.world.memory.next_compaction("spark-dead-1", "test", None)
    assert job is not None
    txn_id = shop.world.memory.open_transaction("user", "host", "agent")
    shop.world.memory.start_compaction(replace(job, user="user", highest_write_id=2), txn_id)
    assert shop.worker.fail_dead() == [], "it may be at work"
    shop.world.memory.abort(txn_id)
    assert shop.worker.fail_dead() == [job.id]
    assert shop.entry().state is FAILED
    assert "died" in (shop.entry().error or "")
    shop.request()
    assert shop.worker.run_next(None) is not None


def test_a_worker_that_dies_before_it_has_said_anything_is_known_by_its_name() -> None:
    shop = Shop()
    shop.request()
    shop.world.metastore.method, shop.world.metastore.lost = "next_compaction", Lost.ANSWER
    with pytest.raises(HiveAcidError, match="METASTORE_UNAVAILABLE"):
        shop.worker.run_next(None)
    assert shop.entry().state is CompactionState.WORKING
    assert shop.entry().txn_id is None
    assert shop.world.open_transactions() == []
    assert shop.worker.fail_dead() == [shop.entry().id]
    shop.request()
    assert shop.worker.run_next(None) is not None


@pytest.mark.parametrize("ends", ["commit", "nothing to do", "failure"])
def test_a_compaction_that_ends_while_it_is_asked_after_is_not_taken_for_dead(ends: str) -> None:
    """The queue is read, then the compaction ends, then its transaction is asked for."""
    shop = Shop()
    shop.request()
    memory = shop.world.memory
    txn_id = memory.open_compaction("user", "host", "agent", MAJOR)
    job = memory.next_compaction(name_with_transaction("spark-busy", txn_id), "test", None)
    assert job is not None

    def end() -> None:
        memory.start_compaction(replace(job, user="user", highest_write_id=2), txn_id)
        {"commit": memory.mark_compacted, "nothing to do": memory.mark_refused, "failure": memory.mark_failed}[ends](
            replace(job, error="of its own")
        )
        (memory.abort if ends == "failure" else memory.commit)(txn_id)

    shop.world.metastore.before["transaction_state"] = end
    assert shop.worker.fail_dead() == []
    assert "transaction_state" in shop.world.metastore.calls
    assert shop.entry().state is {"commit": READY, "nothing to do": REFUSED, "failure": FAILED}[ends]
    assert shop.entry().error == "of its own"


def test_one_that_has_told_its_end_itself_just_before_is_no_error() -> None:
    shop = Shop()
    shop.request()
    txn_id = shop.world.memory.open_compaction("user", "host", "agent", MAJOR)
    job = shop.world.memory.next_compaction(name_with_transaction("spark-busy", txn_id), "test", None)
    assert job is not None
    shop.world.memory.abort(txn_id)

    def tell() -> None:
        shop.world.memory.mark_failed(replace(job, error="of its own"))
        shop.world.metastore.method, shop.world.metastore.nth = "mark_failed", 1  # the entry is no longer in the queue

    shop.world.metastore.before["mark_failed"] = tell
    assert shop.worker.fail_dead() == []
    assert shop.entry().error == "of its own"


def test_what_hives_workers_do_is_theirs() -> None:
    shop = Shop()
    shop.request()
    job = shop.world.memory.next_compaction("hs2-host-1", "4.1.0", None)
    assert job is not None
    txn_id = shop.world.memory.open_transaction("user", "host", "agent")
    shop.world.memory.start_compaction(replace(job, user="user", highest_write_id=2), txn_id)
    shop.world.memory.abort(txn_id)
    assert shop.worker.fail_dead() == []


@pytest.mark.parametrize("line", list(MetastoreLine))
def test_a_compaction_whose_files_another_cleaner_has_taken_away_is_done_anew(line: MetastoreLine) -> None:
    """That of aborted transactions of 4.x waits for no lock. On 3.1 a folder may go by hand."""
    shop = Shop(line)
    gone = build_error("HIVE_ACID_SNAPSHOT_UNAVAILABLE", table=TABLE, reason="a file of it is gone")
    shop.engine.fails = gone

    def mend() -> None:
        if len(shop.engine.specs) > 1:
            shop.engine.fails = None

    shop.engine.before = mend
    if line is MetastoreLine.HIVE_4:
        shop.request()
        outcome = shop.worker.run_next(None)
        assert shop.entry().state is READY
    else:
        outcome = shop.worker.publish_base(TABLE, None)
    assert outcome is not None and outcome.folders
    assert len(shop.engine.specs) == 2
    assert shop.world.open_transactions() == []


def test_one_whose_files_stay_away_fails_by_that_error() -> None:
    shop = Shop()
    shop.request()
    shop.engine.fails = build_error("HIVE_ACID_SNAPSHOT_UNAVAILABLE", table=TABLE, reason="a file of it is gone")
    with pytest.raises(SnapshotUnavailable, match="a file of it is gone"):
        shop.worker.run_next(None)
    assert shop.entry().state is FAILED
    assert shop.world.folders() == shop.before
