"""Telling what is being fetched or built."""

from __future__ import annotations

import sys
from collections.abc import Callable

Progress = Callable[[str], None]
"""Called with one line at a time."""


def print_progress(message: str) -> None:
    """Tell on standard error what is being fetched or built."""
    sys.stderr.write(f"hive-acid: {message}\n")
    sys.stderr.flush()
