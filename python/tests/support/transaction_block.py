"""A transaction of several statements in a world in memory, and others that wait for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from hive_acid.config import Settings
from hive_acid.execution.session_transaction import SessionTransaction
from hive_acid.metastore.types import LockComponent, LockKind, LockState, OperationKind
from hive_acid.wire.statement_kinds import StatementKind
from support.statements import TABLE, World


@dataclass
class Block:
    """A transaction that is open in a world."""

    world: World
    transaction: SessionTransaction

    def run(self, kind: StatementKind, **changes: object) -> int:
        """One more statement of it: how many rows it affected."""
        statement = self.world.statement(kind, **changes)
        return self.transaction.run(statement, self.world.engine, Settings({})).affected

    def commit(self) -> None:
        """The end of the block."""
        self.world.executor.end_transaction(self.transaction, None)

    def abort(self) -> None:
        """An error leaves the block."""
        self.world.executor.end_transaction(self.transaction, RuntimeError("leaves the block"))


@contextmanager
def standing_behind(world: World, kind: LockKind) -> Iterator[None]:
    """Another transaction asks for the table and waits for those that hold it, who do not wait within the block."""
    other = world.memory.open_transaction("u", "h", "a")
    _, state = world.memory.lock(other, [LockComponent(TABLE, kind, OperationKind.UPDATE)], "u", "h", "a")
    assert state is LockState.WAITING
    before = world.clock.now_ms
    yield
    assert world.clock.now_ms == before, "somebody waited"
    world.memory.abort(other)
