"""A transaction is kept alive, and a lost one is noticed before the commit."""

from __future__ import annotations

import pytest

from hive_acid.errors import HiveAcidError
from support.faults import Lost
from support.statements import TIMEOUT_MS, World


@pytest.fixture
def world() -> World:
    return World()


def test_beats_keep_a_transaction_open_for_many_timeouts(world: World) -> None:
    transaction = world.transactions.begin("db.t")
    for _ in range(20):
        world.clock.now_ms += TIMEOUT_MS // 3
        world.transactions.heartbeat.beat()
    assert world.open_transactions() == [transaction.txn_id]
    transaction.commit()


def test_without_a_beat_the_metastore_ends_it_and_the_commit_is_not_sent(world: World) -> None:
    transaction = world.transactions.begin("db.t")
    world.time_out()
    world.transactions.heartbeat.beat()
    with pytest.raises(HiveAcidError) as caught:
        transaction.commit()
    assert caught.value.getCondition() == "HIVE_ACID_TRANSACTION_ABORTED"
    assert "commit" not in world.metastore.calls


def test_beats_without_an_answer_are_borne_until_the_timeout(world: World) -> None:
    transaction = world.transactions.begin("db.t")
    world.metastore.method, world.metastore.lost, world.metastore.forever = "heartbeat", Lost.ANSWER, True
    world.clock.now_ms += TIMEOUT_MS - 1
    world.transactions.heartbeat.beat()
    transaction.ensure_active()
    world.clock.now_ms += 1
    world.transactions.heartbeat.beat()
    with pytest.raises(HiveAcidError, match="no heartbeat was answered"):
        transaction.ensure_active()


def test_one_beat_that_was_not_answered_is_forgiven_once_the_next_is(world: World) -> None:
    transaction = world.transactions.begin("db.t")
    world.metastore.method = "heartbeat"
    world.clock.now_ms += TIMEOUT_MS // 2
    world.transactions.heartbeat.beat()
    world.transactions.heartbeat.beat()
    world.clock.now_ms += TIMEOUT_MS - 1
    world.transactions.heartbeat.beat()
    transaction.ensure_active()


def test_an_ended_transaction_is_beaten_no_more(world: World) -> None:
    world.transactions.begin("db.t").commit()
    world.transactions.begin("db.t").abort()
    world.transactions.heartbeat.beat()
    assert "heartbeat" not in world.metastore.calls
