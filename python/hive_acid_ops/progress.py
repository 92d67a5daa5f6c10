"""How far long work is, shown on the standard error of a terminal; nothing is shown where there is none."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol, TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

T = TypeVar("T")

_REFRESH_S = 0.5


class Work(Protocol):
    """Something that runs, in parts; two with the same `id` are one."""

    @property
    def id(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def parts(self) -> int: ...

    @property
    def parts_done(self) -> int: ...


def followed(items: Sequence[T], title: str, console: Console | None = None) -> Iterator[T]:
    """The items, with a bar of how many have been dealt with; the bar is gone after the last."""
    with _bars(console) as bars:
        task = bars.add_task(title, total=len(items))
        for item in items:
            yield item
            bars.advance(task)


@contextmanager
def watched(find_running: Callable[[], Sequence[Work]], console: Console | None = None) -> Iterator[None]:
    """A bar for each work that `find_running` tells of, asked again and again on another thread within the context."""
    with _bars(console) as bars:
        if bars.disable:
            yield
            return
        stop = threading.Event()
        watcher = threading.Thread(
            target=_watch, args=(bars, find_running, stop), name="hive-acid-progress", daemon=True
        )
        watcher.start()
        try:
            yield
        finally:
            stop.set()
            watcher.join()


def _watch(bars: Progress, find_running: Callable[[], Sequence[Work]], stop: threading.Event) -> None:
    tasks: dict[str, TaskID] = {}
    while not stop.wait(_REFRESH_S):
        running = {work.id: work for work in find_running()}
        for id_ in tasks.keys() - running.keys():
            bars.remove_task(tasks.pop(id_))
        for id_, work in running.items():
            if id_ not in tasks:
                tasks[id_] = bars.add_task(work.title, total=None)
            bars.update(tasks[id_], total=work.parts or None, completed=work.parts_done)


def _bars(console: Console | None) -> Progress:
    console = console or Console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(
        *columns,
        console=console,
        transient=True,
        disable=not console.is_terminal,
        redirect_stdout=sys.stdout.isatty(),  # what is printed into a file or pipe stays there
    )
