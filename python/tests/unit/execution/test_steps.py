"""Whatever a writing statement runs within, it goes through the same steps in the same order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hive_acid.errors import HiveAcidError, build_error
from hive_acid.execution import steps
from hive_acid.execution.sequence import Steps
from hive_acid.execution.steps import (
    ALONE,
    AT_COMMIT,
    AT_COMMIT_OF_A_TABLE,
    DRY_RUN,
    IN_TRANSACTION,
    LOCKED_AHEAD,
    STEPS,
    TOGETHER,
)
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.wire.statements import StatementAnswer
from hive_acid.writing.conflicts import Conflict
from hive_acid.writing.snapshot_checks import SnapshotChecks
from support.statements import World

INSERT, OVERWRITE = StatementKind.INSERT, StatementKind.OVERWRITE


def run_in_transaction(world: World) -> StatementAnswer:
    transaction = world.executor.begin_transaction({})
    try:
        answer = world.executor.run_within(transaction.token, world.statement(INSERT), world.engine)
    except BaseException as error:
        world.executor.end_transaction(transaction, error)
        raise
    world.executor.end_transaction(transaction, None)
    return answer


WRITING: dict[str, Callable[[World], object]] = {
    "alone": lambda world: world.run(INSERT),
    "in a transaction": run_in_transaction,
    "together": lambda world: world.executor.run_together([(world.statement(INSERT), world.engine)] * 2),
    "together, locked ahead": lambda world: world.executor.run_together([(world.statement(OVERWRITE), world.engine)]),
}
ALL = WRITING | {"dry run": lambda world: world.dry_run(INSERT)}


@pytest.fixture
def world() -> World:
    return World()


OF_A_DRY_RUN = {steps.open_snapshot, steps.foresee_locks, steps.discard_job}


@pytest.mark.parametrize(
    "some", [ALONE, IN_TRANSACTION, TOGETHER, LOCKED_AHEAD, DRY_RUN, AT_COMMIT_OF_A_TABLE, AT_COMMIT]
)
def test_each_way_of_running_takes_some_of_the_steps_in_their_one_order(some: Steps[Any, Any, Any]) -> None:
    taken = [step for step in some.functions if step not in OF_A_DRY_RUN]
    assert taken == [step for step in STEPS.functions if step in taken]


def test_a_step_that_is_left_to_the_commit_is_taken_there() -> None:
    at_commit = {*AT_COMMIT_OF_A_TABLE.functions, *AT_COMMIT.functions}
    assert {*IN_TRANSACTION.functions, *at_commit} == {*STEPS.functions} - {steps.abort_unchanged}


@pytest.mark.parametrize("step", [steps.lock, steps.publish, print])
def test_a_step_that_others_build_on_cannot_be_left_out(step: Callable[..., Any]) -> None:
    with pytest.raises(ValueError, match="only steps of the sequence that add nothing"):
        STEPS.without(step)


@pytest.mark.parametrize("way", ALL)
def test_what_refuses_a_table_refuses_it_in_every_way_of_running(
    world: World, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    def refuse(*_: object) -> None:
        raise build_error("HIVE_ACID_INTERNAL", reason="a new check")

    monkeypatch.setattr(steps, "refuse_unwritable", refuse)
    with pytest.raises(HiveAcidError, match="a new check"):
        ALL[way](world)
    assert (world.folders(), world.open_transactions(), world.engine.specs) == ([], [], [])


@pytest.mark.parametrize("way", WRITING)
def test_what_a_snapshot_must_satisfy_it_must_in_every_way_of_writing(
    world: World, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    def lose(*_: object) -> None:
        raise Conflict(1, "HIVE_ACID_WRITE_CONFLICT.CHANGED")

    monkeypatch.setattr(SnapshotChecks, "check_partitions", lose)
    with pytest.raises(HiveAcidError, match="other transactions changed the table") as caught:
        WRITING[way](world)
    assert caught.value.getCondition() == "HIVE_ACID_WRITE_CONFLICT.CHANGED"
    assert (world.folders(), world.open_transactions(), world.engine.specs) == ([], [], [])


def test_a_dry_run_takes_no_step_that_changes_anything() -> None:
    assert not {*DRY_RUN.functions} & {
        steps.allocate_write_id,
        steps.lock,
        steps.run_job,
        steps.prepare,
        steps.publish,
        steps.commit,
    }
