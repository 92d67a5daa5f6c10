"""Doing again what others who write at the same time have made fail."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from hive_acid.api.conditions import find_retryable

T = TypeVar("T")

ATTEMPTS = 6
_FIRST_PAUSE_MS = 1_000


def try_until_won(
    attempt: Callable[[], T], title: str, pause_ms: Callable[[int], None], tell: Callable[[str], None]
) -> T:
    """The result of `attempt`, which leaves nothing when it fails.

    Each pause between attempts is twice as long as the one before, so that a writer with many small transactions comes
    to an end. `tell` hears `title` and the condition. The last attempt's error is raised, and any other that is no
    lost race.
    """
    for number in range(1, ATTEMPTS):
        try:
            return attempt()
        except Exception as error:
            condition = find_retryable(error)
            if condition is None:
                raise
        tell(f"{title}: lost against another writer ({condition}), tried again: {number + 1} of {ATTEMPTS}")
        pause_ms(_FIRST_PAUSE_MS << number - 1)
    return attempt()
