"""Processes that die between any two of their calls to metastore and storage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


class Killed(BaseException):
    """The process ends here: nothing of it runs any more."""


@dataclass
class Life:
    """Ends at a call, before that is made, if `calls_left` is given; `calls` are those that were made.

    `watch` runs before each call.
    """

    calls_left: int | None = None
    calls: list[str] = field(default_factory=list)
    watch: Callable[[str], None] = lambda _: None

    def use(self, name: str) -> None:
        if self.calls_left is not None and len(self.calls) >= self.calls_left:
            raise Killed
        self.watch(name)
        self.calls.append(name)


@dataclass
class Mortal:
    """What a process calls as long as it lives."""

    real: Any
    life: Life

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.real, name)
        if not callable(found):
            return found

        def call(*arguments: Any, **named: Any) -> Any:
            self.life.use(name)
            return found(*arguments, **named)

        return call
