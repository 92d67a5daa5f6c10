"""The phases of a writing statement, in the words of who waits for it, and how long each took."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from enum import Enum

from hive_acid.wire.statements import PhaseTimes, Statement
from hive_acid.wire.write_spec import RowCounts


class Phase(Enum):
    """A phase of a writing statement; the values are the fields of `PhaseTimes`."""

    SNAPSHOT = "snapshot"
    LOCK_WAIT = "lock_wait"
    WRITE = "write"
    PUBLISH = "publish"
    COMMIT = "commit"


@dataclass
class Watch:
    """The course of a statement, or of several that run as one, with all attempts to run it.

    `passed` are its phases with their begin and end by `clock_ms`, which gives milliseconds; a phase can come again.
    `txn_id` is that of the last attempt. At the end there is `counts` or an `error`. Phases run within `follow`.
    """

    clock_ms: Callable[[], int]
    statements: Sequence[Statement] = ()
    follow: Callable[[Phase], AbstractContextManager[object]] = lambda _: nullcontext()
    passed: list[tuple[Phase, int, int]] = field(default_factory=list)
    txn_id: int | None = None
    counts: RowCounts | None = None
    error: BaseException | None = None

    @contextmanager
    def during(self, phase: Phase | None) -> Iterator[None]:
        """The block is of this phase, also if it raises; None: of none."""
        began_ms = self.clock_ms()
        try:
            with self.follow(phase) if phase else nullcontext():
                yield
        finally:
            if phase:
                self.passed.append((phase, began_ms, self.clock_ms()))

    def sum_up(self) -> PhaseTimes:
        """The time in each phase."""
        sums = dict.fromkeys((phase.value for phase in Phase), 0)
        for phase, began_ms, ended_ms in self.passed:
            sums[phase.value] += ended_ms - began_ms
        return PhaseTimes(**sums)
