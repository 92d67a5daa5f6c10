"""The end of an application: nothing that it has opened stays open, and nobody goes on to write."""

from __future__ import annotations

import pytest

from hive_acid.errors import TransactionAborted
from hive_acid.metastore.types import TransactionState
from support.faults import Lost
from support.statements import TABLE, World


@pytest.fixture
def world() -> World:
    return World()


def test_a_transaction_that_nobody_has_ended_is_aborted(world: World) -> None:
    begun = world.warehouse.transactions.begin(str(TABLE))
    world.warehouse.transactions.close()
    assert world.memory.transaction_state(begun.txn_id) is TransactionState.ABORTED
    for go_on in (begun.ensure_active, begun.commit):
        with pytest.raises(TransactionAborted, match="its application has ended"):
            go_on()


def test_one_that_has_ended_is_left_alone(world: World) -> None:
    begun = world.warehouse.transactions.begin(str(TABLE))
    begun.commit()
    world.metastore.calls.clear()
    world.warehouse.transactions.close()
    assert "abort" not in world.metastore.calls


def test_a_metastore_that_does_not_answer_holds_up_no_other_transaction(world: World) -> None:
    begun = [world.warehouse.transactions.begin(str(TABLE)) for _ in range(2)]
    world.metastore.method, world.metastore.lost = "abort", Lost.REQUEST
    world.warehouse.transactions.close()
    states = {world.memory.transaction_state(one.txn_id) for one in begun}
    assert states == {TransactionState.OPEN, TransactionState.ABORTED}
