"""A writer that waited for its lock keeps it while it works in a younger transaction."""

from __future__ import annotations

import pytest

from hive_acid.errors import LockTimeout, TransactionAborted, WriteConflict
from hive_acid.metastore.types import LockComponent, LockKind, LockState, MetastoreLine, OperationKind
from hive_acid.model.table import TableName
from hive_acid.wire.statement_kinds import StatementKind
from support.statements import TABLE, World

CHANGES = [StatementKind.UPDATE, StatementKind.DELETE]
LONG = 200
"""More exclusive locks than anybody gives way to in the longest time that a lock is waited for."""


@pytest.fixture(params=list(MetastoreLine), ids=lambda line: line.value)
def world(request: pytest.FixtureRequest) -> World:
    return World(request.param)


class Other:
    """Another client's transaction on the table, with Hive's lock for a change."""

    def __init__(self, world: World, table: TableName = TABLE) -> None:
        self.memory = world.memory
        self.txn_id = self.memory.open_transaction("other", "host", "agent")
        self.memory.allocate_write_id(self.txn_id, table)
        self.table = table
        self.excluding = LockKind.EXCL_WRITE if world.line is MetastoreLine.HIVE_4 else LockKind.SHARED_WRITE

    def lock(self, kind: LockKind | None = None, operation: OperationKind = OperationKind.UPDATE) -> LockState:
        wanted = LockComponent(self.table, kind or self.excluding, operation)
        return self.memory.lock(self.txn_id, [wanted], "other", "host", "agent")[1]

    def commit(self) -> None:
        self.memory.commit(self.txn_id)


def commit_while_waited_for(world: World) -> Other:
    """Somebody holds the lock, and commits once our statement waits for it."""
    other = Other(world)
    other.lock()

    def commit() -> None:
        world.clock.after_pause = None
        other.commit()

    world.clock.after_pause = commit
    return other


@pytest.mark.parametrize("kind", CHANGES)
def test_the_lock_that_was_waited_for_is_held_until_the_younger_transaction_has_committed(
    world: World, kind: StatementKind
) -> None:
    commit_while_waited_for(world)
    rivals: list[tuple[Other, LockState]] = []

    def rival(_: str) -> None:
        late = Other(world)
        rivals.append((late, late.lock()))

    world.engine.before = rival
    assert world.run(kind) == 3
    ((late, state),) = rivals
    assert state is LockState.WAITING, "a writer that comes while we work must wait, though we hold a shared lock only"
    assert world.metastore.calls.count("open_transaction") == 2
    assert world.engine.specs[-1].place.write_id == 3
    assert world.open_transactions() == [late.txn_id]
    assert [lock.txn_id for lock in world.memory.held_locks()] == [late.txn_id], "the kept lock is gone"
    assert world.visible_write_ids() == [3]


@pytest.mark.parametrize("kind", CHANGES)
def test_inserts_of_others_do_not_keep_a_writer_behind_its_kept_lock_from_ending(
    world: World, kind: StatementKind
) -> None:
    commit_while_waited_for(world)

    def insert() -> None:
        other = Other(world)
        other.lock(LockKind.SHARED_READ, OperationKind.INSERT)
        other.commit()
        world.metastore.before["lock"] = insert

    world.metastore.before["lock"] = insert
    assert world.run(kind) == 3
    assert world.metastore.calls.count("open_transaction") == 2


def test_the_younger_transaction_registers_its_change_under_a_shared_lock(world: World) -> None:
    commit_while_waited_for(world)
    seen: list[tuple[int | None, LockKind]] = []
    world.engine.before = lambda _: seen.extend((lock.txn_id, lock.kind) for lock in world.memory.held_locks())
    world.run(StatementKind.UPDATE)
    excluding = LockKind.EXCL_WRITE if world.line is MetastoreLine.HIVE_4 else LockKind.SHARED_WRITE
    assert seen == [(2, excluding), (3, LockKind.SHARED_READ)]
    assert [part.operation for part in world.memory._transactions.find(3).changes] == [OperationKind.UPDATE]


def test_who_waits_for_an_exclusive_lock_goes_first(world: World) -> None:
    """Behind the kept lock ours would wait for the other's request, which waits for the kept one."""
    commit_while_waited_for(world)
    exclusive: list[Other] = []

    def ask() -> None:
        def ask_behind_the_kept_lock() -> None:
            drop = Other(world)
            assert drop.lock(LockKind.EXCLUSIVE, OperationKind.NO_TXN) is LockState.WAITING
            exclusive.append(drop)

            def end() -> None:
                world.clock.after_pause = None
                drop.commit()

            world.clock.after_pause = end

        world.metastore.before["lock"] = ask_behind_the_kept_lock

    world.metastore.before["lock"] = ask
    assert world.run(StatementKind.DELETE) == 3
    assert len(exclusive) == 1
    assert world.open_transactions() == []
    assert world.memory.held_locks() == []


