"""Cancelling statements: while they wait or publish, where Spark has no job to cancel, and in their jobs."""

from __future__ import annotations

import logging
import re
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from py4j.java_gateway import is_instance_of
from py4j.protocol import Py4JError
from pyspark import SparkContext

from hive_acid import clock
from hive_acid.bridge.connections import keep_connections_of_others
from hive_acid.bridge.throwables import find_condition_of
from hive_acid.clock import monotonic_ms
from hive_acid.errors import HiveAcidError, build_error
from hive_acid.spark_lines import is_before

JOB_GROUP = "spark.jobGroup.id"
JOB_TAGS = "spark.job.tags"
_CAUSE_DEPTH = 20
_END_POLL_MS = 100
_CANCELLED_JOB = re.compile(r"Job \d+ cancelled\b")
_INTERRUPT_LOG = "KeyboardInterrupt while sending command."
"""Py4j's log of an interrupt, with a stack trace each time that it passes; it is raised all the same."""


@dataclass(eq=False)
class _Running:
    """A statement or scan: the job group and tags of its thread, and why it is to end."""

    group: str | None
    tags: frozenset[str]
    cancelled: threading.Event = field(default_factory=threading.Event)
    reason: str = ""


class Cancellation:
    """Receives cancellations by job group or tag, and ends the pauses of the cancelled statements.

    Spark cancels jobs only: a statement that waits for a lock has none, and would go on to write once it has the lock.
    """

    def __init__(self, context: SparkContext) -> None:
        self._context: Any = context
        self._guard = threading.Lock()
        self._running: set[_Running] = set()
        self._end_reason: str | None = None
        self._own = threading.local()

    def install(self) -> None:
        """Listens to the methods of the context by which Python cancels, and to Ctrl-C."""
        self._listen("cancelJobGroup", lambda group, *_: self._cancel(f"job group {group}", lambda r: r.group == group))
        self._listen("cancelJobsWithTag", lambda tag, *_: self._cancel(f"tag {tag}", lambda r: tag in r.tags))
        self._listen("cancelAllJobs", lambda *_: self._cancel("all jobs", lambda _: True))
        keep_connections_of_others(self._context)
        self._catch_interrupts()

    @contextmanager
    def running(self) -> Iterator[None]:
        """A context in which calls on this thread can be cancelled. Within another one it is part of that.

        Raises HIVE_ACID_CANCELLED once all have been ended for good.
        """
        if getattr(self._own, "running", None) is not None:
            yield
            return
        tags = self._context.getLocalProperty(JOB_TAGS) or ""
        running = _Running(self._context.getLocalProperty(JOB_GROUP), frozenset(filter(None, tags.split(","))))
        self._own.running = running
        with self._guard:
            if self._end_reason is not None:
                self._own.running = None
                raise build_error("HIVE_ACID_CANCELLED", reason=self._end_reason)
            self._running.add(running)
        try:
            yield
        finally:
            self._own.running = None
            with self._guard:
                self._running.discard(running)

    def pause_ms(self, pause_ms: int) -> None:
        """Waits this long. Raises HIVE_ACID_CANCELLED at once if the statement of this thread is cancelled.

        A thread that runs no statement waits to the end.
        """
        running: _Running = getattr(self._own, "running", None) or _Running(None, frozenset())
        if running.cancelled.wait(pause_ms / 1000):
            raise build_error("HIVE_ACID_CANCELLED", reason=running.reason)

    def check(self) -> None:
        """Raises HIVE_ACID_CANCELLED if the statement of this thread, if it runs one, is cancelled."""
        running: _Running | None = getattr(self._own, "running", None)
        if running is not None and running.cancelled.is_set():
            raise build_error("HIVE_ACID_CANCELLED", reason=running.reason)

    def name(self, error: Any) -> HiveAcidError | None:
        """HIVE_ACID_CANCELLED if this exception of the JVM says that a job was cancelled, or its thread interrupted."""
        cause = error
        for _ in range(_CAUSE_DEPTH):
            if cause is None:
                return None
            if _is_cancellation(self._context._gateway, cause):
                return build_error(
                    "HIVE_ACID_CANCELLED", reason=(cause.getMessage() or "it was interrupted").rstrip(".")
                )
            cause = cause.getCause()
        return None

    def cancel_tag(self, tag: str, reason: str) -> None:
        """Cancels the statements whose jobs have this tag."""
        self._end(reason, lambda running: tag in running.tags)

    def cancel_all(self, reason: str) -> None:
        self._end(reason, lambda _: True)

    def end_all(self, reason: str, wait_ms: int) -> None:
        """Cancels all statements with their jobs, refuses later ones, and waits this long at most for their ends.

        One of this thread is not waited for.
        """
        with self._guard:
            self._end_reason = reason
        self.cancel_all(reason)
        until_ms = monotonic_ms() + wait_ms
        while self._others_run() and monotonic_ms() < until_ms:
            self._cancel_jobs()
            clock.pause_ms(_END_POLL_MS)

    def _cancel_jobs(self) -> None:
        """Again and again: a statement that had not seen its cancellation may have begun another one."""
        with suppress(Py4JError, OSError):  # the JVM may be gone, and the jobs with it
            self._context._jsc.sc().cancelAllJobs()

    def _others_run(self) -> bool:
        with self._guard:
            return not self._running <= {getattr(self._own, "running", None)}

    def _catch_interrupts(self) -> None:
        """Ctrl-C in a statement is for the statement, which cancels its jobs over a connection of their own.

        PySpark's handler would do so over this thread's, on which an answer is awaited: py4j logs that as an error.
        """
        if threading.current_thread() is not threading.main_thread():
            return
        handler = signal.getsignal(signal.SIGINT)
        if not callable(handler) or getattr(handler, "__module__", None) != SparkContext.__module__:
            return  # somebody else's
        logging.getLogger().addFilter(_is_news)
        logging.getLogger("py4j").addFilter(_is_news)

        def interrupt(number: int, frame: FrameType | None) -> None:
            if getattr(self._own, "running", None) is None:
                handler(number, frame)
            raise KeyboardInterrupt

        signal.signal(signal.SIGINT, interrupt)

    def _cancel(self, what: str, matches: Callable[[_Running], bool]) -> None:
        self._end(f"{what} was cancelled", matches)

    def _end(self, reason: str, matches: Callable[[_Running], bool]) -> None:
        with self._guard:
            for running in filter(matches, self._running):
                running.reason = reason
                running.cancelled.set()

    def _listen(self, name: str, heard: Callable[..., None]) -> None:
        method = getattr(self._context, name)

        def cancel(*args: Any, **kwargs: Any) -> Any:
            heard(*args, *kwargs.values())
            return method(*args, **kwargs)

        setattr(self._context, name, cancel)


def _is_news(record: logging.LogRecord) -> bool:
    return record.msg != _INTERRUPT_LOG


def _is_cancellation(gateway: Any, error: Any) -> bool:
    if is_instance_of(gateway, error, "java.lang.InterruptedException"):
        return True
    if is_before("4.0"):  # there it is a SparkException without a condition
        is_sparks = bool(is_instance_of(gateway, error, "org.apache.spark.SparkException"))
        return is_sparks and _CANCELLED_JOB.match(error.getMessage() or "") is not None
    return find_condition_of(gateway, error) == "SPARK_JOB_CANCELLED"
