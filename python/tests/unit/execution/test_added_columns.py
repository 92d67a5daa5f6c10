"""Columns that a failed statement has added go again, unless somebody else has written to the table since."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hive_acid.config import Settings
from hive_acid.errors import HiveAcidError
from hive_acid.execution.added_columns import ColumnAdditions
from hive_acid.execution.created_tables import MAX_WAIT_MS
from hive_acid.execution.ddl import DdlExecutor
from hive_acid.metastore.types import LockComponent, LockKind, OperationKind
from hive_acid.wire.ddl_kinds import DdlKind
from hive_acid.wire.new_tables import NewColumn
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.wire.statements import AddedColumns, DdlStatement
from support.statements import TABLE, World, build_table

ADDITION = DdlStatement(DdlKind.ALTER_COLUMNS, (TABLE,), new_columns=(NewColumn("more", "int", ("int",)),))


def additions(world: World) -> ColumnAdditions:
    settings = Settings(world.settings)
    return ColumnAdditions(world.warehouse, DdlExecutor(world.warehouse, settings), settings)


def add(world: World) -> AddedColumns:
    state = additions(world).add(ADDITION, lambda: None)
    return AddedColumns(ADDITION, state.identity, state.write_id, "no disk")


def take_back(world: World, added: AddedColumns) -> list[LockKind]:
    """The locks under which they were removed; none if they stay."""
    held: list[LockKind] = []
    additions(world).take_back(added, lambda: held.extend(lock.kind for lock in world.memory.held_locks()))
    return held


def test_columns_are_added_and_removed_under_an_exclusive_lock(world: World) -> None:
    held: list[LockKind] = []
    additions(world).add(ADDITION, lambda: held.extend(lock.kind for lock in world.memory.held_locks()))
    assert held == take_back(world, add(world)) == [LockKind.EXCLUSIVE]
    assert world.open_transactions() == []


def test_what_was_written_before_and_what_the_failed_statement_left_is_in_nobodys_way(world: World) -> None:
    world.run(StatementKind.INSERT)
    added = add(world)
    world.engine.fails = OSError("no disk")
    with pytest.raises(OSError, match="no disk"):
        world.run(StatementKind.INSERT)
    assert take_back(world, added) == [LockKind.EXCLUSIVE]


def test_a_column_that_hive_does_not_have_is_refused_before_anything_is_done(world: World) -> None:
    wrong = DdlStatement(DdlKind.ALTER_COLUMNS, (TABLE,), new_columns=(NewColumn("n", "void", ("void",)),))
    done: list[str] = []
    with pytest.raises(HiveAcidError, match="column n has type void"):
        additions(world).add(wrong, lambda: done.append("added"))
    assert done == world.open_transactions() == []


def begin_to_write(world: World) -> None:
    txn_id = world.memory.open_transaction("other", "host", "agent")
    world.memory.allocate_write_id(txn_id, TABLE)


def hold(world: World) -> None:
    """Another session reads it, for longer than anybody waits."""
    txn_id = world.memory.open_transaction("other", "host", "agent")
    world.memory.lock(
        txn_id, [LockComponent(TABLE, LockKind.SHARED_READ, OperationKind.SELECT)], "other", "host", "agent"
    )


def make_anew(world: World) -> None:
    world.memory.add_table(build_table())


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (lambda world: world.run(StatementKind.INSERT), "written to it, under write ID"),
        (begin_to_write, "about to write to it, under write ID"),
        (hold, "could not be removed"),
        (make_anew, "dropped and made again"),
    ],
    ids=["committed", "open", "locked", "another"],
)
def test_columns_into_which_others_may_have_written_stay_and_the_error_says_why(
    world: World, other: Callable[[World], object], reason: str
) -> None:
    added = add(world)
    other(world)
    began_ms = world.clock.now_ms
    with pytest.raises(HiveAcidError) as error:
        take_back(world, added)
    assert error.value.getCondition() == "HIVE_ACID_COLUMNS_KEPT"
    assert reason in str(error.value) and "no disk" in str(error.value) and "more" in str(error.value)
    assert world.clock.now_ms - began_ms <= 2 * MAX_WAIT_MS
