"""An error says what became of its statement, and that is what a fresh reader finds."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest

from hive_acid.config import Settings
from hive_acid.errors import HiveAcidError, build_error
from hive_acid.errors.outcome import StatementOutcome, find_outcome, tell
from hive_acid.execution.ddl import DdlExecutor
from hive_acid.execution.executor import Executor
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.table import Column, Partition
from hive_acid.reading.warehouse import Warehouse
from hive_acid.transactions.locks import Identity
from hive_acid.transactions.manager import TransactionManager
from hive_acid.wire.ddl_kinds import DdlKind
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.wire.statements import DdlStatement
from support.fault_cells import Cell
from support.fault_points import ENGINE, FILES, METASTORE, Call, FaultPoints, Step
from support.mutations import MUTATIONS, Mutation
from support.statements import TABLE, World, build_table, keep_still

CHANGED = {StatementOutcome.COMMITTED: True, StatementOutcome.CARRIED_OUT: True}
"""Outcomes that say that there is a change. What is not known may be either."""
UNCHANGED = (
    StatementOutcome.NOTHING_CHANGED,
    StatementOutcome.NOT_COMMITTED,
    StatementOutcome.QUERY_FAILED,
    StatementOutcome.TRANSACTION_DOOMED,
)
ERRORS: dict[str, Callable[[], BaseException]] = {
    "unexpected": lambda: RuntimeError("on purpose"),
    "internal": lambda: build_error("HIVE_ACID_INTERNAL", reason="on purpose"),
    "storage": lambda: build_error("HIVE_ACID_STORAGE", path="/", action="trying", reason="on purpose"),
    "refused": lambda: build_error("HIVE_ACID_METASTORE_REFUSED", method="any", reason="on purpose"),
    "unavailable": lambda: build_error("HIVE_ACID_METASTORE_UNAVAILABLE", uri="x", method="any", reason="on purpose"),
}
LINES = pytest.mark.parametrize("line", MetastoreLine, ids=lambda line: f"hive-{line.value}")
EVERY_ERROR = pytest.mark.parametrize("name", ERRORS)
WAYS = ("before", "after", "for good")
"""Instead of the call, instead of its answer, and instead of all calls from there on."""
EVERY_WAY = pytest.mark.parametrize("way", WAYS)


def check(error: BaseException, is_changed: bool, step: Step) -> StatementOutcome:
    """Raises AssertionError unless what the error says is true."""
    tell(error, StatementOutcome.NOTHING_CHANGED)  # as a callback does where nobody has told
    said = find_outcome(error)
    assert said is not None
    if said is not StatementOutcome.NOT_KNOWN:
        assert (said in CHANGED, said in UNCHANGED) == (is_changed, not is_changed), f"{said} at {step}: {error}"
    if isinstance(error, HiveAcidError) and error.takes_outcome:
        assert error.getMessageParameters()["outcome"] == said.text
        assert said.text in str(error)
    return said


def raise_at(position: int, build: Callable[[], BaseException], way: str) -> Callable[[Step, Call], Any]:
    """What stands in for the calls of a statement, so that an error strikes at the position."""

    def strike(step: Step, call: Call) -> Any:
        if step.position < position or (step.position > position and way != "for good"):
            return call()
        if way == "after":
            call()
        raise build()

    return strike


@LINES
@EVERY_ERROR
@EVERY_WAY
@pytest.mark.parametrize(
    "mutation", [m for m in MUTATIONS if m.name in ("insert-flat", "merge-partitions", "overwrite-partitions")], ids=str
)
def test_a_statement_that_fails_at_a_step_says_whether_its_rows_are_there(
    mutation: Mutation, line: MetastoreLine, name: str, way: str
) -> None:
    whole = Cell(mutation, line)
    whole.run()
    told = set()
    for step in whole.points.steps:
        cell = Cell(mutation, line)
        strike = raise_at(step.position, ERRORS[name], way)
        cell.strike(step.position, lambda _, at, call, strike=strike: strike(at, call))
        end = cell.run()
        if cell.error is None:  # a commit whose answer is asked for again
            assert end.report in ("done", "unknown")
            continue
        said = check(cell.error, end.is_visible, step)
        assert said is not StatementOutcome.NOT_KNOWN or step.method == "commit", f"{said} at {step}"
        told.add(said)
    assert {StatementOutcome.NOTHING_CHANGED, StatementOutcome.NOT_COMMITTED} <= told


@EVERY_ERROR
def test_an_error_after_the_commit_says_that_the_changes_are_committed(name: str) -> None:
    world = World()

    def fail(*_: object) -> None:
        raise ERRORS[name]()

    world.executor = Executor(world.warehouse, Settings({}), world.clock.pause_ms, after_commit=fail)
    with pytest.raises((HiveAcidError, RuntimeError)) as raised:
        world.run(StatementKind.INSERT)
    assert world.visible_write_ids() == [1]
    assert find_outcome(raised.value) is StatementOutcome.COMMITTED


def build_client(world: World, points: FaultPoints) -> tuple[Warehouse, Executor]:
    """A process whose every call is a step of `points`."""
    metastore, files = points.watch(METASTORE, world.memory), points.watch(FILES, world.file_system)
    settings = Settings({"spark.hiveacid.commit.resolveTimeoutMs": "1000"})
    identity = Identity("user", "host", "agent")
    transactions = keep_still(TransactionManager(metastore, identity, settings, world.clock.timing))
    warehouse = Warehouse(metastore, files, transactions)
    points.restart()
    return warehouse, Executor(warehouse, settings, world.clock.pause_ms)


def run_block(world: World, executor: Executor, points: FaultPoints) -> None:
    """Two statements in one transaction, as the session runs them."""
    block = executor.begin_transaction({})
    engine = points.watch(ENGINE, world.engine)
    try:
        for kind in (StatementKind.INSERT, StatementKind.UPDATE):
            executor.run_within(block.token, world.statement(kind), engine)
    except BaseException as error:
        executor.end_transaction(block, error)
        raise
    executor.end_transaction(block, None)


def run_together(world: World, executor: Executor, points: FaultPoints) -> None:
    """Two INSERTs of one statement."""
    engine = points.watch(ENGINE, world.engine)
    executor.run_together([(world.statement(StatementKind.INSERT), engine)] * 2)


@LINES
@EVERY_ERROR
@EVERY_WAY
@pytest.mark.parametrize("run", [run_block, run_together])
def test_a_transaction_of_several_statements_that_fails_says_whether_its_rows_are_there(
    run: Callable[[World, Executor, FaultPoints], None], line: MetastoreLine, name: str, way: str
) -> None:
    def attempt(at: int) -> tuple[World, FaultPoints, BaseException | None]:
        world, points = World(line), FaultPoints()
        warehouse, executor = build_client(world, points)
        if at >= 0:
            points.at, points.strike = at, raise_at(at, ERRORS[name], way)
        error: BaseException | None = None
        try:
            run(world, executor, points)
        except BaseException as raised:  # noqa: BLE001 (it is looked at)
            error = raised
        points.heal()
        warehouse.transactions.close()
        world.time_out()
        return world, points, error

    _, points, error = attempt(-1)
    assert error is None
    for step in points.steps:
        world, _, error = attempt(step.position)
        if error is not None and not isinstance(error, HiveAcidError | RuntimeError):
            raise error
        if error is None or (isinstance(error, HiveAcidError) and not error.takes_outcome):
            assert step.method == "commit"  # asked for again, and its own condition if that does not help
            continue
        said = check(error, bool(world.visible_write_ids()), step)
        assert said is not StatementOutcome.NOT_KNOWN or step.method == "commit", f"{said} at {step}"


@LINES
@EVERY_ERROR
@pytest.mark.parametrize("kind", DdlKind)
def test_a_statement_of_sparks_own_that_fails_under_our_locks_says_whether_it_was_carried_out(
    kind: DdlKind, line: MetastoreLine, name: str
) -> None:
    def attempt(at: int, way: str) -> tuple[list[str], FaultPoints, BaseException | None]:
        world, points, ran = World(line), FaultPoints(), list[str]()
        world.memory.add_table(build_table(partition_columns=(Column("d", "string"),)))
        for value in "ab":
            world.memory.add_partition(TABLE, Partition(f"d={value}", (value,), f"/warehouse/t/d={value}"))
        warehouse, _ = build_client(world, points)
        if at >= 0:
            points.at, points.strike = at, raise_at(at, ERRORS[name], way)
        partitions = {DdlKind.ADD_PARTITION: (("d=c",),), DdlKind.DROP_PARTITION: (("d=a",),)}.get(kind, ())
        statement = DdlStatement(kind, (TABLE,), partitions, ("",) if kind is DdlKind.ADD_PARTITION else ())

        def command() -> None:
            points.pass_call(ENGINE, "command", lambda: ran.append("command"))
            other = world.memory.open_transaction("other", "host", "agent")  # statistics are withdrawn then
            world.memory.allocate_write_id(other, TABLE)
            world.memory.commit(other)

        try:
            DdlExecutor(warehouse, Settings({})).run(statement, command)
        except (HiveAcidError, RuntimeError) as error:
            return ran, points, error
        finally:
            warehouse.transactions.close()
        return ran, points, None

    ran, points, error = attempt(-1, "")
    assert (ran, error) == (["command"], None)
    for step, way in product(points.steps, WAYS):
        ran, _, error = attempt(step.position, way)
        if error is None or (isinstance(error, HiveAcidError) and not error.takes_outcome):
            assert step.method == "commit"
            continue
        said = check(error, bool(ran), step)
        assert said is not StatementOutcome.NOT_KNOWN or step.method == "command"
