"""A driver that calls Python from outside cancels its calls by the tags of their jobs."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from hive_acid.bridge.cancellation import JOB_TAGS, Cancellation
from hive_acid.errors import HiveAcidError

if TYPE_CHECKING:
    from typing_extensions import Self

LONG_MS = 30_000


class Caller:
    """A thread of the driver's in which a statement waits."""

    def __init__(self, tags: str) -> None:
        jobs = SimpleNamespace(cancelAllJobs=lambda: None)
        context: Any = SimpleNamespace(getLocalProperty={JOB_TAGS: tags}.get, _jsc=SimpleNamespace(sc=lambda: jobs))
        self.cancellation = Cancellation(context)
        self.error: HiveAcidError | None = None
        self.began = threading.Event()
        self.thread = threading.Thread(target=self._wait)

    def _wait(self) -> None:
        with self.cancellation.running():
            self.began.set()
            try:
                self.cancellation.pause_ms(LONG_MS)
            except HiveAcidError as error:
                self.error = error

    def __enter__(self) -> Self:
        self.thread.start()
        assert self.began.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self.cancellation.cancel_all("the test has ended")
        self.thread.join()


def test_a_call_ends_by_its_tag_for_the_reason_that_was_given() -> None:
    with Caller("of a user,call-7") as caller:
        caller.cancellation.cancel_tag("call-77", "another call")
        assert caller.thread.is_alive()
        caller.cancellation.cancel_tag("call-7", "its thread was interrupted")
        caller.thread.join(10)
    assert caller.error is not None
    assert caller.error.getCondition() == "HIVE_ACID_CANCELLED"
    assert "its thread was interrupted" in str(caller.error)


def test_all_calls_end_with_their_application() -> None:
    with Caller("call-1") as caller:
        caller.cancellation.end_all("the driver has ended", LONG_MS)
        caller.thread.join(10)
    assert "the driver has ended" in str(caller.error)


def test_their_jobs_are_cancelled_until_all_have_ended_and_no_call_begins_afterwards() -> None:
    cancelled = threading.Semaphore(0)
    jobs = SimpleNamespace(cancelAllJobs=cancelled.release)
    context: Any = SimpleNamespace(getLocalProperty=lambda _: None, _jsc=SimpleNamespace(sc=lambda: jobs))
    cancellation = Cancellation(context)
    began = threading.Event()

    def run() -> None:
        with cancellation.running():
            began.set()
            for _ in range(2):  # the first one came before its job
                assert cancelled.acquire(timeout=10)

    thread = threading.Thread(target=run)
    thread.start()
    assert began.wait(10)
    cancellation.end_all("the application ends", LONG_MS)
    thread.join(10)
    assert not thread.is_alive()
    with pytest.raises(HiveAcidError, match="the application ends"), cancellation.running():
        pass


def test_a_call_that_ends_the_application_itself_is_not_waited_for() -> None:
    cancellation = Caller("call-1").cancellation
    with cancellation.running():
        cancellation.end_all("the application ends", LONG_MS)


def test_a_call_that_nobody_cancels_goes_on() -> None:
    cancellation = Caller("call-1").cancellation
    with cancellation.running():
        cancellation.cancel_tag("call-2", "another call")
        cancellation.check()
        cancellation.cancel_tag("call-1", "meant")
        with pytest.raises(HiveAcidError):
            cancellation.check()
