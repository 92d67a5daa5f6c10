"""Statements beside writers that lock as Trino does: SHARED_READ for all, and no word of the partitions they change."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hive_acid.config import UNLOCKED_WRITERS
from hive_acid.errors import HiveAcidError, LockTimeout, WriteConflict
from hive_acid.metastore.types import LockState, MetastoreLine, OperationKind
from hive_acid.model.table import Column, Partition
from hive_acid.wire.statement_kinds import StatementKind
from support.statements import TABLE, World, build_table
from support.trino_statement import PARTITION, Trino

CHANGES = [StatementKind.UPDATE, StatementKind.DELETE, StatementKind.MERGE, StatementKind.REPLACE]


@pytest.fixture(params=list(MetastoreLine), ids=lambda line: line.value)
def line(request: pytest.FixtureRequest) -> MetastoreLine:
    return MetastoreLine(request.param)


@pytest.fixture
def world(line: MetastoreLine) -> World:
    return World(line)


@pytest.fixture
def partitioned(world: World) -> World:
    """The table with one partition, which statements write to."""
    world.memory.add_table(build_table(partition_columns=(Column("d", "string"),)))
    world.memory.add_partition(TABLE, Partition("d=x", ("x",), PARTITION))
    world.file_system.make_folder(PARTITION)
    world.engine.partitions = ("d=x",)
    return world


def do_once_paused(world: World, act: Callable[[], None]) -> None:
    def then() -> None:
        world.clock.after_pause = None
        act()

    world.clock.after_pause = then


@pytest.mark.parametrize("kind", CHANGES)
def test_one_that_is_under_way_is_waited_for_before_anything_is_read(world: World, kind: StatementKind) -> None:
    trino = Trino(world).begin()
    order: list[str] = []
    world.engine.before = lambda _: order.append("we read")
    do_once_paused(world, lambda: (order.append("it commits"), trino.commit()))  # type: ignore[func-returns-value]
    assert world.run(kind) == 3
    assert order == ["it commits", "we read"]
    assert world.engine.specs[-1].place.write_id > trino.write_id, "under a snapshot that sees what it did"
    assert world.memory.held_locks() == []


@pytest.mark.parametrize("kind", CHANGES)
def test_one_that_begins_while_we_write_is_waited_for_before_the_commit(world: World, kind: StatementKind) -> None:
    order: list[str] = []

    def begin() -> None:
        trino = Trino(world).begin()
        do_once_paused(world, lambda: (order.append("it ends"), world.memory.abort(trino.txn_id)))  # type: ignore[func-returns-value]

    world.metastore.before["drop_statistics"] = begin
    world.metastore.before["commit"] = lambda: order.append("we commit")
    assert world.run(kind) == 3
    assert order == ["it ends", "we commit"]
    assert world.metastore.calls.count("open_transaction") == 1, "it has changed nothing"
    assert world.memory.held_locks() == []


@pytest.mark.parametrize("kind", [StatementKind.UPDATE, StatementKind.DELETE])
def test_what_one_has_committed_to_a_partition_while_we_wrote_is_found(partitioned: World, kind: StatementKind) -> None:
    """The server sees no conflict, for it was told of no partition."""

    def change(_: str) -> None:
        partitioned.engine.before = None
        Trino(partitioned).begin().commit()

    partitioned.engine.before = change
    assert partitioned.run(kind) == 3
    assert partitioned.metastore.calls.count("open_transaction") == 2
    assert [spec.place.write_id for spec in partitioned.engine.specs] == [1, 3]


@pytest.mark.parametrize("kind", [StatementKind.UPDATE, StatementKind.DELETE])
def test_what_one_has_committed_to_a_partition_after_all_was_written_is_found(
    partitioned: World, kind: StatementKind
) -> None:
    partitioned.metastore.before["add_dynamic_partitions"] = lambda: Trino(partitioned).begin().commit()
    assert partitioned.run(kind) == 3
    assert partitioned.metastore.calls.count("open_transaction") == 2


@pytest.mark.parametrize("kind", CHANGES)
def test_one_that_has_not_read_yet_reads_behind_our_commit(world: World, kind: StatementKind) -> None:
    trino = Trino(world)
    states: list[LockState] = []
    world.metastore.before["drop_statistics"] = lambda: trino.begin_write()
    world.metastore.before["commit"] = lambda: states.append(trino.begin_read())
    assert world.run(kind) == 3
    assert states == [LockState.WAITING]
    assert world.clock.now_ms == 1_000_000, "nobody has waited for it"
    assert [lock.txn_id for lock in world.memory.held_locks()] == [trino.txn_id] * 2


@pytest.mark.parametrize("kind", CHANGES)
def test_one_that_needs_another_lock_gets_it_while_it_is_waited_for(world: World, kind: StatementKind) -> None:
    states: list[LockState] = []

    def begin() -> None:
        trino = Trino(world).begin()
        do_once_paused(world, lambda: (states.append(trino.begin_read()), world.memory.abort(trino.txn_id)))  # type: ignore[func-returns-value]

    world.metastore.before["drop_statistics"] = begin
    assert world.run(kind) == 3
    assert states == [LockState.ACQUIRED]


@pytest.mark.parametrize("kind", CHANGES)
def test_one_that_adds_rows_and_one_that_reads_hold_nobody_up(world: World, kind: StatementKind) -> None:
    insert, query = Trino(world, OperationKind.INSERT), Trino(world)
    insert.begin_write()
    query.begin_read()
    query.begin_read()
    assert world.run(kind) == 3
    assert world.clock.now_ms == 1_000_000
    assert insert.txn_id in world.open_transactions()


@pytest.mark.parametrize("kind", [StatementKind.INSERT])
def test_new_rows_wait_for_nobody(world: World, kind: StatementKind) -> None:
    Trino(world).begin()
    assert world.run(kind) == 3
    assert world.clock.now_ms == 1_000_000
    assert "held_locks" not in world.metastore.calls


def test_a_wait_that_gets_too_long_names_the_writer_and_writes_nothing(world: World) -> None:
    trino = Trino(world).begin()
    world.settings["spark.hiveacid.lock.timeoutMs"] = "5000"
    slow = World(world.line, world.settings)
    slow.memory, slow.metastore.real = world.memory, world.memory
    do_beat = trino.memory.heartbeat
    slow.clock.after_pause = lambda: do_beat(trino.txn_id)
    with pytest.raises(LockTimeout) as caught:
        slow.run(StatementKind.UPDATE)
    assert caught.value.getCondition() == "HIVE_ACID_UNLOCKED_WRITER"
    assert f"transaction {trino.txn_id} of user on host" in str(caught.value)
    assert caught.value.getMessageParameters()["waitedMs"] == "5000"
    assert slow.open_transactions() == [trino.txn_id]
    assert slow.engine.specs == []


def test_one_is_refused_or_ignored_where_that_is_set(line: MetastoreLine) -> None:
    for value, is_refused in (("refuse", True), ("ignore", False)):
        world = World(line, {UNLOCKED_WRITERS.key: value})
        Trino(world).begin()
        if is_refused:
            with pytest.raises(LockTimeout, match="HIVE_ACID_UNLOCKED_WRITER"):
                world.run(StatementKind.UPDATE)
        else:
            assert world.run(StatementKind.UPDATE) == 3
        assert world.clock.now_ms == 1_000_000


def test_another_value_of_the_setting_is_an_error(line: MetastoreLine) -> None:
    world = World(line, {UNLOCKED_WRITERS.key: "maybe"})
    with pytest.raises(HiveAcidError, match="'maybe', not one of wait, refuse, ignore"):
        world.run(StatementKind.UPDATE)


def test_a_transaction_of_several_statements_ends_with_a_conflict(partitioned: World) -> None:
    transaction = partitioned.executor.begin_transaction({})
    partitioned.executor.run_within(transaction.token, partitioned.statement(StatementKind.UPDATE), partitioned.engine)
    Trino(partitioned).begin().commit()
    with pytest.raises(WriteConflict, match="changed the same rows"):
        partitioned.executor.end_transaction(transaction, None)
    assert partitioned.visible_write_ids() == []
    assert partitioned.open_transactions() == []


def test_a_transaction_of_several_statements_keeps_them_out_of_all_its_tables_at_once(world: World) -> None:
    transaction = world.executor.begin_transaction({})
    for kind in (StatementKind.UPDATE, StatementKind.DELETE):
        world.executor.run_within(transaction.token, world.statement(kind), world.engine)
    late = Trino(world)
    states: list[LockState] = []
    world.metastore.before["commit"] = lambda: states.append(late.begin_write())
    world.executor.end_transaction(transaction, None)
    assert states == [LockState.WAITING]
