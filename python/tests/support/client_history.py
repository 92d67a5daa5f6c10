"""What clients asked of a database and what came of it, kept line by line in a file: a history to be checked.

A line is written and flushed when an operation is asked for, and another when its end is known, so that the file tells
the truth whoever ends when: an operation without a second line may or may not have happened.
"""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing_extensions import Self

Row = tuple[int, str, int]
"""A place (an account, a key, 0), the token of the write it came from, and its number in the write."""


class Workload(Enum):
    """What a client does; each has a table of its own."""

    APPEND = "append"
    BANK = "bank"
    UNIQUE = "unique"


class Outcome(Enum):
    """How an operation ended, as its client was told."""

    OK = "ok"
    NOTHING = "nothing"
    """It ended well and said that it had found nothing to do."""
    FAILED = "failed"
    """A named error, by which certainly nothing happened."""
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Write:
    """A write by its token, of which there is one. All of `rows` come to be seen at once, or none.

    A transfer of the bank moves `amount` from the account of its first row to that of its second.
    """

    token: str
    rows: tuple[Row, ...]
    amount: int = 0


@dataclass(frozen=True)
class Reading:
    """What a read found, in any order, repeated rows and all; `balances` of accounts, in the bank."""

    rows: tuple[Row, ...]
    balances: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Operation:
    """A write, or a read with what it found (None: it failed). Times are seconds of one clock.

    `ended_at` is infinite where the end was never told.
    """

    workload: Workload
    client: str
    asked_at: float
    ended_at: float
    outcome: Outcome
    write: Write | None = None
    reading: Reading | None = None
    reason: str = ""


class HistoryFile:
    """Writes a history; from many threads."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._file = path.open("w", encoding="utf-8")
        self._clock = clock
        self._guard = threading.Lock()
        self._asked = 0

    def ask(self, workload: Workload, client: str, write: Write | None) -> int:
        """Notes that an operation begins; its number."""
        asked = None if write is None else {"token": write.token, "rows": write.rows, "amount": write.amount}
        with self._guard:
            self._asked += 1
            number = self._asked
            self._put(number, {"workload": workload.value, "client": client, "write": asked})
        return number

    def end(self, number: int, outcome: Outcome, reading: Reading | None = None, reason: str = "") -> None:
        """Notes how it ended."""
        found = None if reading is None else {"rows": reading.rows, "balances": reading.balances}
        with self._guard:
            self._put(number, {"outcome": outcome.value, "reading": found, "reason": reason})

    def _put(self, number: int, line: dict[str, Any]) -> None:
        self._file.write(json.dumps({"number": number, "at": self._clock(), **line}) + "\n")
        self._file.flush()

    def close(self) -> None:
        """Closes the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_history(path: Path) -> list[Operation]:
    """The operations of a file, in the order in which they were asked for."""
    asked: dict[int, dict[str, Any]] = {}
    ended: dict[int, dict[str, Any]] = {}
    for text in path.read_text(encoding="utf-8").splitlines(keepends=True):
        if text.endswith("\n"):  # else its writer was killed in the midst of it
            line = json.loads(text)
            (asked if "workload" in line else ended)[line["number"]] = line
    never = {"at": math.inf, "outcome": Outcome.UNKNOWN.value, "reading": None, "reason": "never told"}
    return [_operation(line, ended.get(number, never)) for number, line in asked.items()]


def _operation(asked: dict[str, Any], ended: dict[str, Any]) -> Operation:
    write, reading = asked["write"], ended["reading"]
    return Operation(
        Workload(asked["workload"]),
        asked["client"],
        asked["at"],
        ended["at"],
        Outcome(ended["outcome"]),
        write and Write(write["token"], _rows(write["rows"]), write["amount"]),
        reading and Reading(_rows(reading["rows"]), tuple((account, sum_) for account, sum_ in reading["balances"])),
        ended["reason"],
    )


def _rows(rows: list[list[Any]]) -> tuple[Row, ...]:
    return tuple((place, token, part) for place, token, part in rows)
