"""Clients of one world, of which one runs at a time: each call is a point at which another may have its turn.

Each client has a thread, and the baton is handed on only where a schedule says so, or where a client waits or has
ended. A run is the same again for the same choices.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from hive_acid.metastore.types import LockState
from support.model_checker.choices import Act, Choice, Client, Option, Phase, Schedule
from support.model_checker.footprints import LOCKS, TXNS, Footprint, find_footprint, is_private
from support.model_checker.rows import Violation

_IDLE_ROUNDS = 4
"""So often all clients look again, while nothing changes, before they are told to wait for each other."""


_MOST_POINTS = 5_000
"""A run of more is one without an end."""
_ENDING = frozenset({TXNS, LOCKS})
"""What the end of a transaction writes."""


class Killed(BaseException):
    """The process of a client is gone. Nothing that it does afterwards, in `except` or `finally`, reaches the world."""


class Stage(Protocol):
    """What the clients work on."""

    def abort_of(self, client: int) -> bool:
        """An administrator, or the metastore by a time-out, ends the client's transactions. False if it has none."""
        ...

    def has_open(self, client: int) -> bool:
        """True if the client has an open transaction."""
        ...

    def pass_time(self) -> bool:
        """So much that whoever waits for a lock gives up. False if nobody here ought to wait so long."""
        ...


class Watcher(Protocol):
    """Who looks at a run."""

    def at_point(self, run: Run, at: int, find_options: Callable[[], list[Option]]) -> bool:
        """Ahead of each call, and where one of several clients is to go on; the options are what else could be done.

        False ends the run.
        """
        ...

    def at_repetition(self) -> None:
        """The run ends, for another one is the same but for the order of calls that are nothing to each other."""
        ...


