"""Ctrl-C while a statement commits: what may have been committed is kept. All other steps: test_fault_matrix."""

from __future__ import annotations

from typing import Any

import pytest

from hive_acid.errors import build_error
from hive_acid.wire.statement_kinds import StatementKind
from support.statements import World


def interrupt(world: World, method: str, *, happens: bool) -> None:
    """The next call of the method is interrupted, before or after the metastore has done it."""
    real = getattr(world.memory, method)

    def call(*args: Any, **kwargs: Any) -> Any:
        setattr(world.memory, method, real)
        if happens:
            real(*args, **kwargs)
        raise KeyboardInterrupt

    setattr(world.memory, method, call)


def test_an_interrupt_after_the_commit_was_done_keeps_the_rows_and_says_that_it_is_not_known() -> None:
    world = World()
    interrupt(world, "commit", happens=True)
    with pytest.raises(KeyboardInterrupt) as raised:
        world.run(StatementKind.INSERT)
    assert len(world.visible_write_ids()) == 1
    assert any("not known" in note for note in raised.value.__notes__)
    assert world.open_transactions() == []


def test_an_interrupt_while_a_lost_commit_is_asked_after_keeps_the_rows() -> None:
    world = World()
    real = world.memory.commit

    def lost(txn_id: int) -> None:
        world.memory.commit = real  # type: ignore[method-assign]
        real(txn_id)
        interrupt(world, "transaction_state", happens=False)
        raise build_error("HIVE_ACID_METASTORE_UNAVAILABLE", uri="", method="commit", reason="on purpose")

    world.memory.commit = lost  # type: ignore[method-assign]
    with pytest.raises(KeyboardInterrupt):
        world.run(StatementKind.INSERT)
    assert len(world.visible_write_ids()) == 1
