"""What a schedule can choose, and where a client stands in a run."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

from support.model_checker.footprints import Footprint


class Act(Enum):
    """What a schedule does ahead of a call, instead of letting the client go on that is at it."""

    SWITCH = "switch"
    KILL = "kill"
    ABORT = "abort"


class Choice(NamedTuple):
    """`act` on the client at the point `at`; points are counted from 0 over all clients."""

    at: int
    act: Act
    client: int


Schedule = tuple[Choice, ...]


class Option(NamedTuple):
    """A choice that could be made. `is_preemption`: it takes the turn from a client that could go on."""

    choice: Choice
    is_preemption: bool = False

    @property
    def is_fault(self) -> bool:
        return self.choice.act is not Act.SWITCH


class Phase(Enum):
    """Where a client stands. One that waits lets others go first."""

    READY = "ready"
    WAITING = "waiting"
    ENDED = "ended"
    KILLED = "killed"


@dataclass
class Client:
    """One client's place in a run.

    `past` is a hash of all that it was answered: its own state follows from that. `pending` is the footprint of the
    call that it was about to make when it was put aside; `read` and `written` are what others have since.
    """

    name: str
    body: Callable[[], None]
    turn: threading.Lock = field(default_factory=threading.Lock)
    phase: Phase = Phase.READY
    past: int = 0
    pending: Footprint | None = None
    read: frozenset[int] = frozenset()
    written: frozenset[int] = frozenset()
    error: BaseException | None = None
    is_idle: bool = False

    @property
    def is_missed(self) -> bool:
        """False if it could as well have made its call before it was put aside."""
        return self.pending is None or self.pending.depends_on(self.written, self.read)

    def state(self) -> tuple[Any, ...]:
        """Equal for clients that will do the same."""
        return self.phase, self.past, self.pending, self.read, self.written
