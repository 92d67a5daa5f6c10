"""A worker that dies at any call leaves a queue that goes on, and one that lives is taken for dead at none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest

from hive_acid.compaction.compactor import Compactor
from hive_acid.compaction.queue.worker import Worker
from hive_acid.config import Settings
from hive_acid.errors import HiveAcidError
from hive_acid.metastore.compaction_types import CompactionKind, CompactionState
from hive_acid.metastore.types import TransactionState
from hive_acid.transactions.locks import Identity
from hive_acid.transactions.manager import TransactionManager
from hive_acid.writing.conflicts import Conflict
from support.dying import Killed, Life, Mortal
from support.statements import LOCATION, keep_still
from unit.compaction.worker_shop import FAILED, READY, REFUSED, Shop

REBALANCE = CompactionKind.REBALANCE


def ask_for_rows() -> Shop:
    shop = Shop()
    shop.request()
    return shop


def ask_for_cleaning() -> Shop:
    """All is in a base, and what that replaces is there too."""
    shop = ask_for_rows()
    assert shop.worker.run_next(None) is not None
    shop.request()
    return shop


def ask_for_nothing() -> Shop:
    shop = ask_for_cleaning()
    for name in shop.world.folders():
        if name.startswith("delta_"):
            shop.world.file_system.delete_tree(f"{LOCATION}/{name}")
    return shop


def ask_for_rebalance() -> Shop:
    shop = Shop()
    shop.request(REBALANCE)
    return shop


def meet_conflict() -> Shop:
    """Its first attempt ends by a conflict, and a younger transaction does the work."""
    shop = ask_for_rebalance()

    def conflict() -> None:
        shop.engine.before = None
        raise Conflict(0, "HIVE_ACID_WRITE_CONFLICT.CHANGED")

    shop.engine.before = conflict
    return shop


def meet_error() -> Shop:
    shop = ask_for_rows()
    shop.engine.fails = RuntimeError("no space left")
    return shop


CASES = [ask_for_rows, ask_for_cleaning, ask_for_nothing, ask_for_rebalance, meet_conflict, meet_error]
every_case = pytest.mark.parametrize("build", CASES)


def build_worker(shop: Shop, life: Life) -> Worker:
    """One of another process, which ends with its life."""
    metastore, file_system = (
        cast("Any", Mortal(shop.world.memory, life)),
        cast("Any", Mortal(shop.world.file_system, life)),
    )
    settings = Settings({})
    manager = TransactionManager(metastore, Identity("user", "host", "agent"), settings, shop.world.clock.timing)
    compactor = Compactor(metastore, file_system, shop.engine, settings)
    worker = Worker(keep_still(manager), compactor, settings, "spark-host-2", "test")
    life.calls.clear()
    return worker


def run_to_the_end(build: Callable[[], Shop]) -> list[str]:
    """The calls of a worker that lives."""
    life = Life()
    worker = build_worker(build(), life)
    try:
        assert worker.run_next(None) is not None
    except RuntimeError:
        assert build is meet_error
    return life.calls


@every_case
def test_a_worker_that_dies_at_any_call_leaves_a_queue_that_goes_on(build: Callable[[], Shop]) -> None:
    for calls_left, call in enumerate(run_to_the_end(build)):
        shop = build()
        with pytest.raises(Killed):
            build_worker(shop, Life(calls_left)).run_next(None)
        shop.engine.fails = shop.engine.before = None
        entry = shop.entry()
        txn_id = entry.txn_id
        is_committed = txn_id and shop.world.memory.transaction_state(txn_id) is TransactionState.COMMITTED
        assert entry.state is not READY or is_committed, f"the Cleaner would take it: {call}"
        shop.world.time_out()
        shop.worker.fail_dead()
        expected = {READY if is_committed else FAILED, CompactionState.INITIATED, REFUSED}
        assert shop.entry().state in expected, call
        if shop.entry().state is not CompactionState.INITIATED:
            shop.request()
        assert shop.worker.run_next(None) is not None, call
        assert shop.world.open_transactions() == [] and shop.world.memory.held_locks() == [], call


@every_case
def test_a_worker_that_lives_is_taken_for_dead_at_no_call(build: Callable[[], Shop]) -> None:
    shop = build()
    taken: list[str] = []

    def look(call: str) -> None:
        if shop.worker.fail_dead():
            taken.append(call)

    try:
        build_worker(shop, Life(watch=look)).run_next(None)
    except (RuntimeError, HiveAcidError):
        assert build is meet_error
    assert taken == []


@pytest.mark.parametrize(("dies_at", "end"), [("mark_compacted", READY), ("commit", FAILED)])
def test_of_a_transaction_that_the_metastore_has_forgotten_the_entry_tells(dies_at: str, end: CompactionState) -> None:
    """A commit is forgotten soon, and an aborted compaction once its folder is gone."""
    shop = ask_for_rows()
    with pytest.raises(Killed):
        build_worker(shop, Life(run_to_the_end(ask_for_rows).index(dies_at))).run_next(None)
    shop.world.time_out()
    (made,) = set(shop.world.folders()) - set(shop.before)
    if end is FAILED:
        shop.world.file_system.delete_tree(f"{LOCATION}/{made}")
    txn_id = shop.entry().txn_id
    assert txn_id is not None
    shop.world.memory.forget(txn_id)
    shop.worker.fail_dead()
    assert shop.entry().state is end