class Queue:
    """Clients that ask for an exclusive lock, each as soon as our statement is about to work behind its kept lock."""

    def __init__(self, world: World, length: int) -> None:
        self.world = world
        self.left = length
        self.others: list[Other] = []
        self.await_stale()

    def await_stale(self) -> None:
        """The first request for a lock is that of a snapshot that somebody is about to make old; then one is behind."""
        self.others.append(commit_while_waited_for(self.world))
        self.world.metastore.before["lock"] = self._expect_second

    def _expect_second(self) -> None:
        self.world.metastore.before["lock"] = self._ask

    def _ask(self) -> None:
        if not self.left:
            return
        self.left -= 1
        drop = Other(self.world)
        self.others.append(drop)
        assert drop.lock(LockKind.EXCLUSIVE, OperationKind.NO_TXN) is LockState.WAITING

        def end() -> None:
            self.world.clock.after_pause = None
            drop.commit()
            self.await_stale()

        self.world.clock.after_pause = end


@pytest.mark.parametrize("kind", [*CHANGES, StatementKind.MERGE])
def test_giving_way_to_exclusive_locks_costs_no_attempt(world: World, kind: StatementKind) -> None:
    queue = Queue(world, length=12)
    assert world.run(kind) == 3
    assert queue.left == 0
    assert world.open_transactions() == []


@pytest.mark.parametrize("kind", [*CHANGES, StatementKind.MERGE])
def test_who_gives_way_again_and_again_ends_as_one_that_waits_for_a_lock_so_long(
    world: World, kind: StatementKind
) -> None:
    queue, started_ms = Queue(world, length=LONG), world.clock.now_ms
    with pytest.raises(LockTimeout) as caught:
        world.run(kind, settings={"spark.hiveacid.lock.timeoutMs": "5000"})
    told = caught.value.getMessageParameters()
    assert caught.value.getCondition() == "HIVE_ACID_LOCK_TIMEOUT"
    assert (told["table"], told["setting"]) == (str(TABLE), "spark.hiveacid.lock.timeoutMs")
    assert LONG - queue.left > 5, "more often than it is tried again after a conflict"
    assert queue.left > 0, "it does not wait until the last has gone"
    assert 5000 <= world.clock.now_ms - started_ms < 10_000
    assert world.engine.specs == []
    assert world.folders() == []
    assert set(world.open_transactions()) <= {holder.txn_id for holder in queue.others}


def test_a_kept_lock_that_the_metastore_ended_is_noticed_before_anything_is_seen(world: World) -> None:
    commit_while_waited_for(world)

    def lose_kept_lock(_: str) -> None:
        world.memory.abort(2)
        world.transactions.heartbeat.beat()

    world.engine.before = lose_kept_lock
    with pytest.raises(TransactionAborted):
        world.run(StatementKind.DELETE)
    assert world.visible_write_ids() == []
    assert world.open_transactions() == []


def test_an_error_behind_the_kept_lock_ends_both_transactions(world: World) -> None:
    commit_while_waited_for(world)
    world.engine.fails = RuntimeError("task failed")
    with pytest.raises(RuntimeError, match="task failed"):
        world.run(StatementKind.DELETE)
    assert world.open_transactions() == []
    assert world.memory.held_locks() == []


def test_a_kept_lock_that_cannot_be_released_does_not_fail_a_committed_statement(world: World) -> None:
    commit_while_waited_for(world)
    world.metastore.method, world.metastore.forever = "abort", True
    assert world.run(StatementKind.DELETE) == 3
    world.time_out()
    assert world.open_transactions() == []


def test_a_change_that_bypasses_the_lock_is_found_at_commit_and_the_statement_runs_again(world: World) -> None:
    """Trino's updates lock as SHARED_READ."""

    def change() -> None:
        bypassing = Other(world)
        bypassing.lock(LockKind.SHARED_READ)
        bypassing.commit()

    world.metastore.before["commit"] = change
    assert world.run(StatementKind.UPDATE) == 3
    assert world.metastore.calls.count("open_transaction") == 2
    assert world.visible_write_ids() == [3], "what the first attempt had published is gone"


def test_a_change_that_bypasses_the_lock_every_time_ends_with_a_write_conflict(world: World) -> None:
    def change() -> None:
        bypassing = Other(world)
        bypassing.lock(LockKind.SHARED_READ)
        bypassing.commit()
        world.metastore.before["commit"] = change

    world.metastore.before["commit"] = change
    with pytest.raises(WriteConflict):
        world.run(StatementKind.UPDATE, settings={"spark.hiveacid.statement.maxAttempts": "2"})
    assert world.visible_write_ids() == []
    assert world.open_transactions() == []


def test_an_insert_never_keeps_its_lock_because_it_excludes_nobody(world: World) -> None:
    held: list[int] = []
    world.metastore.before["lock"] = world.overwrite_as_another
    world.engine.before = lambda _: held.append(len(world.memory.held_locks()))
    assert world.run(StatementKind.INSERT) == 3
    assert held == [1, 1]


def test_the_wait_of_a_session_ends_after_its_own_limit(world: World) -> None:
    holder = Other(world)
    holder.lock()
    world.clock.after_pause = lambda: world.memory.heartbeat(holder.txn_id)
    started_ms = world.clock.now_ms
    with pytest.raises(LockTimeout):
        world.run(StatementKind.DELETE, settings={"spark.hiveacid.lock.timeoutMs": "700"})
    assert world.clock.now_ms - started_ms == 700
