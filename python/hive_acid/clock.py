"""The clocks of this machine, and waiting: what everything that needs time is given, so that tests give it another."""

from __future__ import annotations

import time
from typing import Final

_CLOCK: Final[int] = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
"""Linux's other clock stands still while the machine sleeps, and a metastore's time-outs do not."""


def monotonic_ms() -> int:
    """Milliseconds since an arbitrary moment; the clock never goes back."""
    return time.clock_gettime_ns(_CLOCK) // 1_000_000


def wall_clock_ms() -> int:
    """Milliseconds since 1970-01-01 00:00 UTC."""
    return time.time_ns() // 1_000_000


def pause_ms(duration_ms: int) -> None:
    """Waits so many milliseconds; only a signal ends the wait earlier."""
    time.sleep(duration_ms / 1000)
