"""What was committed stays in sight, also if younger transactions with lower write IDs are aborted."""

from __future__ import annotations

import pytest

from hive_acid.errors import MetastoreUnavailable
from hive_acid.execution.session_transaction import SessionTransaction
from hive_acid.metastore.types import LockComponent, LockKind, MetastoreLine, OperationKind
from hive_acid.model.write_ids import ValidTxnList, ValidWriteIdList
from hive_acid.transactions.upper_write_ids import can_be_lost_from_sight, first_of_younger
from hive_acid.wire.statement_kinds import StatementKind
from support.faults import Lost
from support.statements import TABLE, World

AGENT = ("other", "host", "agent")


@pytest.fixture(params=MetastoreLine, ids=lambda line: line.value)
def world(request: pytest.FixtureRequest) -> World:
    """The table with rows."""
    world = World(request.param)
    world.run(StatementKind.INSERT)
    return world


def begin_other(world: World) -> int:
    """A writer of another engine, which holds a write ID and a lock."""
    txn_id = world.memory.open_transaction(*AGENT)
    world.memory.allocate_write_id(txn_id, TABLE)
    world.memory.lock(txn_id, [LockComponent(TABLE, LockKind.SHARED_READ, OperationKind.INSERT)], *AGENT)
    return txn_id


def begin(world: World) -> SessionTransaction:
    """A transaction of several statements that has read another table."""
    begun = world.executor.begin_transaction({})
    assert begun.txn_id
    return begun


def insert(world: World, begun: SessionTransaction) -> None:
    world.executor.run_within(begun.token, world.statement(StatementKind.INSERT), world.engine)


@pytest.mark.parametrize("is_aborted_first", [True, False])
def test_a_transaction_stays_in_sight_beside_an_aborted_younger_one(world: World, is_aborted_first: bool) -> None:
    begun = begin(world)
    other = begin_other(world)
    if is_aborted_first:
        world.memory.abort(other)
    insert(world, begun)
    world.executor.end_transaction(begun, None)
    written = world.visible_write_ids()
    assert written[-1] == 3
    if not is_aborted_first:
        world.memory.abort(other)
    world.memory.clean_entries()
    assert world.visible_write_ids() == written
    assert world.open_transactions() == []


def test_a_younger_one_that_has_committed_needs_nothing(world: World) -> None:
    begun = begin(world)
    world.memory.commit(begin_other(world))
    insert(world, begun)
    world.metastore.calls.clear()
    world.executor.end_transaction(begun, None)
    assert "open_transaction" not in world.metastore.calls
    world.memory.clean_entries()
    assert world.visible_write_ids()[-1] == 3


def test_older_ones_need_nothing(world: World) -> None:
    other = begin_other(world)
    begun = begin(world)
    insert(world, begun)
    world.metastore.calls.clear()
    world.executor.end_transaction(begun, None)
    world.memory.abort(other)
    world.memory.clean_entries()
    assert "open_transaction" not in world.metastore.calls
    assert world.visible_write_ids()[-1] == 3


def test_a_transaction_whose_write_id_cannot_be_covered_is_undone(world: World) -> None:
    begun = begin(world)
    begin_other(world)
    insert(world, begun)
    world.metastore.calls.clear()
    world.metastore.method, world.metastore.lost = "open_transaction", Lost.REQUEST
    with pytest.raises(MetastoreUnavailable) as raised:
        world.executor.end_transaction(begun, None)
    assert "committed" in str(raised.value)
    assert world.visible_write_ids() == [1]


def test_a_list_taken_under_a_lock_may_show_younger_ones() -> None:
    seen, before = ValidTxnList(9), ValidWriteIdList("t", 7, frozenset({5}), frozenset())
    assert first_of_younger(before, seen, 8) == 1
    assert first_of_younger(before, seen, 9) == 8
    assert first_of_younger(ValidWriteIdList("t", 7), seen, 8) == 8


def test_write_ids_between_are_asked_for() -> None:
    now = ValidWriteIdList("t", 9, frozenset({6}), frozenset({4}))
    assert [can_be_lost_from_sight(own, first, now) for own, first in ((9, 7), (9, 6), (6, 5), (6, 4))] == [
        False,
        True,
        False,
        True,
    ]
    assert can_be_lost_from_sight(9, 9, ValidWriteIdList("t", 3, frozenset({3})))
