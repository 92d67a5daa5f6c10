"""A line that says what a statement waits for, on a terminal and in a notebook; it is gone once the wait is over."""

from __future__ import annotations

import shutil
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Final, TextIO

from hive_acid.api.statements import Phase
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


_LONG_AFTER_S: Final = 2.0
_WORK: Final[Mapping[Phase, str]] = {
    Phase.PUBLISH: "putting files in place, and telling the metastore of them …",
    Phase.COMMIT: "waiting for the metastore to commit …",
}
"""A wait for a lock has a line of its own, and Spark shows bars for its jobs."""


class LongPhases:
    """Says on the line what a statement is at, if that takes long; `line` shows a text, and takes it away for None."""

    def __init__(self, line: Callable[[str | None], None], long_after_s: float = _LONG_AFTER_S) -> None:
        self._line = line
        self._long_after_s = long_after_s

    @contextmanager
    def __call__(self, phase: Phase) -> Iterator[None]:
        """The phase lasts as long as the block."""
        if phase not in _WORK:
            yield
            return
        timer = threading.Timer(self._long_after_s, self._line, (_WORK[phase],))
        timer.daemon = True
        try:
            timer.start()
        except RuntimeError:  # no more threads, as at the end of a program: the statement goes on without a line
            yield
            return
        try:
            yield
        finally:
            timer.cancel()
            timer.join()  # it may be writing
            self._line(None)


def find_listener() -> Callable[[str | None], None] | None:
    """The line on standard error; None where nobody looks at that."""
    is_seen = sys.stderr is not None and (sys.stderr.isatty() or "ipykernel" in sys.modules)
    return WaitingLine(sys.stderr) if is_seen else None
