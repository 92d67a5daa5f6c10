"""What all clients of a chaos run share: the tables' names, the history, numbers that are given out once."""

from __future__ import annotations

import itertools
import random
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from support.chaos.events import Answer, ChaosHistory, Effect, EffectKind, Operation, Region
from support.chaos.rows import Slot, keys_of

FLAT, PARTED = Slot("flat", False), Slot("parted", True)
SLOTS = (FLAT, PARTED)
COPIES = "copies"
"""Holds what INSERT … SELECT has read, with the number of the operation; nobody alters it."""
WRITES_PER_CLIENT = 100_000
LIFE = 10
"""So many operations on rows, of all tables, a table lives at least."""
FIRST_MOVED = 1000
"""Values of `p` from here on are made by RENAME PARTITION, each once."""


@dataclass
class Arena:
    """The history and its tables.

    Who alters a table as a whole, or stores its description anew, holds the guard of its name: two such clients undo
    each other in Hive too. Readers and writers, and those who alter partitions in a session, do not ask for it.
    """

    history: ChaosHistory
    scratch: Path
    guards: dict[str, threading.Lock] = field(default_factory=lambda: {slot.name: threading.Lock() for slot in SLOTS})
    moved: list[int] = field(default_factory=list)
    row_operations: int = 0
    """Of the clients that read and write rows, so far."""
    _renewed_at: dict[str, int] = field(default_factory=dict)
    _numbers: itertools.count[int] = field(default_factory=itertools.count)
    _guard: threading.Lock = field(default_factory=threading.Lock)

    def next_number(self) -> int:
        """For names."""
        with self._guard:
            return next(self._numbers)

    def count_row_operation(self) -> None:
        """One more has ended."""
        with self._guard:
            self.row_operations += 1

    def may_renew(self, slot: Slot) -> bool:
        """True, and noted, if there was time to read and write a table before another one takes its name.

        Time is what clients do in it, on whatever machine.
        """
        with self._guard:
            is_time = self.row_operations >= self._renewed_at.get(slot.name, 0) + LIFE
            if is_time:
                self._renewed_at[slot.name] = self.row_operations
            return is_time

    def note_renewal(self, slot: Slot) -> None:
        """A new table's life begins."""
        with self._guard:
            self._renewed_at[slot.name] = self.row_operations


class Actor:
    """A client whose choices follow from the seed and its name."""

    def __init__(self, arena: Arena, name: str, number: int, seed: int) -> None:
        self.arena = arena
        self.name = name
        self.chance = random.Random(f"{seed} {name}")
        self._writes = itertools.count(number * WRITES_PER_CLIENT + 1)

    def next_write(self) -> int:
        """The number of a write of this client's."""
        return next(self._writes)

    def run(
        self, text: str, effects: Sequence[Effect], work: Callable[[Answer], None], number: int | None = None
    ) -> Operation:
        """An operation of this client, kept in the history."""
        chosen = self.arena.history.next_number() if number is None else number
        return self.arena.history.run(chosen, self.name, text, effects, work)

    def note_binding(self, slot: Slot) -> None:
        """Says in the history that there is a table of the name."""

        def work(answer: Answer) -> None:
            answer.reason = "looked"

        self.run(f"{slot.name} is there", [Effect(EffectKind.BIND, slot.name)], work)

    def choose_slot(self) -> Slot:
        """Any."""
        return self.chance.choice(SLOTS)

    def choose_place(self) -> tuple[int, int]:
        """Where rows are written."""
        return self.chance.choice((100, 101)), self.chance.choice((200, 201))


def add(slot: Slot, write: int) -> Effect:
    """Adds the rows of a write."""
    return Effect(EffectKind.ADD, slot.name, keys=keys_of(write))


def remove(slot: Slot, p: int | None = None, q: int | None = None, residue: int | None = None) -> Effect:
    """Removes rows."""
    return Effect(EffectKind.REMOVE, slot.name, Region(p, q, residue))


def overwrite(slot: Slot, write: int) -> list[Effect]:
    """Replaces the partitions that the rows of the write go to."""
    places = sorted({slot.place_of(key) for key in keys_of(write)})
    regions = [remove(slot, *place) for place in places] if slot.is_partitioned else [remove(slot)]
    return [*regions, add(slot, write)]


def unbind(slot: Slot) -> Effect:
    """The table goes from under its name."""
    return Effect(EffectKind.UNBIND, slot.name)


def bind(slot: Slot) -> Effect:
    """A table of the name comes to be."""
    return Effect(EffectKind.BIND, slot.name)


def note(slot: Slot, name: str) -> Effect:
    """A property or a column is set."""
    return Effect(EffectKind.NOTE, slot.name, note=name)
