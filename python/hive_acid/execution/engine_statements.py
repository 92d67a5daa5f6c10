"""The end of a statement of the engine's own: its locks stay until the engine has ended, too.

An interrupt ends the wait for the engine and not the engine, which cannot be stopped in the midst of a call to the
metastore or between two partitions. Somebody who got the lock meanwhile would write into a partition that is about to
be dropped.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from hive_acid.older_python import add_note

LOG = logging.getLogger(__name__)
_POLL_MS = 100
_LONGEST_WAIT_MS = 10_000
"""After an interrupt, from which somebody expects something; afterwards another thread waits."""

IsRunning = Callable[[], bool]
"""Tells, after an interrupt, whether the engine is still at its statement. One that it has told of as not running does
not begin.
"""


def is_never_running() -> bool:
    """The answer of an engine whose statements cannot be interrupted."""
    return False


def end_after(
    is_running: IsRunning, end: Callable[[], object], error: BaseException, pause_ms: Callable[[int], None]
) -> None:
    """Calls `end` once the engine has ended its statement, whose call failed with `error`.

    That is at once, or if it takes long on another thread: then `error` gets a note. Raises what `end` raises in the
    former case. `pause_ms` waits so many of them.
    """
    if _ends_soon(is_running, pause_ms):
        end()
        return
    add_note(error, "The statement itself goes on, and its locks are held until it has ended.")
    arguments = (is_running, end, pause_ms)
    threading.Thread(target=_end_later, args=arguments, name="hive-acid-own-command", daemon=True).start()


def _ends_soon(is_running: IsRunning, pause_ms: Callable[[int], None]) -> bool:
    """False also after one more interrupt."""
    try:
        for _ in range(_LONGEST_WAIT_MS // _POLL_MS):
            if not is_running():
                return True
            pause_ms(_POLL_MS)
    except KeyboardInterrupt:
        LOG.info("the statement that was interrupted still runs")
    return False


def _end_later(is_running: IsRunning, end: Callable[[], object], pause_ms: Callable[[int], None]) -> None:
    try:
        while is_running():
            pause_ms(_POLL_MS)
        end()
    except BaseException:
        LOG.exception("a statement that was interrupted has ended, and its transaction could not be")
