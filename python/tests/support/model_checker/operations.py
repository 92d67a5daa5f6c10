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
    `is_effective` is set where no transaction tells whether it counts.
    """

    effects: tuple[Effect, ...]
    stand: Stand = Stand.NOT_BEGUN
    after: tuple[Operation, ...] = ()
    txn_ids: list[int] = field(default_factory=list)
    is_effective: bool = False

    def apply(self, rows: Rows) -> Rows:
        """The rows afterwards."""
        for effect in self.effects:
            rows = effect.apply(rows)
        return rows

    def __str__(self) -> str:
        return " and ".join(map(str, self.effects))


def find_serial_states(start: Rows, operations: Sequence[Operation]) -> set[Rows]:
    """The rows after the operations, in each order in which none comes before one that was done when it began."""
    return {_apply(start, order) for order in permutations(operations) if _is_possible(order)}


def _is_possible(order: Sequence[Operation]) -> bool:
    places = {id(operation): place for place, operation in enumerate(order)}
    return all(places.get(id(before), -1) < place for place, one in enumerate(order) for before in one.after)


def _apply(rows: Rows, operations: Iterable[Operation]) -> Rows:
    for operation in operations:
        rows = operation.apply(rows)
    return rows
