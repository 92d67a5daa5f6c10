"""What the clients of the concurrency run do, to whatever bears it: append, transfer, insert what is not there yet."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import Protocol

from support.client_history import HistoryFile, Outcome, Reading, Workload, Write

OPENING = dict.fromkeys(range(6), 1000)
"""The bank's accounts and their balances at the beginning."""
APPENDED_ROWS = 4
MAX_AMOUNT = 50
WRITES = 0.7
"""How many of the operations write."""


class Failed(Exception):
    """A write or read that certainly did nothing."""


class Unknown(Exception):
    """A write or read of which nobody can tell whether it did anything."""


class Target(Protocol):
    """A database as one client sees it. All methods raise Failed or Unknown."""

    def append(self, write: Write) -> None:
        """Adds the rows."""
        ...

    def transfer(self, write: Write, in_two: bool) -> None:
        """Moves the amount, in one statement or in a transaction of two, and notes the rows in the journals."""
        ...

    def insert_unique(self, write: Write) -> bool:
        """Adds the rows if nobody has their key; False if somebody has."""
        ...

    def read(self, workload: Workload) -> Reading:
        """Everything."""
        ...


class Client:
    """One client of one workload. What it does follows from its name; tokens are its name with a number."""

    def __init__(self, name: str, workload: Workload, target: Target, history: HistoryFile) -> None:
        self._name = name
        self.workload = workload
        self._target = target
        self._history = history
        self._random = random.Random(name)
        self._highest_key = 0  # that there is, as far as this client knows
        self._tokens: Iterator[str] = (f"{name}.{number}" for number in itertools.count(1))

    def step(self) -> tuple[bool, Outcome]:
        """One operation, and its two lines in the history; whether it was a write, and how it ended."""
        write = self._choose_write() if self._random.random() < WRITES else None
        number = self._history.ask(self.workload, self._name, write)
        reading, reason = None, ""
        try:
            if write is None:
                reading, outcome = self._target.read(self.workload), Outcome.OK
            else:
                outcome = Outcome.OK if self._write(write) else Outcome.NOTHING
        except Failed as error:
            outcome, reason = Outcome.FAILED, str(error)
        except Unknown as error:
            outcome, reason = Outcome.UNKNOWN, str(error)
        self._history.end(number, outcome, reading, reason)
        if outcome in (Outcome.OK, Outcome.NOTHING):
            known = write or reading or Reading(())
            self._highest_key = max((self._highest_key, *(row[0] for row in known.rows)))
        return write is not None, outcome

    def _choose_write(self) -> Write:
        token = next(self._tokens)
        match self.workload:
            case Workload.APPEND:
                return Write(token, tuple((0, token, part) for part in range(APPENDED_ROWS)))
            case Workload.BANK:
                source, destination = self._random.sample(sorted(OPENING), 2)
                rows = ((source, token, 0), (destination, token, 1))
                return Write(token, rows, self._random.randint(1, MAX_AMOUNT))
            case Workload.UNIQUE:
                key = self._highest_key + self._random.choice((-1, 1, 1, 2))  # which others try at the same time
                return Write(token, ((key, token, 0), (key, token, 1)))

    def _write(self, write: Write) -> bool:
        match self.workload:
            case Workload.APPEND:
                self._target.append(write)
            case Workload.BANK:
                self._target.transfer(write, in_two=self._random.random() < 0.5)
            case Workload.UNIQUE:
                return self._target.insert_unique(write)
        return True
