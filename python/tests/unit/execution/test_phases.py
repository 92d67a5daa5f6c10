"""A statement tells how long it was in which phase, and whoever looks on is told of its course."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hive_acid.errors import HiveAcidError, build_error
from hive_acid.execution.steps import ALONE, AT_COMMIT, AT_COMMIT_OF_A_TABLE, IN_TRANSACTION, LOCKED_AHEAD, TOGETHER
from hive_acid.execution.watch import Phase, Watch
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.wire.statements import PhaseTimes, Statement
from support.statements import World

INSERT, DELETE, OVERWRITE = StatementKind.INSERT, StatementKind.DELETE, StatementKind.OVERWRITE


@pytest.fixture
def world() -> World:
    return World()


def passing(world: World, ms: int) -> Callable[..., None]:
    def pass_time(*_: object) -> None:
        world.clock.now_ms += ms

    return pass_time


def make_slow(world: World) -> None:
    """Takes 1 ms for the table, 20 for the lock, 300 for the rows and 4000 for the commit."""
    for method, ms in {"table": 1, "lock": 20, "commit": 4000}.items():
        world.metastore.before[method] = passing(world, ms)
    world.engine.before = passing(world, 300)


def run(world: World, statement: Statement) -> PhaseTimes:
    return world.executor.run(statement, world.engine).phases


def test_each_phase_has_its_time(world: World) -> None:
    make_slow(world)
    assert run(world, world.statement(INSERT)) == PhaseTimes(1, 20, 300, 0, 4000)


def test_a_run_after_a_lost_race_adds_to_the_times(world: World) -> None:
    def lose() -> None:
        World(world.line, shared_with=world).run(DELETE)
        world.clock.now_ms += 7
        world.metastore.before["lock"] = passing(world, 20)

    make_slow(world)
    world.metastore.before["lock"] = lose
    assert run(world, world.statement(DELETE)) == PhaseTimes(1, 27, 300, 0, 4000)
    assert world.metastore.calls.count("open_transaction") == 2


@pytest.mark.parametrize(("kinds", "write_ms"), [([INSERT, INSERT], 600), ([OVERWRITE], 300)])
def test_statements_that_run_as_one_share_their_times_with_the_commit(
    world: World, kinds: list[StatementKind], write_ms: int
) -> None:
    """Those of which one overwrites are locked before the first of them runs."""
    make_slow(world)
    statements = [(world.statement(kind), world.engine) for kind in kinds]
    assert world.executor.run_together(statements).phases == PhaseTimes(1, 20, write_ms, 0, 4000)


def test_a_statement_of_a_transaction_has_times_of_its_own_and_no_commit(world: World) -> None:
    make_slow(world)
    transaction = world.executor.begin_transaction({})
    times = [
        world.executor.run_within(transaction.token, world.statement(INSERT), world.engine).phases for _ in range(2)
    ]
    world.executor.end_transaction(transaction, None)
    assert times == [PhaseTimes(1, 20, 300, 0, 0), PhaseTimes(0, 0, 300, 0, 0)]


def test_no_step_is_without_a_phase() -> None:
    for steps in (ALONE, IN_TRANSACTION, TOGETHER, LOCKED_AHEAD, AT_COMMIT, AT_COMMIT_OF_A_TABLE):
        assert None not in {step.phase for step in steps._steps}


def test_an_observer_is_told_once_of_a_statement_with_all_its_runs(world: World) -> None:
    told: list[Watch] = []
    world.executor.observe = told.append
    make_slow(world)
    statement = world.statement(INSERT)
    world.executor.run(statement, world.engine)
    (watch,) = told
    assert (watch.statements, watch.txn_id, watch.error) == ([statement], 1, None)
    assert watch.counts is not None and watch.counts.inserted == 3
    phases = [phase for phase, *_ in watch.passed]
    assert phases == [Phase.SNAPSHOT, Phase.LOCK_WAIT, Phase.SNAPSHOT, Phase.WRITE, Phase.PUBLISH, Phase.COMMIT]


def test_an_observer_is_told_of_the_error_and_of_the_phase_in_which_it_came(world: World) -> None:
    told: list[Watch] = []
    world.executor.observe = told.append
    world.engine.fails = build_error("HIVE_ACID_INTERNAL", reason="on purpose")
    with pytest.raises(HiveAcidError, match="on purpose"):
        world.run(INSERT)
    (watch,) = told
    assert (watch.error, watch.counts) == (world.engine.fails, None)
    assert watch.passed[-1][0] is Phase.WRITE
