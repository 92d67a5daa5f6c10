"""Waiting for what happens in the background, with an end."""

from __future__ import annotations

import time
from collections.abc import Callable


def eventually(holds: Callable[[], bool], limit_s: float = 30.0) -> bool:
    """True as soon as `holds` is; False if it never was within the limit."""
    end = time.monotonic() + limit_s
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True
