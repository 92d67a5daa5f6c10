"""A line that says whom a statement waits for, on a terminal and in a notebook; it is gone once the wait is over."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TextIO

from hive_acid_ops.files.text import printable


class WaitingLine:
    """Writes the line, and rewrites it. Blanks clear it: a notebook knows no other way."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._shown = 0

    def __call__(self, text: str | None) -> None:
        """Shows the text; None takes it away."""
        if text is None and not self._shown:
            return
        line = printable(text or "")[: shutil.get_terminal_size().columns - 1]
        blanks = " " * max(0, self._shown - len(line))
        with suppress(OSError, ValueError):  # a terminal that is gone is no matter of the statement's
            self._stream.write(f"\r{line}{blanks}" + ("" if line else "\r"))
            self._stream.flush()
        self._shown = len(line)


def find_listener() -> Callable[[str | None], None] | None:
    """The line on standard error; None where nobody looks at that."""
    is_seen = sys.stderr is not None and (sys.stderr.isatty() or "ipykernel" in sys.modules)
    return WaitingLine(sys.stderr) if is_seen else None
