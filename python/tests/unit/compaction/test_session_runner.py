"""What a session asks for is done by it, at once, and what stands in the way of that is told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hive_acid.compaction.queue.liveness import STATEMENT_POOL_PREFIX, name_with_transaction
from hive_acid.errors import HiveAcidError, MetastoreUnavailable, UnsupportedOperation, build_error
from hive_acid.metastore.compaction_types import CompactionInfo, CompactionRequest, CompactionState
from hive_acid.metastore.types import MetastoreLine, TransactionState
from support.faults import Lost
from support.statements import LOCATION, TABLE, TIMEOUT_MS, build_table
from unit.compaction.session_shop import OTHER, POOL, add_other, ask, build_session
from unit.compaction.worker_shop import MAJOR, MINOR, Shop


def latest_entry(shop: Shop, request: CompactionRequest) -> CompactionInfo:
    return next(info for info in shop.world.memory.compactions() if info.table == request.table)


def test_it_is_done_when_the_statement_returns() -> None:
    shop = Shop()
    (outcome,) = ask(shop)
    assert (outcome.state, outcome.accepted) == ("ready for cleaning", True)
    assert "base_0000002_v0000003" in shop.world.folders()


@pytest.mark.parametrize("waits", [False, True])
def test_where_there_is_nothing_to_compact_nothing_is_requested(waits: bool) -> None:
    shop = Shop()
    shop.world.memory.add_table(build_table(name=OTHER, location="/warehouse/other"))
    session = build_session(shop)
    for kind in (MAJOR, MINOR):
        (outcome,) = session(CompactionRequest(OTHER, kind), waits=waits, skips_needless=True)
        assert (outcome.compaction_id, outcome.accepted, outcome.state) == (None, False, "not needed")
        assert outcome.reason == "there is nothing to compact"
    assert shop.world.memory.compactions() == []
    assert not any(info.state is TransactionState.OPEN for info in shop.world.memory.transactions())


def test_what_cannot_be_told_beforehand_is_requested() -> None:
    shop = Shop()
    session = build_session(shop)
    shop.world.file_system.add_file(f"{LOCATION}/delta_0000001_0000002/bucket_00000")  # overlaps what is there
    shop.world.file_system.add_file(f"{LOCATION}/delta_0000002_0000003/bucket_00000")
    with pytest.raises(HiveAcidError):
        session(skips_needless=True)
    assert shop.entry().state is CompactionState.FAILED


def test_by_setting_it_is_left_in_the_queue() -> None:
    shop = Shop()
    (outcome,) = ask(shop, runIn="queue")
    assert outcome.state == "initiated"
    assert shop.entry().pool is None
    assert shop.world.folders() == shop.before


def test_a_pool_that_was_named_is_left_to_whoever_serves_it() -> None:
    shop = Shop()
    (outcome,) = ask(shop, CompactionRequest(TABLE, MAJOR, pool="etl"))
    assert (outcome.state, shop.entry().pool) == ("initiated", "etl")


def test_one_that_somebody_works_at_is_left_to_them() -> None:
    shop = Shop()
    shop.world.memory.request_compaction(CompactionRequest(TABLE, MINOR))
    shop.world.memory.next_compaction("other-1", "test", None)
    (outcome,) = ask(shop)
    assert (outcome.accepted, outcome.state) == (False, "refused")


def test_nothing_is_requested_for_a_table_that_cannot_be_compacted() -> None:
    shop = Shop()
    insert_only = {"transactional": "true", "transactional_properties": "insert_only"}
    shop.world.memory.add_table(build_table(parameters=insert_only))
    with pytest.raises(UnsupportedOperation, match="runIn=queue"):
        ask(shop)
    assert shop.world.memory.compactions() == []


def test_if_one_fails_the_others_are_done() -> None:
    shop = Shop()
    other = add_other(shop)
    shop.engine.before = lambda: setattr(
        shop.engine, "fails", RuntimeError("full") if not shop.engine.specs[1:] else None
    )
    with pytest.raises(RuntimeError, match="full"):
        ask(shop, CompactionRequest(TABLE, MAJOR), other)
    states = {info.table: info.state for info in shop.world.memory.compactions()}
    assert states == {TABLE: CompactionState.FAILED, OTHER: CompactionState.READY}


def test_an_interrupt_leaves_nothing_in_a_queue_that_nobody_serves() -> None:
    shop = Shop()
    other = replace(TABLE, table="other")
    shop.world.memory.add_table(build_table(name=other, location="/warehouse/other"))
    shop.engine.fails = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        ask(shop, CompactionRequest(TABLE, MAJOR), CompactionRequest(other, MAJOR))
    assert {info.state for info in shop.world.memory.compactions()} == {CompactionState.FAILED}
    assert shop.world.folders() == shop.before


def test_a_cancelled_statement_begins_no_other() -> None:
    shop = Shop()
    other = replace(TABLE, table="other")
    shop.world.memory.add_table(build_table(name=other, location="/warehouse/other"))
    shop.engine.fails = RuntimeError("the job was cancelled")

    def pause_ms(pause_ms: int) -> None:
        raise build_error("HIVE_ACID_CANCELLED", reason="job group x was cancelled")

    with pytest.raises(HiveAcidError, match="CANCELLED"):
        ask(shop, CompactionRequest(TABLE, MAJOR), CompactionRequest(other, MAJOR), pause_ms=pause_ms)
    assert len(shop.engine.specs) == 1
    assert {info.state for info in shop.world.memory.compactions()} == {CompactionState.FAILED}


def test_a_setting_that_is_neither_is_an_error() -> None:
    with pytest.raises(HiveAcidError, match="not one of session, queue"):
        ask(Shop(), runIn="nowhere")


def test_on_3_1_the_base_is_there_before_hive_is_asked() -> None:
    shop = Shop(MetastoreLine.HIVE_3)
    (outcome,) = ask(shop)
    assert outcome.state == "initiated"
    assert f"{LOCATION}/base_0000002/bucket_00000" in shop.world.file_system.files
    assert shop.entry().kind is MAJOR
    before = shop.world.folders()
    (outcome,) = ask(Shop(MetastoreLine.HIVE_3), CompactionRequest(TABLE, MINOR))
    assert (outcome.state, shop.world.folders()) == ("initiated", before)


class TestLostAnswers:
    """Whichever call is lost, later statements of this session and of others are done at once."""

    LOSSES = pytest.mark.parametrize(
        ("method", "lost"),
        [
            (method, lost)
            for method in ("request_compaction", "compactions", "open_compaction", "next_compaction")
            for lost in Lost
        ],
    )

    @LOSSES
    @pytest.mark.parametrize("waits", [True, False])
    def test_the_next_of_the_same_and_of_another_table_are_done_at_once(
        self, method: str, lost: Lost, waits: bool
    ) -> None:
        shop = Shop()
        other, session = add_other(shop), build_session(shop)
        shop.world.metastore.method, shop.world.metastore.lost = method, lost
        try:
            session()
        except MetastoreUnavailable:
            shop.world.time_out()  # nobody knows a transaction whose ID was lost
        shop.world.metastore.method = ""
        assert all(info.state is not CompactionState.INITIATED for info in shop.world.memory.compactions())
        began_ms = shop.world.clock.now_ms
        (outcome,) = session(other, waits=waits)
        assert (outcome.accepted, outcome.state) == (True, "ready for cleaning")
        session(waits=waits)
        assert shop.world.clock.now_ms == began_ms, "nothing was waited for"
        assert "base_0000002" in "".join(shop.world.folders())
        assert not any(info.state.is_pending for info in shop.world.memory.compactions())
        assert shop.world.open_transactions() == []

    def test_a_lost_answer_to_the_request_is_found_in_the_queue(self) -> None:
        shop = Shop()
        shop.world.metastore.method, shop.world.metastore.lost = "request_compaction", Lost.ANSWER
        (outcome,) = ask(shop)
        assert (outcome.compaction_id, outcome.state) == (shop.entry().id, "ready for cleaning")

    def test_what_a_session_has_asked_for_before_it_died_is_done_by_the_next(self) -> None:
        shop = Shop()
        dead = replace(CompactionRequest(TABLE, MAJOR), pool=f"{STATEMENT_POOL_PREFIX}dead-1")
        earlier = shop.world.memory.request_compaction(dead)
        (outcome,) = ask(shop)
        assert (outcome.compaction_id, outcome.state) == (earlier.id, "ready for cleaning")

    def test_what_a_session_had_taken_when_it_died_is_given_up_with_its_transaction(self) -> None:
        shop = Shop()
        pool = f"{STATEMENT_POOL_PREFIX}dead-1"
        shop.world.memory.request_compaction(replace(CompactionRequest(TABLE, MAJOR), pool=pool))
        txn_id = shop.world.memory.open_compaction("user", "host", "agent", MAJOR)
        shop.world.memory.next_compaction(name_with_transaction("spark-dead", txn_id), "test", pool)
        (outcome,) = ask(shop)
        assert (outcome.accepted, outcome.state) == (False, "refused"), "it may be alive"
        shop.world.time_out()
        (outcome,) = ask(shop)
        assert (outcome.accepted, outcome.state) == (True, "ready for cleaning")

    def test_what_another_has_taken_and_died_with_is_not_waited_for(self) -> None:
        shop = Shop()
        session = build_session(shop)

        def take_and_die() -> None:
            (entry,) = shop.world.memory.compactions()
            txn_id = shop.world.memory.open_compaction("user", "host", "agent", MAJOR)
            assert shop.world.memory.next_compaction(name_with_transaction("spark-other", txn_id), "test", entry.pool)

        shop.world.metastore.before["next_compaction"] = take_and_die
        shop.world.clock.after_pause = shop.world.time_out
        with pytest.raises(HiveAcidError, match=r"worker spark-other.* died"):
            session(waits=True)
        assert shop.world.clock.now_ms < 1_000_000 + 2 * TIMEOUT_MS

    def test_an_interrupted_statement_is_not_hidden_by_a_metastore_that_has_gone(self) -> None:
        shop = Shop()
        shop.engine.fails = KeyboardInterrupt()
        shop.engine.before = lambda: setattr(shop.world.metastore, "method", "compactions")
        shop.world.metastore.forever = True
        with pytest.raises(KeyboardInterrupt):
            ask(shop, CompactionRequest(TABLE, MAJOR), add_other(shop))

    def test_requests_before_one_that_fails_are_not_left_where_nobody_looks(self) -> None:
        shop = Shop()
        other = add_other(shop)
        shop.world.metastore.method, shop.world.metastore.nth = "request_compaction", 2
        with pytest.raises(MetastoreUnavailable):
            ask(shop, CompactionRequest(TABLE, MAJOR), other)
        assert [info.state for info in shop.world.memory.compactions()] == [CompactionState.FAILED]


def test_each_statement_is_given_what_it_has_asked_for() -> None:
    shop = Shop()
    other, session = add_other(shop), build_session(shop)
    session(runIn="session")
    first = latest_entry(shop, CompactionRequest(TABLE, MAJOR)).pool
    session(other)
    second = latest_entry(shop, other).pool
    assert first is not None
    assert first.startswith(POOL)
    assert second is not None
    assert second.startswith(POOL)
    assert first != second
