"""Statements that tell beforehand which partitions they touch lock these, and wait for nobody else."""

from __future__ import annotations

import pytest

from hive_acid.errors import HiveAcidError
from hive_acid.metastore.types import HeldLock, LockComponent, LockKind, LockState, MetastoreLine, OperationKind
from hive_acid.model.table import Column, Partition
from hive_acid.transactions.validity import RULES, build_lock_components, is_lockable
from hive_acid.wire.statement_kinds import StatementKind
from support.statements import TABLE, World, build_table

KINDS = [StatementKind.INSERT, StatementKind.UPDATE, StatementKind.DELETE, StatementKind.REPLACE]
NAMES = ("d=a", "d=b")


@pytest.fixture(params=list(MetastoreLine), ids=lambda line: line.value)
def world(request: pytest.FixtureRequest) -> World:
    world = World(request.param)
    world.memory.add_table(build_table(partition_columns=(Column("d", "string"),)))
    for name in NAMES:
        world.memory.add_partition(TABLE, Partition(name, (name[2:],), f"/warehouse/t/{name}", {}))
    world.engine.partitions = world.engine.foreseen = ("d=a",)
    return world


def locks(world: World) -> list[HeldLock]:
    """What is held while the statement writes."""
    found: list[HeldLock] = []
    world.engine.before = lambda _: found.extend(world.memory.held_locks())
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_only_the_partitions_that_can_be_touched_are_locked_and_recorded(world: World, kind: StatementKind) -> None:
    held = locks(world)
    world.engine.foreseen = NAMES
    assert world.run(kind) == 3
    assert [lock.partition for lock in held] == list(NAMES)
    assert {lock.kind for lock in held} == {RULES[kind, world.line].lock}
    assert "add_dynamic_partitions" not in world.metastore.calls, "the lock has recorded them"
    recorded = world.memory._transactions.find(1).components
    assert {part.partition for part in recorded} == set(NAMES)


@pytest.mark.parametrize("kind", [StatementKind.UPDATE, StatementKind.DELETE])
def test_a_writer_of_another_partition_is_not_waited_for(world: World, kind: StatementKind) -> None:
    other = world.memory.open_transaction("other", "host", "agent")
    excluding = RULES[kind, world.line].lock
    asked = [LockComponent(TABLE, excluding, OperationKind.UPDATE, "d=b")]
    assert world.memory.lock(other, asked, "other", "host", "agent")[1] is LockState.ACQUIRED
    assert world.run(kind) == 3
    assert world.metastore.calls.count("open_transaction") == 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("foreseen", [None, (), ("d=A",), ("d=x%3Ay",), tuple(f"d={n}" for n in range(101))])
def test_the_table_is_locked_where_partitions_are_not_known_or_cannot_be_named(
    world: World, kind: StatementKind, foreseen: tuple[str, ...] | None
) -> None:
    held = locks(world)
    world.engine.foreseen = foreseen
    assert world.run(kind) == 3
    assert [lock.partition for lock in held] == [None]
    assert "add_dynamic_partitions" in world.metastore.calls


def test_a_write_to_a_partition_without_a_lock_is_never_published(world: World) -> None:
    world.engine.partitions = NAMES
    with pytest.raises(HiveAcidError, match="d=b were written without a lock"):
        world.run(StatementKind.DELETE)
    assert world.folders() == []
    assert world.open_transactions() == []


def test_a_statement_that_touches_more_partitions_behind_its_gate_gives_it_up(world: World) -> None:
    other = world.memory.open_transaction("other", "host", "agent")
    world.memory.allocate_write_id(other, TABLE)
    excluding = RULES[StatementKind.UPDATE, world.line].lock
    world.memory.lock(other, [LockComponent(TABLE, excluding, OperationKind.UPDATE, "d=a")], "o", "h", "a")

    def add_partition() -> None:
        world.clock.after_pause = None
        world.memory.commit(other)
        world.engine.partitions = world.engine.foreseen = NAMES

    world.clock.after_pause = add_partition
    assert world.run(StatementKind.UPDATE) == 6
    assert world.metastore.calls.count("open_transaction") == 3
    assert world.open_transactions() == []
    assert world.memory.held_locks() == []


@pytest.mark.parametrize(
    ("name", "lockable"),
    [
        ("d=a", True),
        ("d=2024-01-31/h=7", True),
        ("d=berlin.de", True),
        ("d=Berlin", False),
        ("d=a%2Fb", False),
        ("d=__HIVE_DEFAULT_PARTITION__", False),
        ("d=ß", False),
        ("d=", False),
    ],
)
def test_a_name_is_lockable_if_no_metastore_changes_it(name: str, lockable: bool) -> None:
    assert is_lockable(name) == lockable


def test_names_that_cannot_be_locked_lock_the_table() -> None:
    rule = RULES[StatementKind.UPDATE, MetastoreLine.HIVE_4]
    (component,) = build_lock_components(rule, TABLE, (), True, ["d=a", "d=B"])
    assert component == LockComponent(TABLE, LockKind.EXCL_WRITE, OperationKind.UPDATE, None, True)
