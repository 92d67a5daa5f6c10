"""A process that answers in the place of a dead one ends what that has left open, and nothing else."""

from __future__ import annotations

import pytest

from hive_acid.metastore.types import LockComponent, LockKind, OperationKind, TransactionState
from hive_acid.transactions.left_behind import abort_left_behind
from hive_acid.transactions.locks import Identity
from support.statements import TABLE, World

OWN = Identity("user", "host", "spark-hive-acid app-1")


@pytest.fixture
def world() -> World:
    return World()


def begin(world: World, user: str = OWN.user, host: str = OWN.host, agent: str = OWN.agent) -> int:
    """A transaction that holds, or waits for, the lock of a change."""
    txn_id = world.memory.open_transaction(user, host, agent)
    lock = LockComponent(TABLE, LockKind.EXCL_WRITE, OperationKind.UPDATE, None)
    world.memory.lock(txn_id, [lock], user, host, agent)
    return txn_id


def test_only_transactions_with_locks_of_the_same_identity_are_aborted(world: World) -> None:
    left = [begin(world), begin(world)]
    others = [begin(world, user="other"), begin(world, host="other"), begin(world, agent=f"{OWN.agent}0")]
    assert abort_left_behind(world.memory, OWN) == tuple(left)
    assert {world.memory.transaction_state(txn_id) for txn_id in left} == {TransactionState.ABORTED}
    assert world.open_transactions() == others
    assert abort_left_behind(world.memory, OWN) == ()


def test_a_transaction_that_has_ended_meanwhile_is_nobodys_concern(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = begin(world), begin(world)
    abort = world.memory.abort

    def abort_too_late(txn_id: int) -> None:
        if txn_id == first:
            world.memory.commit(txn_id)
        abort(txn_id)

    monkeypatch.setattr(world.memory, "abort", abort_too_late)
    assert abort_left_behind(world.memory, OWN) == (second,)
    assert world.open_transactions() == []
