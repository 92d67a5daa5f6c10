"""Beside a Cleaner of Hive 4 that waits for the table, no overwrite has the lowest open write ID."""

from __future__ import annotations

import pytest

from hive_acid.errors import TransactionAborted, WriteConflict
from hive_acid.execution.session_transaction import SessionTransaction
from hive_acid.metastore.compaction_types import CompactionKind, CompactionRequest
from hive_acid.metastore.types import MetastoreLine
from hive_acid.wire.statement_kinds import StatementKind
from support.fault_cells import Cell
from support.fault_points import Call, Step, build_failure
from support.faults import Lost
from support.mutations import MUTATIONS, TRUNCATIONS
from support.statements import TABLE, World

OVERWRITES = (StatementKind.OVERWRITE, StatementKind.TRUNCATE)
ALL = (*OVERWRITES, StatementKind.INSERT, StatementKind.DELETE)


@pytest.fixture(params=MetastoreLine, ids=lambda line: line.value)
def world(request: pytest.FixtureRequest) -> World:
    """The table with rows."""
    world = World(request.param)
    world.run(StatementKind.INSERT)
    return world


def wait_to_be_cleaned(world: World, partition: str | None = None) -> None:
    """A compaction that is done."""
    world.memory.request_compaction(CompactionRequest(TABLE, CompactionKind.MAJOR, partition))
    if world.line is MetastoreLine.HIVE_4:
        job = world.memory.next_compaction("host-1", "test", None)
        assert job is not None
        world.memory.mark_compacted(job)


def note_open_write_ids(world: World) -> list[list[int]]:
    """Those of the table when a base is put in place."""
    seen: list[list[int]] = []
    rename = world.file_system.rename

    def renamed(source: str, target: str) -> None:
        rename(source, target)
        if "/base_" in target and "attempt" not in source:
            transactions = world.memory.valid_transactions(0)
            seen.append(sorted(world.memory.valid_write_ids([TABLE], transactions)[TABLE].open))

    world.file_system.rename = renamed  # type: ignore[method-assign]
    return seen


@pytest.mark.parametrize("kind", OVERWRITES, ids=lambda kind: kind.value)
def test_an_overwrite_has_an_open_write_id_below_its_own_until_its_commit(world: World, kind: StatementKind) -> None:
    wait_to_be_cleaned(world)
    seen = note_open_write_ids(world)
    world.run(kind)
    assert seen == [[2, 3] if world.line is MetastoreLine.HIVE_4 else [2]]
    assert world.open_transactions() == []
    assert world.memory.valid_write_ids([TABLE], world.memory.valid_transactions(0))[TABLE].open == frozenset()


@pytest.mark.parametrize("kind", OVERWRITES, ids=lambda kind: kind.value)
def test_housekeeping_does_not_hide_what_was_written_above_it(world: World, kind: StatementKind) -> None:
    wait_to_be_cleaned(world)
    world.run(kind)
    written = world.visible_write_ids()
    world.memory.clean_entries()
    assert world.visible_write_ids() == written


@pytest.mark.parametrize("kind", OVERWRITES, ids=lambda kind: kind.value)
def test_what_others_have_aborted_may_be_cleaned_too(world: World, kind: StatementKind) -> None:
    aborted = world.memory.open_transaction("other", "host", "agent")
    world.memory.allocate_write_id(aborted, TABLE)
    world.memory.abort(aborted)
    seen = note_open_write_ids(world)
    world.run(kind)
    assert seen == [[3, 4] if world.line is MetastoreLine.HIVE_4 else [3]]


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.value)
def test_without_anything_to_clean_there_is_one_transaction(world: World, kind: StatementKind) -> None:
    world.metastore.calls.clear()
    world.run(kind)
    assert world.metastore.calls.count("open_transaction") == 1
    assert world.visible_write_ids()[-1] == 2


@pytest.mark.parametrize("lost", Lost)
def test_an_end_without_an_answer_is_no_error_of_the_statement(world: World, lost: Lost) -> None:
    wait_to_be_cleaned(world)
    world.metastore.method, world.metastore.lost = "abort", lost
    assert world.run(StatementKind.OVERWRITE) == 3
    is_left = world.line is MetastoreLine.HIVE_4 and lost is Lost.REQUEST
    assert len(world.open_transactions()) == is_left
    world.time_out()
    assert world.open_transactions() == []


