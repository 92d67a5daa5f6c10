"""What a session asks for is done by it, at once, and what stands in the way of that is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from hive_acid import config
from hive_acid.compaction.requests import CompactionRequests, Outcome
from hive_acid.compaction.session_runner import SessionRunner
from hive_acid.errors import HiveAcidError, UnsupportedOperation, build_error
from hive_acid.metastore.compaction_types import CompactionKind, CompactionRequest, CompactionState
from hive_acid.metastore.types import MetastoreLine
from support.statements import LOCATION, TABLE, build_table
from unit.compaction.test_worker import Shop

MAJOR, MINOR = CompactionKind.MAJOR, CompactionKind.MINOR
POOL = "of-the-session"


def ask(
    shop: Shop, *requests: CompactionRequest, pause_ms: Callable[[int], None] | None = None, **settings: str
) -> list[Outcome]:
    runner = SessionRunner(
        shop.world.metastore, lambda chosen: shop.worker, POOL, pause_ms or shop.world.clock.pause_ms
    )
    service = CompactionRequests(shop.world.metastore, shop.world.clock, shop.world.clock.pause_ms, runner)
    keys = {f"spark.hiveacid.compaction.{key}": value for key, value in settings.items()}
    return service.compact(requests or [CompactionRequest(TABLE, MAJOR)], config.Settings(keys), waits=False)


def test_it_is_done_when_the_statement_returns() -> None:
    shop = Shop()
    (outcome,) = ask(shop)
    assert (outcome.state, outcome.accepted) == ("ready for cleaning", True)
    assert "base_0000002_v0000003" in shop.world.folders()


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


def test_one_that_waits_for_anybody_is_done_under_its_own_id() -> None:
    shop = Shop()
    earlier = shop.world.memory.request_compaction(CompactionRequest(TABLE, MINOR))
    (outcome,) = ask(shop)
    assert (outcome.compaction_id, outcome.state) == (earlier.id, "ready for cleaning")
    assert "delta_0000001_0000002_v0000003" in shop.world.folders()


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
    other = replace(TABLE, table="other")
    shop.world.memory.add_table(build_table(name=other, location="/warehouse/other"))
    for name in ("delta_0000001_0000001_0000", "delta_0000002_0000002_0000"):
        shop.world.file_system.add_file(f"/warehouse/other/{name}/bucket_00000")
    for _ in range(2):
        txn_id = shop.world.memory.open_transaction("u", "h", "a")
        shop.world.memory.allocate_write_id(txn_id, other)
        shop.world.memory.commit(txn_id)
    shop.engine.before = lambda: setattr(
        shop.engine, "fails", RuntimeError("full") if not shop.engine.specs[1:] else None
    )
    with pytest.raises(RuntimeError, match="full"):
        ask(shop, CompactionRequest(TABLE, MAJOR), CompactionRequest(other, MAJOR))
    states = {info.table: info.state for info in shop.world.memory.compactions()}
    assert states == {TABLE: CompactionState.FAILED, other: CompactionState.READY}


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
    with pytest.raises(HiveAcidError, match="neither session nor queue"):
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
