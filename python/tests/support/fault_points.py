"""Every call that a statement makes of metastore, files and engine is a step, at which a fault strikes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hive_acid.errors import build_error

METASTORE, FILES, ENGINE = "metastore", "files", "engine"
BACKGROUND = {"heartbeat"}
"""Calls of other threads; no steps of the statement."""


class Killed(BaseException):
    """The process is gone. Nothing that it does afterwards, in `except` or `finally`, reaches the world."""


@dataclass(frozen=True)
class Step:
    """The `nth` call (from 1) of a method; `position` among all calls of the statement, from 0."""

    seam: str
    method: str
    nth: int
    position: int

    def __str__(self) -> str:
        return f"{self.position} {self.seam}.{self.method}" + (f"-{self.nth}" if self.nth > 1 else "")


Call = Callable[[], Any]
Strike = Callable[[Step, Call], Any]
"""Stands in for a call: makes it or not, returns its answer or raises."""


@dataclass
class FaultPoints:
    """The steps of one statement. `strike` stands in for every call from the one at position `at` on."""

    at: int = -1
    strike: Strike | None = None
    is_dead: bool = False
    steps: list[Step] = field(default_factory=list)
    _calls: Counter[str] = field(default_factory=Counter)

    def watch(self, seam: str, real: Any) -> Any:
        """The same object, each method call of which is a step."""
        return _Watched(self, seam, real)

    def restart(self) -> None:
        """The next call is the first step."""
        self.steps.clear()
        self._calls.clear()

    def heal(self) -> None:
        """Everything passes again."""
        self.strike, self.is_dead = None, False

    def kill(self) -> Killed:
        """From now on nothing goes through; to be raised."""
        self.is_dead = True
        return Killed()

    def pass_call(self, seam: str, method: str, call: Call) -> Any:
        """One call, to be made unless a fault strikes."""
        if self.is_dead:
            raise Killed
        if method in BACKGROUND:
            return call()
        self._calls[method] += 1
        step = Step(seam, method, self._calls[method], len(self.steps))
        self.steps.append(step)
        if self.strike is not None and step.position >= self.at:
            return self.strike(step, call)
        return call()


class _Watched:
    def __init__(self, points: FaultPoints, seam: str, real: Any) -> None:
        self._points = points
        self._seam = seam
        self._real = real

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._real, name)
        if not callable(value):
            return value
        return lambda *args, **kwargs: self._points.pass_call(self._seam, name, lambda: value(*args, **kwargs))


def build_failure(step: Step) -> Exception:
    """How a call says that it got no answer, or did not succeed."""
    if step.seam == METASTORE:
        return build_error("HIVE_ACID_METASTORE_UNAVAILABLE", uri="memory", method=step.method, reason="on purpose")
    if step.seam == FILES:
        return build_error("HIVE_ACID_STORAGE", path="/", action=step.method, reason="on purpose")
    return RuntimeError("job failed, on purpose")