def test_a_failed_overwrite_leaves_none(world: World) -> None:
    wait_to_be_cleaned(world)
    world.engine.fails = RuntimeError("on purpose")
    with pytest.raises(RuntimeError, match="on purpose"):
        world.run(StatementKind.OVERWRITE)
    assert world.open_transactions() == []


def test_an_overwrite_that_has_lost_its_lower_write_id_puts_nothing_in_place() -> None:
    world = World(MetastoreLine.HIVE_4)
    world.run(StatementKind.INSERT)
    wait_to_be_cleaned(world)
    seen = note_open_write_ids(world)

    def lose(_: str) -> None:
        _, holder = world.open_transactions()
        world.memory.abort(holder)
        world.transactions.heartbeat.beat()

    world.engine.before = lose
    with pytest.raises(TransactionAborted):
        world.run(StatementKind.OVERWRITE)
    assert (seen, world.open_transactions()) == ([], [])


def lost(step: Step, call: Call) -> object:
    raise build_failure(step)


def answer_lost(step: Step, call: Call) -> object:
    call()
    raise build_failure(step)


@pytest.mark.parametrize("strike", ["request", "answer", "killed before", "killed after"])
@pytest.mark.parametrize("name", ["overwrite-flat", "overwrite-partitions", "truncate-flat"])
def test_a_fault_at_any_step_leaves_all_or_nothing_and_no_transaction(name: str, strike: str) -> None:
    """`Cell` looks at rows, locks and transactions; the statement works again afterwards."""
    (mutation,) = (one for one in (*MUTATIONS, *TRUNCATIONS) if str(one) == name)

    def build() -> Cell:
        cell = Cell(mutation, MetastoreLine.HIVE_4)
        wait_to_be_cleaned(cell.world, "d=old" if mutation.is_partitioned else None)
        return cell

    whole = build()
    assert whole.run().report == "done"
    steps = whole.points.steps
    assert [step.method for step in steps].count("open_transaction") == 3
    for step in steps:
        cell = build()

        def act(cell: Cell, struck: Step, call: Call, at: int = step.position) -> object:
            if struck.position != at:
                return call()
            if strike == "killed after":
                call()
            if strike.startswith("killed"):
                raise cell.points.kill()
            return (lost if strike == "request" else answer_lost)(struck, call)

        cell.strike(step.position, act)
        end = cell.run()
        is_over = step.position > max(one.position for one in steps if one.method == "commit")
        assert end.is_visible or not is_over, f"{step}: {end}"
        assert cell.run_again().report == "done", str(step)


def write(world: World, begun: SessionTransaction, kind: StatementKind, rows: int = 3) -> None:
    world.engine.rows = rows
    world.executor.run_within(begun.token, world.statement(kind), world.engine)


def test_an_overwrite_in_a_transaction_of_several_has_one_too(world: World) -> None:
    wait_to_be_cleaned(world)
    seen = note_open_write_ids(world)
    begun = world.executor.begin_transaction({})
    write(world, begun, StatementKind.TRUNCATE)
    world.executor.end_transaction(begun, None)
    assert seen == [[2, 3] if world.line is MetastoreLine.HIVE_4 else [2]]
    assert world.open_transactions() == []


def test_an_overwrite_after_a_statement_that_changed_nothing_has_none_and_is_a_conflict(world: World) -> None:
    wait_to_be_cleaned(world)
    begun = world.executor.begin_transaction({})
    write(world, begun, StatementKind.DELETE, rows=0)
    if world.line is MetastoreLine.HIVE_4:
        with pytest.raises(WriteConflict, match="waits to be cleaned") as raised:
            write(world, begun, StatementKind.TRUNCATE)
        world.executor.end_transaction(begun, raised.value)
    else:
        write(world, begun, StatementKind.TRUNCATE)
        world.executor.end_transaction(begun, None)
    assert world.open_transactions() == []
