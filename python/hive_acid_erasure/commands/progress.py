"""The step that a command is at, shown on the standard error of a terminal; nothing is shown where there is none."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn


@contextmanager
def told() -> Iterator[Callable[[str], None]]:
    """A function that shows what is done at the moment, with the time since the first word, within the context."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    keeps_output = sys.stdout.isatty()  # what is printed into a file or pipe stays there
    disable = not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=disable, redirect_stdout=keeps_output) as bars:
        task = bars.add_task("begin", total=None)
        yield lambda text: bars.update(task, description=text)
