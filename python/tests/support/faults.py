"""Faults on purpose: a metastore whose answers fail to arrive, and time that passes only when told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from hive_acid.errors import build_error
from hive_acid.metastore.protocol import Metastore
from hive_acid.transactions.locks import Timing


class Clock:
    """Milliseconds that pass only by `pause_ms` or by hand; `after_pause` runs after each pause."""

    def __init__(self) -> None:
        self.now_ms = 1_000_000
        self.after_pause: Callable[[], None] | None = None

    def __call__(self) -> int:
        return self.now_ms

    def pause_ms(self, pause_ms: int) -> None:
        self.now_ms += pause_ms
        if self.after_pause:
            self.after_pause()

    @property
    def timing(self) -> Timing:
        return Timing(self, self.pause_ms, self.pause_ms)


class Lost(Enum):
    """What is lost of a call: the request (nothing happened), or the answer (it happened)."""

    REQUEST = "request"
    ANSWER = "answer"


@dataclass
class FaultyMetastore:
    """Passes calls on to `real`; the `nth` call (from 1) of `method` is lost, or all from then on if `forever`.

    `calls` records the methods called; `before` runs a hook ahead of the first call of a method.
    """

    real: Metastore
    method: str = ""
    lost: Lost = Lost.REQUEST
    nth: int = 1
    forever: bool = False
    calls: list[str] = field(default_factory=list)
    before: dict[str, Callable[[], None]] = field(default_factory=dict)

    @property
    def line(self) -> Any:
        return self.real.line

    @property
    def version(self) -> str:
        return self.real.version

    @property
    def uri(self) -> str:
        return self.real.uri

    def __getattr__(self, name: str) -> Any:
        real = getattr(self.real, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            if hook := self.before.pop(name, None):
                hook()
            self.calls.append(name)
            seen = self.calls.count(name)
            strikes = name == self.method and (seen == self.nth or (self.forever and seen > self.nth))
            if strikes and self.lost is Lost.REQUEST:
                raise self._unavailable(name)
            answer = real(*args, **kwargs)
            if strikes:
                raise self._unavailable(name)
            return answer

        return call

    def _unavailable(self, name: str) -> Exception:
        return build_error("HIVE_ACID_METASTORE_UNAVAILABLE", uri=self.uri, method=name, reason="on purpose")
