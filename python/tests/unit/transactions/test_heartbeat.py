"""A transaction is kept alive, and a lost one is noticed before the commit."""

from __future__ import annotations

import threading
from typing import Any, cast

import pytest

from hive_acid.errors import HiveAcidError, TransactionAborted, build_error
from hive_acid.metastore.protocol import Metastore
from hive_acid.transactions.heartbeat import Heartbeat
from support.faults import Lost
from support.statements import TIMEOUT_MS, World

LIMIT_SECONDS = 30


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


class Stumbling:
    """A metastore to which the first beat of transaction 1 cannot even be sent."""

    def __init__(self) -> None:
        self.beaten: dict[int, threading.Event] = {1: threading.Event(), 2: threading.Event()}

    def heartbeat(self, txn_id: int) -> None:
        self.beaten[txn_id].set()
        if txn_id == 1:
            raise ValueError("no error of ours")


def test_an_error_that_is_not_ours_ends_its_transaction_and_the_others_go_on() -> None:
    metastore: Any = Stumbling()
    heartbeat = Heartbeat(metastore, 30, lambda: 0)
    try:
        heartbeat.register(1)
        assert metastore.beaten[1].wait(LIMIT_SECONDS)
        heartbeat.register(2)
        assert metastore.beaten[2].wait(LIMIT_SECONDS)
        metastore.beaten[2].clear()
        assert metastore.beaten[2].wait(LIMIT_SECONDS)
        failure = heartbeat.failure(1)
        assert failure is not None
        assert (failure.getCondition(), "no error of ours" in str(failure)) == ("HIVE_ACID_INTERNAL", True)
        assert heartbeat.failure(2) is None
    finally:
        heartbeat.stop()


class EndsMeanwhile:
    """A metastore whose answer to a beat comes when the transaction has ended, and says so or is lost."""

    def __init__(self, answer: HiveAcidError) -> None:
        self._answer = answer
        self.heartbeats = Heartbeat(cast("Metastore", self), TIMEOUT_MS, lambda: 0)

    def heartbeat(self, txn_id: int) -> None:
        self.heartbeats.unregister(txn_id)
        raise self._answer


@pytest.mark.parametrize(
    "answer",
    [
        build_error("HIVE_ACID_TRANSACTION_ABORTED", txnId=1, table="its tables", reason="No such txn: 1"),
        build_error("HIVE_ACID_METASTORE_UNAVAILABLE", uri="thrift://m", method="heartbeat", reason="closed"),
    ],
)
def test_a_beat_on_its_way_says_nothing_of_a_transaction_that_has_ended(
    answer: HiveAcidError, caplog: pytest.LogCaptureFixture
) -> None:
    heartbeat = EndsMeanwhile(answer).heartbeats
    heartbeat.register(1)
    heartbeat.beat()
    heartbeat.stop()
    assert caplog.messages == []


def test_who_has_stood_still_knows_it_by_the_clock(world: World) -> None:
    transaction = world.transactions.begin("db.t")
    world.clock.now_ms += TIMEOUT_MS
    with pytest.raises(TransactionAborted, match="no heartbeat was answered"):
        transaction.ensure_active()
    assert "heartbeat" not in world.metastore.calls


def test_a_transaction_is_confirmed_by_asking_whatever_the_clock_says(world: World) -> None:
    transaction = world.transactions.begin("db.t")
    transaction.confirm()
    world.memory.abort(transaction.txn_id)
    transaction.ensure_active()
    with pytest.raises(TransactionAborted):
        transaction.confirm()
