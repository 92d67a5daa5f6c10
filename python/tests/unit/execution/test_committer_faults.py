"""Statements on an object store, at every step, with every fault, in memory: wholly done, wholly undone, or unknown."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hive_acid.metastore.types import MetastoreLine
from support.fault_cells import Cell
from support.fault_points import ENGINE, FILES, METASTORE, Step
from support.mutations import MUTATIONS, TRUNCATIONS, Mutation
from unit.execution.test_fault_matrix import (
    DONE,
    FAULTS,
    INTERRUPTED,
    KILLED,
    ONE_OF_EACH_WAY,
    STORAGE,
    Fault,
    for_good,
    leaving,
)

STORE = "s3a://lake"
ONLY_SPACE = ("pending_uploads", "abort_uploads")
"""The last steps of storage: what they leave costs space."""
WRITING = {"make_folder", "write_text", "upload", "commit_attempts", "commit_output"}
FAULTS_HERE = {
    **FAULTS,
    "request lost": replace(
        FAULTS["request lost"], ends=(*FAULTS["request lost"].ends, *((step, DONE) for step in ONLY_SPACE))
    ),
    "answer lost": replace(
        FAULTS["answer lost"], ends=(*FAULTS["answer lost"].ends, *((step, DONE) for step in ONLY_SPACE))
    ),
    "storage gone": Fault(
        for_good(FILES),
        (("*", STORAGE), ("> commit_output", replace(STORAGE, files=True)), (">= pending_uploads", DONE)),
    ),
    "disk full": Fault(for_good(FILES, WRITING), (("*", STORAGE), ("> commit_output", DONE))),
    "killed before": replace(
        FAULTS["killed before"],
        ends=(
            ("*", KILLED),
            ("> open_transaction", leaving(KILLED)),
            ("> commit_output", leaving(KILLED, files=True)),
        ),
    ),
    "killed after": replace(
        FAULTS["killed after"],
        ends=(
            ("*", KILLED),
            (">= open_transaction", leaving(KILLED)),
            (">= commit_output", leaving(KILLED, files=True)),
            FAULTS["killed after"].ends[-1],
        ),
    ),
}
"""The files that storage shows before the commit are those of `commit_output`."""
IN_GATE = ("request lost", "answer lost", "storage gone", "disk full", "killed before", "killed after", "Ctrl-C after")
EACH_WAY = [mutation for mutation in (*MUTATIONS, *TRUNCATIONS) if mutation.name in ONE_OF_EACH_WAY]


def find_steps(mutation: Mutation, line: MetastoreLine) -> list[Step]:
    cell = Cell(mutation, line, store=STORE)
    assert cell.run() == DONE
    assert cell.world.file_system.lengths == {}
    return cell.points.steps


@pytest.mark.parametrize("mutation", (*MUTATIONS, *TRUNCATIONS), ids=str)
def test_nothing_is_renamed_and_the_driver_alone_commits(mutation: Mutation) -> None:
    steps = [step.method for step in find_steps(mutation, MetastoreLine.HIVE_4)]
    assert "rename" not in steps
    order = ["set_up_output", "upload", "write_text", "confirm", "commit_attempts", "commit_output", "commit"]
    assert [step for step in order if step in steps] == [step for step in order if step != "confirm"]
    firsts = [steps.index(step) for step in order if step in steps]
    assert firsts == sorted(firsts)
    assert steps.count("commit_output") == 1


@pytest.mark.parametrize("line", MetastoreLine, ids=lambda line: f"hive-{line.value}")
@pytest.mark.parametrize("mutation", EACH_WAY, ids=str)
@pytest.mark.parametrize(
    "name", [name if name in IN_GATE else pytest.param(name, marks=pytest.mark.slow) for name in FAULTS_HERE]
)
def test_a_statement_ends_in_one_of_the_allowed_ways(name: str, mutation: Mutation, line: MetastoreLine) -> None:
    fault, steps = FAULTS_HERE[name], find_steps(mutation, line)
    ends, expected = {}, {}
    for step in steps:
        if step.seam not in fault.seams:
            continue
        cell = Cell(mutation, line, store=STORE)
        cell.strike(step.position, fault.act)
        end = cell.run()
        ends[str(step)] = str(end)
        expected[str(step)] = str(fault.end(step, steps, cell.replaces))
        if step.seam in (METASTORE, ENGINE) and end in (DONE, INTERRUPTED):
            assert cell.world.file_system.lengths == {}, f"uploads are pending after {step}"
        assert cell.run_again() == DONE, f"the statement after the one that was struck at {step}"
    assert ends == expected
