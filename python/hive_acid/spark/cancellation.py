"""Cancelling statements that wait, where Spark has no job to cancel."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from pyspark import SparkContext

from hive_acid.errors import build_error

JOB_GROUP = "spark.jobGroup.id"
JOB_TAGS = "spark.job.tags"


@dataclass(eq=False)
class _Running:
    """A statement or scan: the job group and tags of its thread, and why it is to end."""

    group: str | None
    tags: frozenset[str]
    cancelled: threading.Event = field(default_factory=threading.Event)
    reason: str = ""


class Cancellation:
    """Hears of cancellations by job group or tag, and ends the pauses of the statements that they are meant for.

    Spark cancels jobs only: a statement that waits for a lock has none, and would go on to write once it has the lock.
    """

    def __init__(self, context: SparkContext) -> None:
        self._context: Any = context
        self._guard = threading.Lock()
        self._running: set[_Running] = set()
        self._own = threading.local()

    def install(self) -> None:
        """Listens to the methods of the context by which Python cancels."""
        self._listen("cancelJobGroup", lambda group, *_: self._cancel(f"job group {group}", lambda r: r.group == group))
        self._listen("cancelJobsWithTag", lambda tag, *_: self._cancel(f"tag {tag}", lambda r: tag in r.tags))
        self._listen("cancelAllJobs", lambda *_: self._cancel("all jobs", lambda _: True))

    @contextmanager
    def running(self) -> Iterator[None]:
        """What runs within, on this thread, can be cancelled. Within another one it is part of that."""
        if getattr(self._own, "running", None) is not None:
            yield
            return
        tags = self._context.getLocalProperty(JOB_TAGS) or ""
        running = _Running(self._context.getLocalProperty(JOB_GROUP), frozenset(filter(None, tags.split(","))))
        self._own.running = running
        with self._guard:
            self._running.add(running)
        try:
            yield
        finally:
            self._own.running = None
            with self._guard:
                self._running.discard(running)

    def pause_ms(self, pause_ms: int) -> None:
        """Waits this long. Raises HIVE_ACID_CANCELLED at once if the statement of this thread is cancelled."""
        running: _Running = self._own.running
        if running.cancelled.wait(pause_ms / 1000):
            raise build_error("HIVE_ACID_CANCELLED", reason=running.reason)

    def _cancel(self, what: str, matches: Callable[[_Running], bool]) -> None:
        with self._guard:
            for running in filter(matches, self._running):
                running.reason = f"{what} was cancelled"
                running.cancelled.set()

    def _listen(self, name: str, heard: Callable[..., None]) -> None:
        method = getattr(self._context, name)

        def cancel(*args: Any, **kwargs: Any) -> Any:
            heard(*args, *kwargs.values())
            return method(*args, **kwargs)

        setattr(self._context, name, cancel)
