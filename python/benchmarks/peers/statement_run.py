"""The rounds of the benchmark of statements: every side runs a step before any runs the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from columns import COLUMNS
from measures import ensure_equal

from peers.client import Answer, WorkerClient
from peers.environments import OURS, TRINO
from peers.statements import (
    CHECK,
    COMPACT,
    FEW_CHECK,
    FEW_COLUMNS,
    FEW_FILL,
    FLAT,
    INTO_PARTITIONS,
    LOAD,
    PARTS_CHECK,
    STEPS,
    Kind,
    Side,
    Step,
    small_steps,
)

ALL_COLUMNS: Final = ", ".join(f"{name} {kind}" for name, (kind, _) in COLUMNS.items())


@dataclass(frozen=True)
class Cell:
    """One run of a step by a side."""

    step: str
    side: str
    round: int
    wall_s: float
    cpu_s: float


@dataclass
class Rounds:
    """The sides with their workers, and what was measured. `rows` are those of the source."""

    sides: Sequence[Side]
    workers: Mapping[str, WorkerClient]
    source: str
    rows: int
    cells: list[Cell] = field(default_factory=list)

    def worker(self, side: Side) -> WorkerClient:
        """The one that has the side's tables."""
        return self.workers[side.engine]

    def note(self, step: str, side: Side, number: int, answer: Answer) -> None:
        """Keeps what a step took in a round."""
        self.cells.append(Cell(step, side.name, number, answer.wall_s, answer.cpu_s))

    def home(self, side: Side) -> WorkerClient:
        """The one that makes, fills and checks the side's tables: Trino's are tables of ours."""
        return self.workers[OURS] if side.engine == TRINO else self.worker(side)

    def create(self, side: Side, table: str, columns: str) -> None:
        """The table anew, empty."""
        self.home(side).sql(f"DROP TABLE IF EXISTS {table}", f"CREATE TABLE {table} ({columns}) {side.clauses}")


class StatementRun(Rounds):
    """All steps, by all sides."""

    def run_round(self, number: int, repeats: int) -> None:
        """New tables, all steps, and then the small statements."""
        for side in self.sides:
            self.create(side, side.table, ALL_COLUMNS)
        before = Kind.LOAD
        for step in STEPS:
            if step.kind is Kind.SCAN and before is not Kind.SCAN and before is not LOAD.kind:
                self._copy_rows()
            self._run_step(step, number)
            before = step.kind
        self._run_parts(number)
        self._run_small(number, repeats)
        for side in self.sides:
            self.worker(side).sql(f"DROP TABLE {side.table}")

    def _run_parts(self, number: int) -> None:
        for side in self.sides:
            self.worker(side).sql(
                "SET hive.exec.dynamic.partition.mode = nonstrict",
                f"DROP TABLE IF EXISTS {side.parts}",
                f"CREATE TABLE {side.parts} ({ALL_COLUMNS}, part INT) {side.clauses} PARTITIONED BY (part)",
            )
        self._run_step(INTO_PARTITIONS, number, PARTS_CHECK)
        for side in self.sides:
            self.worker(side).sql(f"DROP TABLE {side.parts}")

    def _run_small(self, number: int, repeats: int) -> None:
        sides = [side for side in self.sides if side.few]
        for side in sides:
            self.create(side, side.few, FEW_COLUMNS)
            self.worker(side).sql(self._fill(FEW_FILL, side))
        for step in small_steps(repeats):
            self._run_step(step, number)
            self._compare(step.name, FEW_CHECK, sides)
        for side in sides:
            self.worker(side).sql(f"DROP TABLE {side.few}")

    def _copy_rows(self) -> None:
        """The flat files get the rows that the transactional table has now."""
        flat = next((side for side in self.sides if side.name == FLAT), None)
        if flat is not None:
            ours = next(side for side in self.sides if side.engine == flat.engine and side is not flat)
            self.worker(flat).sql(f"INSERT OVERWRITE {flat.table} SELECT * FROM {ours.table}")

    def _run_step(self, step: Step, number: int, check: str = CHECK) -> None:
        sides = [side for side in self.sides if step.kind is not Kind.CHANGE or side.name != FLAT]
        answers: dict[str, Any] = {}
        for repetition in range(step.repeats):
            turn = (number + repetition) % len(sides)
            for side in (*sides[turn:], *sides[:turn]):
                statement = side.compact if step.name == COMPACT else step.statement
                answer = self.worker(side).sql(self._fill(statement, side, repetition))
                answers[side.name] = answer.result
                self.note(step.name, side, number, answer)
        if step.kind is Kind.SCAN:
            for name, rows in answers.items():
                ensure_equal(f"{step.name}: {name}", rows, answers[sides[0].name])
        elif step.repeats == 1:
            self._compare(step.name, check, sides)
        print(self._tell(step, number), flush=True)

    def _compare(self, what: str, check: str, sides: Sequence[Side]) -> None:
        expected: Any = None
        for side in sides:
            found = self.worker(side).sql(self._fill(check, side)).result
            expected = expected or found
            ensure_equal(f"{what}: {side.name}", found, expected)

    def _fill(self, statement: str, side: Side, repetition: int = 0) -> str:
        name = side.table.partition(".")[2]
        return statement.format(
            table=side.table,
            parts=side.parts,
            few=side.few,
            name=name,
            source=self.source,
            rows=self.rows,
            i=repetition,
        )

    def _tell(self, step: Step, number: int) -> str:
        told = {}
        for side in self.sides:
            same = [c for c in self.cells if (c.step, c.side, c.round) == (step.name, side.name, number)]
            if same:
                told[side.name] = f"{sum(c.wall_s for c in same):.2f} s, CPU {sum(c.cpu_s for c in same):.2f} s"
        return f"  {step.name:<56}" + "; ".join(f"{name} {text}" for name, text in told.items())
