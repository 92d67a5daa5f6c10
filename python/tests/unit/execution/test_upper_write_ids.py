"""What was committed stays in sight, also if younger transactions with lower write IDs are aborted."""

from __future__ import annotations

import pytest

from hive_acid.errors import MetastoreUnavailable
from hive_acid.execution.session_transaction import SessionTransaction
from hive_acid.metastore.types import LockComponent, LockKind, MetastoreLine, OperationKind
from hive_acid.model.write_ids import ValidTxnList, ValidWriteIdList
from hive_acid.quirks.upper_write_ids import can_have_younger_below
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


def test_younger_ones_are_noticed_also_where_housekeeping_has_forgotten_all_older_ones(world: World) -> None:
    world.memory.clean_entries()
    begun = begin(world)
    other = begin_other(world)
    insert(world, begun)
    world.executor.end_transaction(begun, None)
    world.memory.abort(other)
    written = world.visible_write_ids()
    assert written[-1] == 3
    world.memory.clean_entries()
    assert world.visible_write_ids() == written


def test_a_younger_one_that_has_committed_hides_nothing_when_one_of_another_table_is_aborted(world: World) -> None:
    begun = begin(world)
    elsewhere = world.memory.open_transaction(*AGENT)
    world.memory.commit(begin_other(world))
    insert(world, begun)
    world.executor.end_transaction(begun, None)
    world.memory.abort(elsewhere)
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


def test_a_list_tells_by_itself_that_all_lower_ones_are_of_older_transactions() -> None:
    plain = ValidWriteIdList("t", 7, aborted=frozenset({5}))
    assert not can_have_younger_below(plain, ValidTxnList(8), 8, 8)
    assert can_have_younger_below(plain, ValidTxnList(9), 8, 8), "it was taken under a lock"
    assert can_have_younger_below(plain, ValidTxnList(8), 8, 9), "somebody got the one between"
    assert can_have_younger_below(ValidWriteIdList("t", 7, frozenset({7})), ValidTxnList(8), 8, 8)
