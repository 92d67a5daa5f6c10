"""Every statement, at every step of it, with every fault, in memory: wholly done, wholly undone, or unknown.

A step is a call of the metastore, of storage or of the engine, found by running the statement without a fault. What
each cell must come to is in `FAULTS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from hive_acid.errors import build_error
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.table import TableKind
from hive_acid.wire.statement_kinds import StatementKind
from support.fault_cells import FILES_PER_FOLDER, Cell, End
from support.fault_points import ENGINE, FILES, METASTORE, Call, Step, build_failure
from support.mutations import MUTATIONS, TRUNCATIONS, Mutation
from support.statements import TIMEOUT_MS

WRITING = {"make_folder", "write_text", "rename", "add_file"}

REPLACING = (StatementKind.OVERWRITE, StatementKind.TRUNCATE)

Act = Callable[[Cell, Step, Call], Any]


def at_once(strike: Act) -> Act:
    """Only the step itself; those after it pass."""

    def act(cell: Cell, step: Step, call: Call) -> Any:
        return strike(cell, step, call) if step.position == cell.points.at else call()

    return act


def before(happens: Callable[[Cell], object]) -> Act:
    """Something happens elsewhere, and the call goes on."""

    def act(cell: Cell, step: Step, call: Call) -> Any:
        happens(cell)
        return call()

    return at_once(act)


def raising(error: Callable[[Cell, Step], BaseException], *, happened: bool = False) -> Act:
    """An error instead of the call, or of its answer."""

    def act(cell: Cell, step: Step, call: Call) -> Any:
        if happened:
            call()
        raise error(cell, step)

    return at_once(act)


def for_good(seam: str, methods: set[str] | None = None) -> Act:
    """From the step on all calls of the seam fail (or these)."""

    def act(cell: Cell, step: Step, call: Call) -> Any:
        if step.seam == seam and (methods is None or step.method in methods):
            raise build_failure(step)
        return call()

    return act


def refused(_: Cell, step: Step) -> BaseException:
    return build_error("HIVE_ACID_METASTORE_REFUSED", method=step.method, reason="on purpose")


def fall_silent(cell: Cell) -> None:
    """The metastore has ended the transaction, and nobody here has noticed."""
    cell.world.clock.now_ms += TIMEOUT_MS + 1


def lose_heartbeat(cell: Cell) -> None:
    """The metastore has ended the transaction, and the heartbeat has noticed."""
    fall_silent(cell)
    cell.transactions.heartbeat.beat()


def conflict_always(cell: Cell, step: Step, call: Call) -> Any:
    """Another client changes the table between every snapshot and its lock, unless a kept lock keeps it out."""
    if step.method == "lock":
        cell.change_as_another()
    return call()


DONE = End("done", True)
KILLED = End("killed", False)
INTERRUPTED = End("KeyboardInterrupt", False)
UNAVAILABLE, STORAGE, ABORTED, CHANGED, LOCKED, REFUSED, CONFLICT = (
    End(f"HIVE_ACID_{name}", False)
    for name in (
        "METASTORE_UNAVAILABLE",
        "STORAGE",
        "TRANSACTION_ABORTED",
        "TABLE_CHANGED",
        "LOCK_TIMEOUT",
        "METASTORE_REFUSED",
        "WRITE_CONFLICT",
    )
)


def leaving(end: End, *, files: bool = False) -> End:
    """The same, but a transaction stays open until it times out (and files stay that nobody sees)."""
    return replace(end, open=True, files=files)


@dataclass(frozen=True)
class Fault:
    """What strikes, at which seams, and how the statement must end.

    `ends` are pairs of steps and end; the last that fits counts. Steps are `*`, a seam, a method, and `> method` or
    `>= method`: those after its first call, or from it on; or ONLY_COMMIT_IS_LEFT to ask of the metastore.
    `overwriting` are the ends of statements that replace rows, if they are others.
    """

    act: Act
    ends: tuple[tuple[str, End], ...]
    seams: tuple[str, ...] = (METASTORE, FILES, ENGINE)
    overwriting: tuple[tuple[str, End], ...] | None = None

    def end(self, step: Step, steps: list[Step], replaces: bool) -> End:
        """How the statement must end if the fault strikes at the step."""
        ends = self.overwriting if replaces and self.overwriting is not None else self.ends
        return next(end for pattern, end in reversed(ends) if _fits(pattern, step, steps))


ONLY_COMMIT_IS_LEFT = "only commit is left"


def _fits(pattern: str, step: Step, steps: list[Step]) -> bool:
    if pattern == ONLY_COMMIT_IS_LEFT:
        rest = (other for other in steps if other.position >= step.position and other.seam == METASTORE)
        return [other.method for other in rest] == ["commit"]
    comparison, _, method = pattern.rpartition(" ")
    if not comparison:
        return pattern in ("*", step.seam, step.method)
    first = next((other.position for other in steps if other.method == method), len(steps))
    return step.position >= first if comparison == ">=" else step.position > first


FAULTS = {
    "request lost": Fault(
        raising(lambda _, step: build_failure(step)),
        ((METASTORE, UNAVAILABLE), (FILES, STORAGE), (ENGINE, End("RuntimeError", False)), ("commit", DONE)),
    ),
    "answer lost": Fault(
        raising(lambda _, step: build_failure(step), happened=True),
        (
            (METASTORE, UNAVAILABLE),
            (FILES, STORAGE),
            (ENGINE, End("RuntimeError", False)),
            ("open_transaction", leaving(UNAVAILABLE)),  # nobody knows its ID
            ("commit", DONE),
        ),
    ),
    "refused": Fault(raising(refused), (("*", REFUSED),), seams=(METASTORE,)),
    "metastore gone": Fault(
        for_good(METASTORE),
        (
            ("*", UNAVAILABLE),
            ("> open_transaction", leaving(UNAVAILABLE)),
            (ONLY_COMMIT_IS_LEFT, leaving(End("unknown", False))),
        ),
    ),
    "storage gone": Fault(
        for_good(FILES), (("*", STORAGE), ("> add_file", replace(STORAGE, files=True)), ("> delete_tree", DONE))
    ),
    "disk full": Fault(for_good(FILES, WRITING), (("*", STORAGE), (">= delete_tree", DONE))),
    "killed before": Fault(
        raising(lambda cell, _: cell.points.kill()),
        (("*", KILLED), ("> open_transaction", leaving(KILLED)), ("> add_file", leaving(KILLED, files=True))),
    ),
    "killed after": Fault(
        raising(lambda cell, _: cell.points.kill(), happened=True),
        (
            ("*", KILLED),
            (">= open_transaction", leaving(KILLED)),
            (">= add_file", leaving(KILLED, files=True)),
            ("write", leaving(KILLED, files=True)),
            ("write_empty", leaving(KILLED, files=True)),
            ("commit", End("killed", True)),
        ),
    ),
    "Ctrl-C before": Fault(raising(lambda *_: KeyboardInterrupt()), (("*", INTERRUPTED),)),
    "Ctrl-C after": Fault(
        raising(lambda *_: KeyboardInterrupt(), happened=True),
        (
            ("*", INTERRUPTED),
            ("open_transaction", leaving(INTERRUPTED)),  # nobody knows its ID
            ("commit", End("KeyboardInterrupt", True)),
        ),
    ),
    "heartbeat lost": Fault(before(lose_heartbeat), (("*", DONE), ("> open_transaction", ABORTED))),
    "heartbeat lost unnoticed": Fault(before(fall_silent), (("*", DONE), ("> open_transaction", ABORTED))),
    "locked by another": Fault(before(Cell.lock_as_another), (("*", LOCKED), ("> lock", DONE))),
    "locked by another for a while": Fault(before(Cell.lock_for_a_while), (("*", DONE),)),
    "changed by another": Fault(before(Cell.change_as_another), (("*", DONE),)),
    # an EXCLUSIVE lock cannot be kept
    "changed by another again and again": Fault(
        conflict_always, (("*", DONE),), overwriting=(("*", CONFLICT), ("> lock", DONE))
    ),
    "overwritten by another": Fault(before(Cell.overwrite_as_another), (("*", DONE),)),
    "altered by another": Fault(before(Cell.alter_as_another), (("*", CHANGED), ("> lock", DONE))),
}
"""Faults that strike where it is too late, or before it matters, do no harm: `DONE`."""


def find_steps(mutation: Mutation, line: MetastoreLine, kind: TableKind = TableKind.FULL_ACID) -> list[Step]:
    """Of a run without a fault."""
    cell = Cell(mutation, line, kind)
    assert cell.run() == DONE
    return cell.points.steps


@pytest.mark.parametrize("line", MetastoreLine, ids=lambda line: f"hive-{line.value}")
@pytest.mark.parametrize("mutation", MUTATIONS, ids=str)
def test_the_steps_are_those_of_the_whole_statement(mutation: Mutation, line: MetastoreLine) -> None:
    steps = find_steps(mutation, line)
    expected = ["open_transaction", "valid_transactions", "lock", "write", "add_file", "delete_tree", "commit"]
    assert [step.method for step in steps if step.method in expected and step.nth == 1] == expected
    published = [step for step in steps if step.method == "rename" and step.position > 0]
    several = {StatementKind.UPDATE: 2, StatementKind.MERGE: 3, StatementKind.REPLACE: 3}
    per_partition = several.get(mutation.kind, 1)
    folders = per_partition * (1 + mutation.is_partitioned)
    assert len(published) == folders * FILES_PER_FOLDER + folders  # from attempts to staging, from there to the table
    assert steps[-1].method == "commit"


ONE_OF_EACH_WAY = ("insert-flat", "update-partitions", "delete-named", "overwrite-partitions", "truncate-flat")
"""Of adding, changing, taking and replacing rows. In the gate every fault strikes them on the 4.x line."""
TELLING_FAULTS = ("answer lost", "storage gone", "killed after", "changed by another", "altered by another")
"""In the gate they strike all other statements on the 4.x line."""
OLDER_FAULTS = ("answer lost", "killed after")
"""In the gate they strike one of each way on the 3.1 line."""


def is_in_gate(mutation: Mutation, line: MetastoreLine, name: str) -> bool:
    of_each_way = mutation.name in ONE_OF_EACH_WAY
    if line is MetastoreLine.HIVE_4:
        return of_each_way or name in TELLING_FAULTS
    return of_each_way and name in OLDER_FAULTS


CELLS = [
    pytest.param(
        *(name, mutation, line),
        id=f"{name}-{mutation}-hive-{line.value}",
        marks=() if is_in_gate(mutation, line, name) else pytest.mark.slow,
    )
    for name in FAULTS
    for mutation in (*MUTATIONS, *TRUNCATIONS)
    for line in MetastoreLine
]


@pytest.mark.parametrize(("name", "mutation", "line"), CELLS)
def test_a_statement_ends_in_one_of_the_allowed_ways(
    name: str, mutation: Mutation, line: MetastoreLine, record_property: Callable[[str, object], None]
) -> None:
    fault, steps = FAULTS[name], find_steps(mutation, line)
    ends, expected = {}, {}
    for step in steps:
        if step.seam not in fault.seams:
            continue
        cell = Cell(mutation, line)
        cell.strike(step.position, fault.act)
        ends[str(step)] = str(cell.run())
        record_property(str(step), ends[str(step)])
        expected[str(step)] = str(fault.end(step, steps, cell.replaces))
        assert cell.run_again() == DONE, f"the statement after the one that was struck at {step}"
    assert ends == expected


@pytest.mark.parametrize("line", MetastoreLine, ids=lambda line: f"hive-{line.value}")
@pytest.mark.parametrize(
    "mutation",
    [m for m in (*MUTATIONS, *TRUNCATIONS) if m.kind in (StatementKind.INSERT, *REPLACING)],
    ids=str,
)
@pytest.mark.parametrize("name", ["request lost", "killed before", "killed after", "Ctrl-C after"])
def test_on_insert_only_tables_it_ends_in_the_same_ways(mutation: Mutation, line: MetastoreLine, name: str) -> None:
    kind = TableKind.INSERT_ONLY
    fault, steps = FAULTS[name], find_steps(mutation, line, kind)
    for step in steps:
        cell = Cell(mutation, line, kind)
        cell.strike(step.position, fault.act)
        assert cell.run() == fault.end(step, steps, cell.replaces), step
        assert cell.run_again() == DONE, f"the statement after the one that was struck at {step}"
