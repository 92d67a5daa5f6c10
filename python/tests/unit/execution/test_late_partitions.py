"""Partitions that are dropped after a transaction has begun and before it uses their table for the first time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from hive_acid.errors import WriteConflict
from hive_acid.execution.session_transaction import SessionTransaction
from hive_acid.metastore.types import LockKind, MetastoreLine
from hive_acid.model.table import Column, Partition, TableName
from hive_acid.wire.ddl_kinds import DdlKind
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.wire.statements import DdlStatement
from support.altered_tables import build
from support.statements import LOCATION, TABLE, FakeEngine, World, build_table

FIRST = TableName("db", "first")


@pytest.fixture(params=list(MetastoreLine), ids=lambda line: line.value)
def world(request: pytest.FixtureRequest) -> World:
    world = World(request.param)
    world.memory.add_table(build_table(name=FIRST, location="/warehouse/first"))
    world.file_system.make_folder("/warehouse/first")
    world.memory.add_table(build_table(partition_columns=(Column("d", "string"),)))
    for value in "ab":
        world.memory.add_partition(TABLE, Partition(f"d={value}", (value,), f"{LOCATION}/d={value}", {}))
    return world


def begin(world: World, *tables: TableName) -> SessionTransaction:
    """A transaction whose first statement reads the tables."""
    begun = world.executor.begin_transaction({})
    begun.read_together(tables)
    return begun


def test_a_drop_that_leaves_a_write_id_is_noticed(world: World) -> None:
    begun = begin(world, FIRST)
    world.memory.remove_partition(TABLE, "d=a")
    dropping = world.memory.open_transaction("other", "host", "agent")
    world.memory.allocate_write_id(dropping, TABLE)
    world.memory.commit(dropping)
    with pytest.raises(WriteConflict, match="may have been dropped"):
        begun.partition_names(TABLE)
    world.executor.end_transaction(begun, RuntimeError())


def insert_as_another(world: World) -> None:
    """Rows of partition `d=a`."""
    txn_id = world.memory.open_transaction("other", "host", "agent")
    write_id = world.memory.allocate_write_id(txn_id, TABLE)
    world.file_system.add_file(f"{LOCATION}/d=a/delta_{write_id:07d}_{write_id:07d}_0000/bucket_00000")
    world.memory.commit(txn_id)


def test_an_insert_before_the_first_use_is_told_with_two_ways_to_go_on(world: World) -> None:
    """It may have copied rows out of a partition that a client without a write ID has dropped: nobody can tell."""
    begun = begin(world, FIRST)
    insert_as_another(world)
    with pytest.raises(WriteConflict) as caught:
        begun.partition_names(TABLE)
    world.executor.end_transaction(begun, caught.value)
    assert caught.value.getCondition() == "HIVE_ACID_TABLE_CHANGED.WRITTEN_SINCE"
    told = str(caught.value)
    assert "its rows would be missing" in told
    assert "In a transaction of several statements, read it in the first statement" in told
    assert "hive_acid.run_in_transaction" in told


def test_a_table_that_the_first_statement_has_read_is_read_as_it_was(world: World) -> None:
    insert_as_another(world)
    begun = begin(world, FIRST, TABLE)
    before = begun.scan_plan(TABLE, begun.partition_names(TABLE))
    insert_as_another(world)
    assert begun.scan_plan(TABLE, begun.partition_names(TABLE)) == before
    assert before.max_write_id == 1
    world.executor.end_transaction(begun, None)


@pytest.mark.parametrize("kind", [DdlKind.DROP_PARTITION, DdlKind.RENAME_PARTITION])
@pytest.mark.parametrize("end", ["its error", "an interrupt", "a cancellation before the commit"])
def test_a_drop_of_ours_leaves_one_however_it_ends(world: World, kind: DdlKind, end: str) -> None:
    begun, cancelled = begin(world, FIRST), KeyboardInterrupt()

    def cancel() -> None:
        raise cancelled

    def drop() -> None:
        world.memory.remove_partition(TABLE, "d=a")
        if end == "a cancellation before the commit":
            world.transactions.timing = replace(world.transactions.timing, check=cancel)
            return
        raise LookupError if end == "its error" else cancelled

    with pytest.raises((LookupError, KeyboardInterrupt)):
        build(world).run(DdlStatement(kind, (TABLE,)), drop)
    world.transactions.timing = world.clock.timing
    assert world.open_transactions() == [begun.txn_id]
    with pytest.raises(WriteConflict, match="may have been dropped"):
        begun.partition_names(TABLE)
    world.executor.end_transaction(begun, RuntimeError())


def test_a_drop_that_leaves_none_is_not_and_the_table_is_read_without_the_partition(world: World) -> None:
    begun = begin(world, FIRST)
    world.memory.remove_partition(TABLE, "d=a")
    assert begun.partition_names(TABLE) == ["d=b"]
    world.executor.end_transaction(begun, None)


def test_of_a_table_of_the_first_statement_whoever_locks_cannot_drop_any(world: World) -> None:
    begun = begin(world, FIRST, TABLE)
    held = {lock.table: lock.kind for lock in world.memory.held_locks()}
    assert held == {FIRST: LockKind.SHARED_READ, TABLE: LockKind.SHARED_READ}
    world.executor.end_transaction(begun, None)


def test_a_partition_that_is_gone_after_it_was_listed_is_noticed_in_any_case(world: World) -> None:
    begun = begin(world, FIRST, TABLE)
    names = begun.partition_names(TABLE)
    world.memory.remove_partition(TABLE, "d=a")
    with pytest.raises(WriteConflict, match="its partition d=a was dropped or renamed"):
        begun.scan_plan(TABLE, names)
    world.executor.end_transaction(begun, RuntimeError())


def rename_without_a_lock(world: World) -> None:
    """Another client gives `d=a` the name `d=z`, and takes no lock and no write ID."""
    world.memory.remove_partition(TABLE, "d=a")
    world.memory.add_partition(TABLE, Partition("d=z", ("z",), f"{LOCATION}/d=z", {}))


def write(world: World, begun: SessionTransaction, kind: StatementKind, partition: str) -> None:
    """A statement of the transaction, which changes rows of the partition."""
    world.engine.partitions = (partition,)
    world.executor.run_within(begun.token, world.statement(kind), world.engine)


@pytest.mark.parametrize("kind", [StatementKind.INSERT, StatementKind.DELETE])
def test_rows_are_not_written_to_a_partition_anew_that_was_listed_and_renamed_since(
    world: World, kind: StatementKind
) -> None:
    begun = begin(world, FIRST, TABLE)
    assert begun.partition_names(TABLE) == ["d=a", "d=b"]
    world.engine.before = lambda _: rename_without_a_lock(world)  # after its locks, while the engine writes
    with pytest.raises(WriteConflict, match="partition d=a was dropped, renamed or moved") as caught:
        write(world, begun, kind, "d=a")
    world.executor.end_transaction(begun, caught.value)
    assert world.memory.partition_names(TABLE) == ["d=b", "d=z"]


def test_a_statement_that_has_listed_a_partition_does_not_write_it_anew(world: World) -> None:
    def list_and_rename(token: str) -> None:
        world.executor.snapshots[token].partition_names(TABLE)
        if "d=a" in world.memory.partition_names(TABLE):
            rename_without_a_lock(world)

    world.engine.partitions, world.engine.before = ("d=a",), list_and_rename
    world.run(StatementKind.DELETE)
    assert len(world.engine.specs) == 2, "the first try was taken back"


def test_after_a_write_of_its_own_it_lists_what_it_had_listed_and_what_it_has_written(world: World) -> None:
    begun = begin(world, FIRST, TABLE)
    assert begun.partition_names(TABLE) == ["d=a", "d=b"]
    world.memory.add_partition(TABLE, Partition("d=y", ("y",), f"{LOCATION}/d=y", {}))
    write(world, begun, StatementKind.INSERT, "d=new")
    assert begun.partition_names(TABLE) == ["d=a", "d=b", "d=new"], "what came since has no rows that it sees"
    world.executor.end_transaction(begun, None)


def rename_once(world: World) -> None:
    if "d=z" not in world.memory.partition_names(TABLE):
        rename_without_a_lock(world)


@pytest.mark.parametrize(
    "kind", [StatementKind.INSERT, StatementKind.UPDATE, StatementKind.DELETE, StatementKind.MERGE]
)
def test_rows_do_not_go_where_a_partition_was_that_is_renamed_just_before(world: World, kind: StatementKind) -> None:
    """Between the look at its location and the files: nobody would find them there."""
    world.engine.partitions = ("d=a",)
    world.metastore.before["drop_partition_statistics"] = lambda: rename_once(world)
    assert world.run(kind) > 0
    assert len(world.engine.specs) == 2, "the first try was taken back"
    assert world.memory.partition_names(TABLE) == ["d=a", "d=b", "d=z"]
    assert [folder for folder in world.folders() if folder.startswith("d=")] == ["d=a"]


def test_a_transaction_does_not_commit_rows_of_a_partition_that_is_gone(world: World) -> None:
    begun = begin(world, FIRST)
    write(world, begun, StatementKind.INSERT, "d=a")
    rename_without_a_lock(world)
    with pytest.raises(WriteConflict, match="partition d=a was dropped, renamed or moved"):
        world.executor.end_transaction(begun, None)
    assert world.open_transactions() == []


def leave_write_id(world: World) -> None:
    """Of a transaction that is committed."""
    txn_id = world.memory.open_transaction("other", "host", "agent")
    world.memory.allocate_write_id(txn_id, TABLE)
    world.memory.commit(txn_id)


def add(world: World, value: str) -> None:
    world.memory.add_partition(TABLE, Partition(f"d={value}", (value,), f"{LOCATION}/d={value}", {}))


def rename_and_add_again(world: World) -> None:
    """Rows of `d=a` are in `d=z` afterwards, and `d=a` is a new partition without any."""
    world.memory.remove_partition(TABLE, "d=a")
    add(world, "z")
    leave_write_id(world)
    add(world, "a")


def copy_and_make_anew(world: World) -> None:
    """Rows of `d=a` are in `d=b` afterwards; the names are those that they were."""
    leave_write_id(world)
    world.memory.remove_partition(TABLE, "d=a")
    leave_write_id(world)
    add(world, "a")


CHANGES = (StatementKind.DELETE, StatementKind.UPDATE, StatementKind.MERGE)


@pytest.mark.parametrize("move", [rename_and_add_again, copy_and_make_anew])
@pytest.mark.parametrize("kind", CHANGES, ids=lambda kind: kind.value)
def test_rows_that_move_between_listing_and_lock_are_found_where_they_went(
    world: World, kind: StatementKind, move: Callable[[World], None]
) -> None:
    begun: list[tuple[int, list[str]]] = []

    class Engine(FakeEngine):
        def find_partitions(self, token: str) -> tuple[str, ...]:
            return tuple(world.executor.snapshots[token].partition_names(TABLE))

    def note(token: str) -> None:
        begun.append((world.metastore.calls.count("open_transaction"), world.memory.partition_names(TABLE)))
        assert list(world.executor.snapshots[token].partition_names(TABLE)) == begun[0][1]

    leave_write_id(world)
    world.engine = Engine(world.file_system, partitions=("d=b",), before=note)
    world.metastore.calls.clear()
    world.metastore.before["lock"] = lambda: move(world)
    world.run(kind)
    ((attempts, _),) = begun
    assert attempts > 1, "it runs again, in a younger snapshot that has all partitions, and nothing was written before"
