"""An interrupt does not end what the engine does: the locks stay until that has ended."""

from __future__ import annotations

import threading
from typing import NoReturn

import pytest

from hive_acid.config import Settings
from hive_acid.errors import build_error
from hive_acid.execution.created_tables import CreatedTables
from hive_acid.metastore.types import MetastoreLine
from hive_acid.wire.ddl_kinds import DdlKind
from hive_acid.wire.statements import CreatedTable, DdlStatement
from support.altered_tables import build, build_altered_world
from support.polling import eventually
from support.statements import TABLE, World

DROP = DdlStatement(DdlKind.DROP_PARTITION, (TABLE,))


@pytest.fixture(params=list(MetastoreLine), ids=lambda line: line.value)
def world(request: pytest.FixtureRequest) -> World:
    return build_altered_world(request.param)


def interrupt() -> NoReturn:
    raise KeyboardInterrupt


class Engine:
    """It runs until it was asked `asked` times whether it does; `held` is whether the table was locked each time."""

    def __init__(self, world: World, asked: int) -> None:
        self._world = world
        self._left = asked
        self.held: list[bool] = []

    def is_running(self) -> bool:
        self.held.append(bool(self._world.memory.held_locks(TABLE)))
        self._left -= 1
        return self._left >= 0


def test_the_locks_of_an_interrupted_statement_stay_until_the_engine_has_ended(world: World) -> None:
    engine = Engine(world, 5)
    with pytest.raises(KeyboardInterrupt):
        build(world).run(DROP, interrupt, engine.is_running)
    assert engine.held == [True] * 6
    assert not world.memory.held_locks() and not world.open_transactions()


def test_the_sign_of_dropped_partitions_is_younger_than_the_drop(world: World) -> None:
    """A transaction that began before the partition was dropped must hear of it."""
    seen: list[int] = []

    def is_running() -> bool:
        seen.append(world.memory.valid_write_ids([TABLE], None)[TABLE].max_visible)
        return len(seen) < 3

    with pytest.raises(KeyboardInterrupt):
        build(world).run(DROP, interrupt, is_running)
    assert seen == [0, 0, 0]
    assert world.memory.valid_write_ids([TABLE], None)[TABLE].max_visible == 1


@pytest.mark.parametrize("is_interrupted_again", [False, True])
def test_a_thread_ends_what_takes_long_and_the_interrupt_says_so(world: World, is_interrupted_again: bool) -> None:
    ends = threading.Event()
    main = threading.current_thread()

    def is_running() -> bool:
        if is_interrupted_again and threading.current_thread() is main:
            raise KeyboardInterrupt
        if threading.current_thread() is not main:
            ends.wait(10)
        return not ends.is_set()

    with pytest.raises(KeyboardInterrupt) as raised:
        build(world).run(DROP, interrupt, is_running)
    assert any("its locks are held until" in note for note in raised.value.__notes__)
    assert world.memory.held_locks(TABLE)
    ends.set()
    assert eventually(lambda: not world.memory.held_locks() and not world.open_transactions())


def test_the_lock_on_a_table_that_is_taken_back_stays_too(world: World) -> None:
    engine = Engine(world, 3)
    created = CreatedTable(TABLE, world.memory.table_identity(TABLE), "no disk")
    tables = CreatedTables(world.warehouse, Settings({}))
    with pytest.raises(KeyboardInterrupt):
        tables.take_back(created, interrupt, engine.is_running)
    assert engine.held == [True] * 4
    assert not world.memory.held_locks() and not world.open_transactions()


def test_columns_whose_change_lost_its_answer_are_those_of_the_partitions_too(world: World) -> None:
    def lose_answer() -> NoReturn:
        raise build_error("HIVE_ACID_METASTORE_UNAVAILABLE", uri="x", method="alter_table", reason="on purpose")

    for command in (lose_answer, interrupt):
        world.metastore.calls.clear()
        with pytest.raises(BaseException, match=r"on purpose|^$"):
            build(world).run(DdlStatement(DdlKind.ALTER_COLUMNS, (TABLE,)), command)
        assert "cascade_columns" in world.metastore.calls
        assert not world.open_transactions()
