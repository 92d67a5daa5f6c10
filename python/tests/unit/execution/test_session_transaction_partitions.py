"""Partitions that a transaction of several statements writes to are locked, added and recorded, each once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hive_acid.errors import WriteConflict
from hive_acid.metastore.types import MetastoreLine, OperationKind
from hive_acid.model.names import HISTORY_FILE
from hive_acid.model.table import Column
from hive_acid.transactions.validity import RULES, SnapshotCheck
from hive_acid.wire.statement_kinds import StatementKind
from support.statements import LOCATION, TABLE, World, build_table
from support.transaction_block import Block, standing_behind

INSERT, UPDATE, DELETE = StatementKind.INSERT, StatementKind.UPDATE, StatementKind.DELETE


@pytest.mark.parametrize("line", list(MetastoreLine))
def test_under_the_lock_of_the_table_no_partition_is_locked(line: MetastoreLine) -> None:
    world = World(line)
    world.memory.add_table(build_table(partition_columns=(Column("d", "string"),)))
    block = Block(world, world.executor.begin_transaction({}))
    world.engine.partitions = ("d=a",)
    block.run(UPDATE)
    with standing_behind(world, RULES[UPDATE, line].lock):
        world.engine.partitions = world.engine.foreseen = ("d=b",)
        block.run(UPDATE)
        block.commit()
    recorded = {(part.partition, part.operation) for part in world.memory._transactions.find(1).components}
    assert recorded == {("d=a", OperationKind.UPDATE), ("d=b", OperationKind.UPDATE)}


@pytest.mark.parametrize("line", list(MetastoreLine))
def test_another_partition_is_locked_beside_the_first(line: MetastoreLine) -> None:
    world = World(line)
    world.memory.add_table(build_table(partition_columns=(Column("d", "string"),)))
    block = Block(world, world.executor.begin_transaction({}))
    for partition in ("d=a", "d=b", "d=a"):
        world.engine.partitions = world.engine.foreseen = (partition,)
        block.run(UPDATE)
    kind = RULES[UPDATE, line].lock
    assert [lock.partition for lock in world.memory.held_locks() if lock.kind is kind] == ["d=a", "d=b"]
    block.abort()


@pytest.mark.parametrize("line", list(MetastoreLine))
def test_partitions_are_added_and_recorded_before_a_file_is_put_in_them(line: MetastoreLine) -> None:
    world = World(line)
    world.memory.add_table(build_table(partition_columns=(Column("d", "string"),)))
    block = Block(world, world.executor.begin_transaction({}))
    seen: list[list[str]] = []

    def run(kind: StatementKind, *partitions: str) -> None:
        world.engine.partitions = partitions
        world.metastore.before["add_dynamic_partitions"] = lambda: seen.append(delta_files(world))
        block.run(kind)
        seen.append(delta_files(world))

    run(INSERT, "d=a")
    assert block.transaction.partition_names(TABLE) == ["d=a"]
    run(INSERT, "d=a", "d=b")
    run(DELETE, "d=a", "d=b")
    assert [len(files) for files in seen] == [0, 2, 2, 6, 6, 10], "before it is recorded, and after"
    assert {part.partition for part in world.memory._transactions.find(1).components} == {"d=a", "d=b"}
    block.commit()
    operation = OperationKind.DELETE if line is MetastoreLine.HIVE_4 else OperationKind.UPDATE
    recorded = {(part.partition, part.operation) for part in world.memory._transactions.find(1).components}
    assert recorded == {(name, kind) for name in ("d=a", "d=b") for kind in (OperationKind.INSERT, operation)}


def begin_with_read(line: MetastoreLine) -> tuple[World, Block, World]:
    """A block that has read a table with two partitions, and another client of the same metastore."""
    world = World(line)
    world.memory.add_table(build_table(partition_columns=(Column("d", "string"),)))
    world.engine.partitions = ("d=a", "d=b")
    world.run(INSERT)
    block = Block(world, world.executor.begin_transaction({}))
    block.transaction.scan_plan(TABLE, block.transaction.partition_names(TABLE))
    return world, block, World(line, shared_with=world)


CHANGES = [UPDATE, DELETE, StatementKind.MERGE]


@pytest.mark.parametrize("line", list(MetastoreLine))
@pytest.mark.parametrize("kind", CHANGES)
def test_what_others_insert_into_other_partitions_is_no_conflict(line: MetastoreLine, kind: StatementKind) -> None:
    world, block, other = begin_with_read(line)
    for partition in ("d=b", "d=new"):
        other.engine.partitions = (partition,)
        other.run(INSERT)
    world.engine.partitions = world.engine.foreseen = ("d=a",)
    assert block.run(kind) == 3
    block.commit()


@pytest.mark.parametrize("line", list(MetastoreLine))
@pytest.mark.parametrize("kind", CHANGES)
def test_what_others_insert_into_its_own_partition_is_one_by_the_rule(line: MetastoreLine, kind: StatementKind) -> None:
    world, block, other = begin_with_read(line)
    other.engine.partitions = world.engine.partitions = world.engine.foreseen = ("d=a",)
    other.run(INSERT)
    if SnapshotCheck.UNCHANGED not in RULES[kind, line].checks:
        assert block.run(kind) == 3
        return
    with pytest.raises(WriteConflict):
        block.run(kind)


def test_what_others_change_in_its_own_partition_is_one() -> None:
    world, block, other = begin_with_read(MetastoreLine.HIVE_4)
    other.engine.partitions = other.engine.foreseen = world.engine.partitions = world.engine.foreseen = ("d=a",)
    other.run(UPDATE)
    with pytest.raises(WriteConflict, match="changed rows of the table"):
        block.run(UPDATE)


@pytest.mark.parametrize("line", list(MetastoreLine))
def test_of_a_table_that_no_statement_has_read_every_write_counts(line: MetastoreLine) -> None:
    world, block, other = begin_with_read(line)
    block.abort()
    block = Block(world, world.executor.begin_transaction({}))
    world.engine.partitions = world.engine.foreseen = ("d=a",)
    block.run(UPDATE, sources=(TABLE,))  # which locks this partition alone, before a scan locks the table
    block.transaction.partition_names(TABLE)
    other.engine.partitions = ("d=b",)
    other.run(INSERT)
    world.engine.partitions = world.engine.foreseen = ("d=b",)
    with pytest.raises(WriteConflict):
        block.run(UPDATE, sources=(TABLE,))


def test_a_write_id_that_was_aborted_and_is_forgotten_is_no_change() -> None:
    world, block, _ = begin_with_read(MetastoreLine.HIVE_3)
    block.abort()
    world.engine.fails = RuntimeError("on purpose")
    with pytest.raises(RuntimeError):
        world.run(INSERT)
    world.engine.fails = None
    block = Block(world, world.executor.begin_transaction({}))
    block.transaction.scan_plan(TABLE, ["d=a"])
    seen = world.memory.valid_write_ids
    forgotten = seen([TABLE], None)[TABLE].aborted
    assert forgotten
    world.memory.valid_write_ids = lambda names, txns: {  # type: ignore[method-assign]
        name: replace(ids, aborted=ids.aborted - forgotten) for name, ids in seen(names, txns).items()
    }
    world.engine.partitions = world.engine.foreseen = ("d=a",)
    assert block.run(UPDATE) == 3


def delta_files(world: World) -> list[str]:
    """Files where readers look for them, and their version files."""
    files = (path for path in world.file_system.files if path.startswith(f"{LOCATION}/d="))
    return [path for path in files if not path.endswith(HISTORY_FILE)]
