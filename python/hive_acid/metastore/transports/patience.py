"""The time for which a call tries to connect while nobody accepts: a metastore that restarts is back in seconds."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from hive_acid.clock import monotonic_ms, pause_ms

PAUSE_MS = 1_000
"""Between two rounds over all addresses: Hive's default (hive.metastore.client.connect.retry.delay)."""


@dataclass(frozen=True)
class Waits:
    """How a client waits: `pause_ms` waits so many of them, and may raise to end the wait.

    `connect_timeout_ms` is for how long a call tries again to connect if no address accepts.
    """

    pause_ms: Callable[[int], None] = pause_ms
    connect_timeout_ms: int = 0


class Patience:
    """The end of the rounds in which each thread tries to connect.

    It is that of an outage and not of a call: a thread that has waited to the end tries each address once in the calls
    that follow closely, such as those that clean up after the one that has failed.
    """

    def __init__(self, waits: Waits, clock_ms: Callable[[], int] = monotonic_ms) -> None:
        self._limit_ms = waits.connect_timeout_ms
        self._pause_ms = waits.pause_ms
        self._clock_ms = clock_ms
        self._own = threading.local()

    def wait(self, first_try_ms: int) -> bool:
        """Waits before another round; False if there is to be none.

        `first_try_ms` is the time at which the call began to connect. Raises what ends a pause.
        """
        if first_try_ms - getattr(self._own, "last_ms", first_try_ms) > self._limit_ms:
            self.forget()
        began_ms: int = self._own.__dict__.setdefault("began_ms", first_try_ms)
        self._own.last_ms = now_ms = self._clock_ms()
        left_ms = self._limit_ms - (now_ms - began_ms)
        if left_ms <= 0:
            return False
        self._pause_ms(min(PAUSE_MS, left_ms))
        self._own.last_ms = self._clock_ms()
        return True

    def forget(self) -> None:
        """The outage has ended: a connection was made."""
        self._own.__dict__.clear()
