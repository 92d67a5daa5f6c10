"""What was asked of the changing tables and what came of it: the history that the checker judges.

Every operation is a line of JSON, written when its end is known, so that a history can be judged again.
"""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support.chaos.rows import RESIDUES, Place, SeenRow
from support.client_history import Outcome

if TYPE_CHECKING:
    from typing_extensions import Self


class EffectKind(Enum):
    """What an operation does to the table of a name."""

    ADD = "add"
    """Rows by their keys."""
    REMOVE = "remove"
    """The rows of a region."""
    INCREASE = "increase"
    """`v` of the rows of a region, by one."""
    MOVE = "move"
    """The rows of a place, to another value of `p` that no other operation uses."""
    BIND = "bind"
    """From now on there is a table of the name."""
    UNBIND = "unbind"
    """There is none, and its rows and notes are gone from under this name."""
    NOTE = "note"
    """A property or a column by its name."""


@dataclass(frozen=True)
class Region:
    """Rows by partition and by residue of the key; None is any."""

    p: int | None = None
    q: int | None = None
    residue: int | None = None

    def covers(self, key: int, place: Place) -> bool:
        """True if the row, being there, is one of them."""
        return (
            self.p in (None, place[0])
            and self.q in (None, place[1])
            and (self.residue is None or key % RESIDUES == self.residue)
        )


EVERYTHING = Region()


@dataclass(frozen=True)
class Effect:
    """One of the effects of an operation; see EffectKind for what the fields mean."""

    kind: EffectKind
    slot: str
    region: Region = EVERYTHING
    keys: tuple[int, ...] = ()
    moved_to: int = 0
    note: str = ""


@dataclass(frozen=True)
class Reading:
    """What a read of a name showed: rows, or the names of properties and columns, or that there is no such table.

    `wrong` are rows whose values are not those of any row.
    """

    slot: str
    rows: tuple[SeenRow, ...] | None = None
    wrong: tuple[str, ...] = ()
    notes: tuple[str, ...] | None = None

    @property
    def is_missing(self) -> bool:
        """True if the answer was that there is no such table."""
        return self.rows is None and self.notes is None


@dataclass(frozen=True)
class Operation:
    """What a client asked, when, and what it was told. Times are seconds of one clock.

    `excuses` are numbers of operations that a read is not judged by: it looks at what they left.
    """

    number: int
    client: str
    text: str
    asked_at: float
    ended_at: float
    outcome: Outcome
    effects: tuple[Effect, ...] = ()
    readings: tuple[Reading, ...] = ()
    reason: str = ""
    complaint: str = ""
    excuses: tuple[int, ...] = ()


@dataclass
class Answer:
    """The end of an operation, filled in while it runs."""

    outcome: Outcome = Outcome.OK
    readings: list[Reading] = field(default_factory=list)
    reason: str = ""
    complaint: str = ""


class ChaosHistory:
    """Keeps operations, from many threads, in memory and in a file."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self.operations: list[Operation] = []
        self._file = path.open("w", encoding="utf-8")
        self._clock = clock
        self._guard = threading.Lock()
        self._numbers = itertools.count(1)

    def next_number(self) -> int:
        """That of an operation about to be asked for."""
        with self._guard:
            return next(self._numbers)

    def now(self) -> float:
        """The clock of the history."""
        return self._clock()

    def run(
        self, number: int, client: str, text: str, effects: Sequence[Effect], work: Callable[[Answer], None]
    ) -> Operation:
        """Calls `work`, which fills in the answer, and keeps both."""
        answer = Answer()
        asked_at = self._clock()
        try:
            work(answer)
        except BaseException as error:
            answer.outcome, answer.complaint = Outcome.UNKNOWN, f"the run itself failed: {error!r}"
            raise
        finally:
            operation = Operation(
                number,
                client,
                text,
                asked_at,
                self._clock(),
                answer.outcome,
                tuple(effects),
                tuple(answer.readings),
                answer.reason,
                answer.complaint,
            )
            self.keep(operation)
        return operation

    def keep(self, operation: Operation) -> None:
        """Adds an operation that has ended."""
        with self._guard:
            self.operations.append(operation)
            self._file.write(json.dumps(asdict(operation), default=lambda value: value.value) + "\n")
            self._file.flush()

    def look_again(self, operation: Operation, readings: Sequence[Reading], *, excuses: Sequence[int] = ()) -> None:
        """Keeps what was found later of what the tables were while an operation ran."""
        text = f"what {operation.number} left: {operation.text}"
        seen = replace(operation, number=self.next_number(), text=text, effects=(), readings=tuple(readings))
        self.keep(replace(seen, outcome=Outcome.OK, reason="", complaint="", excuses=tuple(excuses)))

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def load_history(path: Path) -> list[Operation]:
    """The operations of a file."""
    return [_load_operation(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def _load_operation(line: dict[str, Any]) -> Operation:
    effects = tuple(
        Effect(
            EffectKind(effect["kind"]),
            effect["slot"],
            Region(**effect["region"]),
            tuple(effect["keys"]),
            effect["moved_to"],
            effect["note"],
        )
        for effect in line["effects"]
    )
    readings = tuple(
        Reading(
            reading["slot"],
            _load_rows(reading["rows"]),
            tuple(reading["wrong"]),
            None if reading["notes"] is None else tuple(reading["notes"]),
        )
        for reading in line["readings"]
    )
    known = {"effects": effects, "readings": readings, "outcome": Outcome(line["outcome"])}
    return Operation(**line | known | {"excuses": tuple(line["excuses"])})


def _load_rows(rows: list[dict[str, Any]] | None) -> tuple[SeenRow, ...] | None:
    if rows is None:
        return None
    return tuple(SeenRow(row["key"], row["updates"], (row["place"][0], row["place"][1])) for row in rows)
