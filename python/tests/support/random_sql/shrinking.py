"""The shortest sequence of steps that still shows a difference, as far as the time reaches."""

from __future__ import annotations

import time
from collections.abc import Callable

from support.random_sql.runner import Difference
from support.random_sql.steps import Segment, Step


def shrink(
    segment: Segment, found: Difference, run: Callable[[Segment], Difference | None], limit_seconds: float
) -> tuple[Segment, Difference]:
    """Leaves out halves, then smaller parts, as long as a difference is left."""
    deadline = time.monotonic() + limit_seconds
    steps, difference = list(segment.steps[: found.step + 1]), found
    size = len(steps) // 2
    while size and time.monotonic() < deadline:
        start, has_shrunk = 0, False
        while start < len(steps) - 1 and time.monotonic() < deadline:
            fewer = _without(steps, start, size)
            shown = run(segment.with_steps(fewer))
            if shown and shown.sort == found.sort:
                steps, difference, has_shrunk = fewer[: shown.step + 1], shown, True
            else:
                start += size
        size = min(size, len(steps)) if has_shrunk and size == 1 else size // 2
    return segment.with_steps(steps), difference


def _without(steps: list[Step], start: int, size: int) -> list[Step]:
    """The last one stays: it is what showed the difference."""
    end = min(start + size, len(steps) - 1)
    return steps[:start] + steps[end:]
