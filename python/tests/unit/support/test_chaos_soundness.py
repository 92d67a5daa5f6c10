"""The chaos checker finds no fault in histories of a right database, and finds those of wrong ones."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from support.chaos.arena import FIRST_MOVED, PARTED, SLOTS, add, bind, note, overwrite, remove, unbind
from support.chaos.checker import find_faults
from support.chaos.events import Effect, EffectKind, Operation, Reading, Region
from support.chaos.rows import RESIDUES, Place, SeenRow
from support.client_history import Outcome

OPERATIONS = 150
LONGEST = 12.0
"""How long an operation takes, where one begins every second: so many run at a time."""
READS, FAILURES, UNKNOWNS = 0.45, 0.06, 0.04


@dataclass
class Database:
    """One table, whose operations take effect at once."""

    rows: dict[int, tuple[int, Place]] = field(default_factory=dict)
    notes: set[str] = field(default_factory=set)
    is_there: bool = True

    def apply(self, effect: Effect) -> None:
        """Does it."""
        touched = [key for key, (_, place) in self.rows.items() if effect.region.covers(key, place)]
        match effect.kind:
            case EffectKind.ADD:
                self.rows |= {key: (0, PARTED.place_of(key)) for key in effect.keys}
            case EffectKind.REMOVE:
                for key in touched:
                    del self.rows[key]
            case EffectKind.INCREASE:
                self.rows |= {key: (self.rows[key][0] + 1, self.rows[key][1]) for key in touched}
            case EffectKind.MOVE:
                moved = {key: (self.rows[key][0], (effect.moved_to, self.rows[key][1][1])) for key in touched}
                self.rows |= moved
            case EffectKind.UNBIND:
                self.rows, self.notes, self.is_there = {}, set(), False
            case EffectKind.BIND:
                self.is_there = True
            case EffectKind.NOTE:
                self.notes.add(effect.note)

    def read(self) -> list[Reading]:
        """Rows and notes."""
        if not self.is_there:
            return [Reading(PARTED.name)]
        rows = tuple(SeenRow(key, updates, place) for key, (updates, place) in self.rows.items())
        return [Reading(PARTED.name, rows), Reading(PARTED.name, notes=tuple(self.notes))]


def choose(chance: random.Random, number: int) -> list[Effect]:
    """What an operation does."""
    p, q, residue = chance.choice((100, 101)), chance.choice((200, 201)), chance.randrange(RESIDUES)
    options: list[tuple[int, Callable[[], list[Effect]]]] = [
        (30, lambda: [add(PARTED, number)]),
        (4, lambda: overwrite(PARTED, number)),
        (6, lambda: [remove(PARTED, residue=residue)]),
        (4, lambda: [remove(PARTED, p, q)]),
        (2, lambda: [remove(PARTED)]),
        (10, lambda: [Effect(EffectKind.INCREASE, PARTED.name, Region(residue=residue))]),
        (5, lambda: [Effect(EffectKind.MOVE, PARTED.name, Region(p, q), moved_to=FIRST_MOVED + number)]),
        (6, lambda: [note(PARTED, f"chaos.{number}")]),
    ]
    (option,) = chance.choices([make for _, make in options], [weight for weight, _ in options])
    return option()


def simulate(seed: int, database: Database) -> list[Operation]:
    """Operations that overlap, each of which takes effect at a moment between its beginning and its end."""
    chance = random.Random(seed)
    asked: list[tuple[float, Operation, bool]] = [(0.5, _operation(0, 0.0, 1.0, [bind(PARTED)]), True)]
    for number in range(1, OPERATIONS):
        start, end = float(number), number + chance.uniform(0.1, LONGEST)
        moment, fate = chance.uniform(start, end), chance.random()
        if number % 40 == 0:  # another table takes the name: by one client, as whoever holds the guard
            gap = start + 0.3
            asked.append((start + 0.1, _operation(number, start, start + 0.2, [unbind(PARTED)]), True))
            asked.append((gap + 0.1, _operation(-number, gap, gap + 0.2, [bind(PARTED)]), True))
        elif chance.random() < READS:
            asked.append((moment, _operation(number, start, end, []), True))
        elif fate < FAILURES:
            asked.append((moment, _operation(number, start, end, choose(chance, number), Outcome.FAILED), False))
        elif fate < FAILURES + UNKNOWNS:
            moment = chance.uniform(start, end + LONGEST)
            unknown = _operation(number, start, end, choose(chance, number), Outcome.UNKNOWN)
            asked.append((moment, unknown, chance.random() < 0.5))
        else:
            asked.append((moment, _operation(number, start, end, choose(chance, number)), True))
    return [
        _take_effect(operation, happens, database) for _, operation, happens in sorted(asked, key=lambda one: one[0])
    ]


def _operation(
    number: int, start: float, end: float, effects: list[Effect], outcome: Outcome = Outcome.OK
) -> Operation:
    return Operation(number, "c", "…", start, end, outcome, tuple(effects))


def _take_effect(operation: Operation, happens: bool, database: Database) -> Operation:
    if not operation.effects:
        readings = tuple(database.read())
        return Operation(
            operation.number, "c", "read", operation.asked_at, operation.ended_at, Outcome.OK, readings=readings
        )
    if happens:
        writes = any(effect.kind is EffectKind.ADD for effect in operation.effects)
        for effect in operation.effects if database.is_there or not writes else ():
            database.apply(effect)
    return operation


@pytest.mark.parametrize("seed", range(30))
def test_a_right_database_has_no_faults(seed: int) -> None:
    assert [str(fault) for fault in find_faults(simulate(seed, Database()), SLOTS)] == []


class LosesOthersRows(Database):
    """A write takes away the rows of another one with it."""

    def apply(self, effect: Effect) -> None:
        super().apply(effect)
        if effect.kind is EffectKind.ADD and effect.keys[0] % 32 == 0 and len(self.rows) > 4:
            del self.rows[next(key for key in self.rows if key not in effect.keys)]


class BringsBack(Database):
    """What was removed comes back with the next write."""

    def apply(self, effect: Effect) -> None:
        before = dict(self.rows)
        super().apply(effect)
        gone = {key: row for key, row in before.items() if key not in self.rows}
        if effect.kind is EffectKind.ADD:
            self.rows |= getattr(self, "kept", {})
            self.kept: dict[int, tuple[int, Place]] = {}
        elif effect.kind is EffectKind.REMOVE:
            self.kept = gone


class ForgetsNotes(Database):
    """An update stores an older description of the table."""

    def apply(self, effect: Effect) -> None:
        super().apply(effect)
        if effect.kind is EffectKind.INCREASE and self.notes:
            self.notes.pop()


class ForgetsUpdates(Database):
    """Every other update does nothing."""

    def apply(self, effect: Effect) -> None:
        if effect.kind is not EffectKind.INCREASE or (effect.region.residue or 0) % 2:
            super().apply(effect)


@pytest.mark.parametrize(
    ("database", "kinds"),
    [
        (LosesOthersRows, {"lost", "torn"}),
        (BringsBack, {"returned", "reappeared"}),
        (ForgetsNotes, {"note lost"}),
        (ForgetsUpdates, {"miscounted"}),
    ],
)
def test_what_a_wrong_database_does_is_found(database: type[Database], kinds: set[str]) -> None:
    found = [{fault.kind for fault in find_faults(simulate(seed, database()), SLOTS)} for seed in range(12)]
    assert sum(bool(faults & kinds) for faults in found) >= 6, found