class Run:
    """One run of the clients under a schedule. `steps` tells each call with its client."""

    def __init__(self, stage: Stage, bodies: Mapping[str, Callable[[], None]], watcher: Watcher) -> None:
        self.clients = [Client(name, body) for name, body in bodies.items()]
        self.steps: list[tuple[int, str]] = []
        self.current = 0
        self.preemptions = 0
        self.faults = 0
        self.has_changed = True
        self._stage = stage
        self._watcher = watcher
        self._points = 0
        self._idle_rounds = 0
        self._choices: dict[int, Choice] = {}
        self._is_over = False
        self._failure: BaseException | None = None
        self._done = threading.Lock()

    def go(self, schedule: Schedule) -> None:
        """Runs to the end, or until the watcher has seen enough. Raises what the watcher has raised, and Violation."""
        self._choices = {choice.at: choice for choice in schedule}
        self._done.acquire()
        threads = [threading.Thread(target=self._live, args=(n,), daemon=True) for n in range(len(self.clients))]
        for client, thread in zip(self.clients, threads, strict=True):
            client.turn.acquire()
            thread.start()
        first = self._choose(list(range(len(self.clients))))
        if first is not None:
            self._give(first)
        self._done.acquire()
        for thread in threads:
            thread.join()
        if self._failure is not None:
            raise self._failure

    def call(self, number: int, method: str, args: tuple[Any, ...], make: Callable[[], Any]) -> Any:
        """A call of the client; what it is answered."""
        self._refuse_dead(number)
        if is_private(method, args):
            return make()
        client, footprint = self.clients[number], find_footprint(method)
        self._stand_at_point(number, footprint)
        answer: Any = None
        try:
            answer = make()
        except Exception as error:
            answer = f"{type(error).__name__}: {error}"
            raise
        finally:
            client.past = hash((client.past, method, _freeze(answer)))
            self.steps.append((number, method))
            self._note(footprint, is_change=method != "check_lock" or answer is LockState.ACQUIRED)
        return answer

    def wait(self, number: int, *, is_idle: bool = False) -> bool:
        """The client can do nothing until another one has done something.

        False if nothing will come any more for a client that `is_idle`, which waits for work.
        """
        self._refuse_dead(number)
        client = self.clients[number]
        client.phase, client.is_idle = Phase.WAITING, is_idle
        client.past = hash((client.past, "wait"))
        if self._hand_on():
            client.turn.acquire()
        self._refuse_dead(number)
        is_dismissed, client.is_idle = is_idle and self._idle_rounds > 1, False
        return not is_dismissed

    def _refuse_dead(self, number: int) -> None:
        if self._is_over or self.clients[number].phase is Phase.KILLED:
            raise Killed

    def _note(self, footprint: Footprint, *, is_change: bool = True) -> None:
        """What a call has read and written, to those who are put aside or wait."""
        changes = bool(footprint.writes) and is_change
        for other in self.clients:
            if other.pending is not None:
                other.read |= footprint.reads
                other.written |= footprint.writes
            if changes and other.phase is Phase.WAITING:
                other.phase = Phase.READY
        if changes:
            self.has_changed = True
            self._idle_rounds = 0

    def _stand_at_point(self, number: int, footprint: Footprint) -> None:
        """Ahead of a call: what the schedule says is done here, and looked at anew after that."""
        while (choice := self._look(lambda: self._find_options(number, footprint))) is not None:
            if choice.act is Act.SWITCH:
                self.preemptions += 1
                client = self.clients[number]
                client.pending, client.read, client.written = footprint, frozenset(), frozenset()
                self._give(choice.client)
                client.turn.acquire()
                self._refuse_dead(number)
            elif choice.act is Act.ABORT:
                self._end_transactions(choice.client)
                self.faults += 1
            else:
                self.faults += 1
                self.clients[number].phase = Phase.KILLED
                raise Killed

    def _end_transactions(self, client: int) -> None:
        if self._stage.abort_of(client):
            self._note(Footprint(frozenset(), _ENDING))

    def _find_options(self, number: int, ahead: Footprint) -> list[Option]:
        """Ahead of a call of the client with this footprint.

        Whoever is killed ahead of a call that writes nothing might as well be killed after it, and transactions that
        are ended ahead of one that has nothing to do with them might as well be ended after it.
        """
        at, ready = self._points, Phase.READY
        others = [n for n, client in enumerate(self.clients) if n != number and client.phase is ready]
        found = [Option(Choice(at, Act.SWITCH, n), True) for n in others if self.clients[n].is_missed]
        if ahead.writes:
            found.append(Option(Choice(at, Act.KILL, number)))
        if ahead.depends_on(_ENDING, ()):
            with_open = [n for n in range(len(self.clients)) if self._stage.has_open(n)]
            found += [Option(Choice(at, Act.ABORT, n)) for n in with_open]
        return found

    def _look(self, find_options: Callable[[], list[Option]]) -> Choice | None:
        """The choice that the schedule makes at this point. Raises Killed if the run ends here."""
        if self._points >= _MOST_POINTS:
            self._failure = self._failure or Violation("the clients go on for ever")
            self._stop()
            raise Killed
        try:
            goes_on = self._watcher.at_point(self, self._points, find_options)
        except BaseException as error:  # noqa: BLE001 (told to whoever began the run)
            self._failure, goes_on = error, False
        if not goes_on:
            self._stop()
            raise Killed
        choice = self._choices.get(self._points)
        self._points += 1
        return choice

    def _give(self, to: int) -> None:
        self.current = to
        client = self.clients[to]
        client.pending = None
        client.turn.release()

    def _hand_on(self) -> bool:
        """Gives the turn to another client, and says so, or back to the same; the run ends if there is none."""
        giver = self.current
        to = self._choose(self._find_ready(giver))
        if to is None:
            return False
        if to == giver:
            self.clients[to].phase = Phase.READY
            return False
        self._give(to)
        return True

    def _find_ready(self, after: int) -> list[int]:
        """Those that can go on, in turn. If all wait they look again, those who were killed having timed out."""
        count = len(self.clients)
        order = [(after + step) % count for step in range(1, count + 1)]
        ready = [n for n in order if self.clients[n].phase is Phase.READY]
        waiting = [n for n in order if self.clients[n].phase is Phase.WAITING]
        if ready or not waiting:
            return ready
        for number, client in enumerate(self.clients):
            if client.phase is Phase.KILLED:
                self._end_transactions(number)
        self._idle_rounds += 1
        waiting.sort(key=lambda number: self.clients[number].is_idle)
        if self._idle_rounds > _IDLE_ROUNDS and not self._stage.pass_time():
            names = " and ".join(self.clients[n].name for n in sorted(waiting))
            self._failure = self._failure or Violation(f"{names} wait for what never comes")
            return []
        for number in waiting:
            self.clients[number].phase = Phase.READY
        return waiting

    def _choose(self, ready: list[int]) -> int | None:
        """One of them, the first unless the schedule has another. None, and the run is over, if there is none."""
        missed = [number for number in ready if self.clients[number].is_missed]
        if ready and not missed:
            self._watcher.at_repetition()
        if not missed:
            self._stop()
            return None
        if len(missed) == 1:
            return missed[0]
        ready = missed
        at = self._points
        try:
            choice = self._look(lambda: [Option(Choice(at, Act.SWITCH, number)) for number in ready[1:]])
        except Killed:
            return None
        return ready[0] if choice is None else choice.client

    def _live(self, number: int) -> None:
        client = self.clients[number]
        client.turn.acquire()
        try:
            if not self._is_over:
                client.body()
        except Killed:
            pass
        except BaseException as error:  # noqa: BLE001 (a client may end by any error, which is looked at)
            client.error = error
        if self._is_over:
            return
        if client.phase is not Phase.KILLED:
            client.phase = Phase.ENDED
        client.past = hash((client.past, client.phase))
        self._note(Footprint(frozenset(), frozenset()))
        self.has_changed = True
        self._hand_on()

    def _stop(self) -> None:
        """Every client that still stands somewhere is let go, and ends there."""
        self._is_over = True
        for client in self.clients:
            if client.turn.locked():
                client.turn.release()
        self._done.release()


def _freeze(answer: Any) -> Any:
    """Something with a hash that is the same for the same answer."""
    try:
        hash(answer)
    except TypeError:
        return repr(answer)
    return answer
