"""A search over the schedules of a model, with bounds on preemptions and faults, which looks at the world at each step.

Schedules with fewer choices come first. A state that was met before with at least as many preemptions left is not gone
on from: clients whose calls were answered alike do the same.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from support.model_checker.actors import Actor
from support.model_checker.choices import Act, Option, Phase, Schedule
from support.model_checker.operations import Stand, find_serial_states
from support.model_checker.rows import Rows, Violation
from support.model_checker.schedule import Run
from support.model_checker.world import START, Setting, World

BuildActor = Callable[[World, int], Actor]


@dataclass(frozen=True)
class Bounds:
    """Of a search. `runs`: after so many it ends, None: when all is done. `acts` are the kinds of faults."""

    preemptions: int = 2
    faults: int = 0
    runs: int | None = None
    acts: tuple[Act, ...] = (Act.KILL, Act.ABORT)


@dataclass
class Found:
    """What a search has come to: numbers of runs and of different states, and the first violation with its schedule."""

    runs: int = 0
    states: int = 0
    is_whole: bool = True
    violation: BaseException | None = None
    schedule: Schedule = ()
    steps: Sequence[tuple[int, str]] = ()

    @property
    def told(self) -> list[tuple[int, tuple[int, str]]]:
        """The calls where another client than before begins to act, and the last one, with their numbers."""
        steps = list(enumerate(self.steps))
        turns = [one for one in steps if one[0] == 0 or self.steps[one[0] - 1][0] != one[1][0]]
        return [*turns, *steps[-1:]]


@dataclass
class Search:
    """Of one model: `builders` make its actors, by name."""

    setting: Setting
    builders: dict[str, BuildActor]
    bounds: Bounds = field(default_factory=Bounds)
    seed: int | None = None

    def __post_init__(self) -> None:
        self.found = Found()
        self._seen: dict[object, int] = {}
        self._rows: dict[object, Rows | BaseException] = {}
        self._waiting: deque[Schedule] = deque([()])

    def run(self) -> Found:
        """Until all schedules within the bounds are done, or one shows a violation."""
        order = random.Random(self.seed) if self.seed is not None else None
        while self._waiting:
            if self.bounds.runs is not None and self.found.runs >= self.bounds.runs:
                self.found.is_whole = False
                break
            if order is not None:
                self._waiting.rotate(order.randrange(len(self._waiting)))
            schedule = self._waiting.popleft()
            self.found.runs += 1
            attempt = Attempt(self, schedule)
            try:
                attempt.go()
            except Exception as error:  # noqa: BLE001 (whatever it is, it is what was looked for)
                self.found.violation, self.found.schedule = error, schedule
                self.found.steps = attempt.run.steps
                break
        self.found.states = len(self._seen)
        return self.found

    def is_new(self, state: object, preemptions: int) -> bool:
        """Notes the state. False if it was met before with no more preemptions."""
        known = self._seen.get(state)
        if known is not None and known <= preemptions:
            return False
        self._seen[state] = preemptions
        return True

    def add(self, schedule: Schedule) -> None:
        """To be run later."""
        self._waiting.append(schedule)

    def read(self, world: World) -> Rows | BaseException | None:
        """What a fresh reader sees: rows, nothing if it would have to wait, or its error."""
        if world.is_closed_to_readers():
            return None
        view = world.view()
        if view not in self._rows:
            try:
                self._rows[view] = world.read()
            except Exception as error:  # noqa: BLE001 (told with the schedule)
                self._rows[view] = error
        return self._rows[view]


class Attempt:
    """One run of a search: looks at each point behind the schedule's last choice, at all of them if it `is_alone`."""

    def __init__(self, search: Search, schedule: Schedule, *, is_alone: bool = False) -> None:
        self._search = search
        self._is_alone = is_alone
        self._schedule = schedule
        self._from = schedule[-1].at + 1 if schedule and not is_alone else 0
        self.world = World(search.setting)
        self.actors = [build(self.world, n) for n, build in enumerate(search.builders.values())]
        bodies = {name: actor.act for name, actor in zip(search.builders, self.actors, strict=True)}
        self.run = self.world.run = Run(self.world, bodies, self)
        self._fingerprint = 0
        self._was_pruned = False

    def go(self) -> None:
        """Raises what shows that a promise does not hold."""
        self.run.go(self._schedule)
        if self._was_pruned:
            return
        for client in self.run.clients:
            if client.error is not None:
                raise client.error
        self._look()
        self._look_at_end()

    def at_point(self, run: Run, at: int, find_options: Callable[[], list[Option]]) -> bool:
        if at < self._from:
            return True
        self._look()
        if self._is_alone:
            return True
        clients = tuple(client.state() for client in run.clients)
        state = (self._fingerprint, clients, run.current, run.faults)
        if not self._search.is_new(state, run.preemptions):
            self._was_pruned = True
            return False
        for option in find_options():
            if self._is_within(option):
                self._search.add((*self._schedule, option.choice))
        return True

    def at_repetition(self) -> None:
        self._was_pruned = True

    def _is_within(self, option: Option) -> bool:
        bounds = self._search.bounds
        if option.is_fault:
            return self.run.faults < bounds.faults and option.choice.act in bounds.acts
        return not option.is_preemption or self.run.preemptions < bounds.preemptions

    def _look(self) -> None:
        """A fresh reader sees a state of some serial order of what counts, and nothing else."""
        if not self.run.has_changed:
            return
        self.run.has_changed = False
        self._fingerprint = self.world.fingerprint()
        rows = self._search.read(self.world)
        if isinstance(rows, BaseException):
            raise rows
        if rows is None:
            return
        committed = self.world.find_committed()
        possible = find_serial_states(START, committed)
        if rows not in possible:
            names = ", ".join(map(str, committed)) or "nothing"
            shown = " or ".join(str(_show(one)) for one in sorted(possible))
            raise Violation(f"after {names} a reader sees {_show(rows)}, not {shown}")
        for operation in self.world.operations:
            if operation.stand is Stand.FAILED and operation in committed:
                raise Violation(f"{operation} has failed, and its rows count")

    def _look_at_end(self) -> None:
        """Nothing is open and nothing is locked, once those who were killed have timed out."""
        for number, client in enumerate(self.run.clients):
            if client.phase is Phase.KILLED:
                self.world.abort_of(number)
        if self.world.open_transactions():
            raise Violation(f"transactions {self.world.open_transactions()} are open at the end")
        if self.world.memory.held_locks():
            raise Violation(f"{self.world.memory.held_locks()[0]} is held at the end")
        self.run.has_changed = True
        self._look()


def _show(rows: Rows) -> list[tuple[int, int]]:
    return [tuple(row) for row in rows]
