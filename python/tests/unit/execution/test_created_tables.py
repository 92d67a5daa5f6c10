"""A failed CREATE TABLE … AS SELECT drops the table that it has made, and never one that is not provably its own."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hive_acid.config import Settings
from hive_acid.errors import HiveAcidError
from hive_acid.execution.created_tables import MAX_WAIT_MS, CreatedTables
from hive_acid.metastore.types import LockComponent, LockKind, MetastoreLine, OperationKind
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.wire.statements import CreatedTable
from support.statements import LOCATION, TABLE, World, build_table


def take_back(world: World, identity: str | None = None) -> list[str]:
    """Whether it was dropped: then one entry."""
    dropped: list[str] = []
    created = CreatedTable(TABLE, identity or world.memory.table_identity(TABLE), "no disk")
    tables = CreatedTables(world.warehouse, Settings(world.settings))
    try:
        tables.take_back(created, lambda: dropped.append("dropped"))
    finally:
        assert not world.memory.held_locks(TABLE) or world.open_transactions(), "nothing of it is left"
    return dropped


def test_a_table_that_nobody_has_used_is_dropped_under_an_exclusive_lock(world: World) -> None:
    held: list[LockKind] = []
    tables = CreatedTables(world.warehouse, Settings({}))
    created = CreatedTable(TABLE, world.memory.table_identity(TABLE), "no disk")
    tables.take_back(created, lambda: held.extend(lock.kind for lock in world.memory.held_locks()))
    assert held == [LockKind.EXCLUSIVE]
    assert world.open_transactions() == []


def test_what_the_failed_insert_itself_has_left_is_in_nobodys_way(world: World) -> None:
    world.engine.fails = OSError("no disk")
    with pytest.raises(OSError, match="no disk"):
        world.run(StatementKind.INSERT)
    assert take_back(world) == ["dropped"]


def drop_it(world: World) -> None:
    """As Spark does."""
    world.memory.remove_table(TABLE)


def lose_the_drops_answer(world: World) -> None:
    drop_it(world)
    raise OSError("the connection is lost")


def lose_the_commit(world: World) -> None:
    drop_it(world)
    world.metastore.method, world.metastore.forever = "commit", True


@pytest.mark.parametrize("drop", [lose_the_drops_answer, lose_the_commit], ids=lambda drop: drop.__name__)
def test_a_table_that_is_gone_is_not_said_to_stay(world: World, drop: Callable[[World], None]) -> None:
    tables = CreatedTables(world.warehouse, Settings({}))
    created = CreatedTable(TABLE, world.memory.table_identity(TABLE), "no disk")
    tables.take_back(created, lambda: drop(world))
    assert world.memory.table_names() == []


def test_a_table_that_could_not_be_dropped_stays_and_the_error_says_so(world: World) -> None:
    def fail() -> None:
        raise OSError("the connection is lost")

    tables = CreatedTables(world.warehouse, Settings({}))
    created = CreatedTable(TABLE, world.memory.table_identity(TABLE), "no disk")
    with pytest.raises(HiveAcidError, match="could not be dropped") as error:
        tables.take_back(created, fail)
    assert error.value.getCondition() == "HIVE_ACID_CREATED_TABLE_KEPT"
    assert world.open_transactions() == []


def begin_to_write(world: World) -> None:
    """Another session has its write ID, and waits for its lock behind ours."""
    txn_id = world.memory.open_transaction("other", "host", "agent")
    world.memory.allocate_write_id(txn_id, TABLE)


def hold(world: World) -> None:
    """Another session reads it, for longer than anybody waits."""
    txn_id = world.memory.open_transaction("other", "host", "agent")
    asked = [LockComponent(TABLE, LockKind.SHARED_READ, OperationKind.SELECT)]
    world.memory.lock(txn_id, asked, "other", "host", "agent")


def make_anew(world: World) -> None:
    """Another session has dropped it and made one of the same name."""
    world.memory.add_table(build_table())


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (lambda world: world.run(StatementKind.INSERT), "written to it, under write ID 1"),
        (begin_to_write, "about to write to it, under write ID 1"),
        (hold, "could not be dropped"),
        (make_anew, "dropped and made again"),
    ],
    ids=["committed", "open", "locked", "another"],
)
def test_a_table_that_others_use_stays_and_the_error_says_why(
    world: World, other: Callable[[World], object], reason: str
) -> None:
    identity = world.memory.table_identity(TABLE)
    other(world)
    files, began_ms = dict(world.file_system.files), world.clock.now_ms
    with pytest.raises(HiveAcidError) as error:
        take_back(world, identity)
    assert error.value.getCondition() == "HIVE_ACID_CREATED_TABLE_KEPT"
    assert reason in str(error.value) and "no disk" in str(error.value)
    assert dict(world.file_system.files) == files
    assert world.clock.now_ms - began_ms <= 2 * MAX_WAIT_MS


def test_a_write_id_that_3_1_has_forgotten_was_nobodys_if_there_is_no_file(world: World) -> None:
    txn_id = world.memory.open_transaction("other", "host", "agent")
    world.memory.allocate_write_id(txn_id, TABLE)
    world.memory.commit(txn_id)  # as it looks
    if world.line is MetastoreLine.HIVE_3:
        assert take_back(world) == ["dropped"]
        world.file_system.add_file(f"{LOCATION}/delta_0000001_0000001_0000/bucket_00000")
    with pytest.raises(HiveAcidError, match="under write ID 1"):
        take_back(world)
