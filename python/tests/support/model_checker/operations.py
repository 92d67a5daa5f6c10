"""What clients do to rows, and in which orders it may have been done."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import permutations

from support.model_checker.effects import Effect
from support.model_checker.rows import Rows


class Stand(Enum):
    """What became of an operation, as its client knows."""

    NOT_BEGUN = "not begun"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


@dataclass(eq=False)
class Operation:
    """Something that changes rows at once or not at all: `effects` one after the other.

    `after` are the operations that were done before it began, `txn_ids` the transactions that were opened for it.
    `is_effective` is set where no transaction tells whether it counts. `place` is that among all commits, None if it
    has none. `is_ours`: it is done by a client of ours.
    """

    effects: tuple[Effect, ...]
    stand: Stand = Stand.NOT_BEGUN
    after: tuple[Operation, ...] = ()
    txn_ids: list[int] = field(default_factory=list)
    is_effective: bool = False
    place: int | None = None
    is_ours: bool = True

    @property
    def replaces(self) -> bool:
        """True if it replaces all rows of a place, whatever they are."""
        return any(effect.kind.replaces for effect in self.effects)

    def must_precede(self, other: Operation) -> bool:
        """True if it was done when the other one began, or was committed before it where one of both replaces rows.

        So what was inserted after an overwrite stays, and what was inserted before goes. That is a promise of ours
        alone: what Hive inserts may go with an overwrite that it has begun before.
        """
        if self in other.after:
            return True
        if self.place is None or other.place is None or not (self.replaces or other.replaces):
            return False
        return other.is_ours and self.place < other.place

    def apply(self, rows: Rows) -> Rows:
        """The rows afterwards."""
        for effect in self.effects:
            rows = effect.apply(rows)
        return rows

    def __str__(self) -> str:
        return " and ".join(map(str, self.effects))


def find_serial_states(start: Rows, operations: Sequence[Operation]) -> set[Rows]:
    """The rows after the operations, in each order that they may have been done in."""
    return {_apply(start, order) for order in permutations(operations) if _is_possible(order)}


def _is_possible(order: Sequence[Operation]) -> bool:
    return not any(later.must_precede(one) for place, one in enumerate(order) for later in order[place + 1 :])


def _apply(rows: Rows, operations: Iterable[Operation]) -> Rows:
    for operation in operations:
        rows = operation.apply(rows)
    return rows
