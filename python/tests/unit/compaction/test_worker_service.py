"""A service of workers does what is in the queue, survives what fails, and stops when a compaction is done."""

from __future__ import annotations

import argparse
import json
import signal
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest

from hive_acid.compaction.queue.compaction_outcome import CompactionOutcome
from hive_acid.errors import build_error
from hive_acid.metastore.compaction_types import CompactionJob, CompactionKind
from hive_acid.model.table import TableName
from hive_acid.wire.write_spec import WriteResult, WrittenFolder
from hive_acid_ops.commands import worker
from hive_acid_ops.worker_service import COMPACTED, FAILED, REFUSED, Report, Service

TABLE = TableName("db", "t")
DONE = CompactionOutcome(
    TABLE, "d=1", CompactionKind.MAJOR, WriteResult((WrittenFolder("base_0000003_v0000009", 5, 70, ("f",)),)), True
)
NOTHING = CompactionOutcome(TABLE, None, CompactionKind.MINOR, WriteResult(), False)
JOB = CompactionJob(1, TABLE, CompactionKind.MAJOR, None, None, None, "spark-host-1")
UNAVAILABLE = build_error("HIVE_ACID_METASTORE_UNAVAILABLE", uri="u", method="m", reason="down")
REFUSED_CALL = build_error(
    "HIVE_ACID_METASTORE_REFUSED", uri="u", method="open_txns", reason="Maximum allowed number of open transactions"
)


@dataclass
class FakeWorker:
    """Gives what is queued by pool; errors are raised. `refusals` are raised first, before anything is taken.

    `dead` are what each look at the dead finds, one after the other.
    """

    queues: dict[str | None, list[CompactionOutcome | Exception]]
    asked: list[str | None] = field(default_factory=list)
    refusals: list[Exception] = field(default_factory=list)
    dead: list[list[int]] = field(default_factory=list)

    def fail_dead(self) -> list[int]:
        return self.dead.pop(0) if self.dead else []

    def run_next(
        self, pool: str | None, find_reason: Callable[[CompactionJob], str | None]
    ) -> CompactionOutcome | None:
        self.asked.append(pool)
        if self.refusals:
            raise self.refusals.pop(0)
        queue = self.queues.get(pool)
        if not queue:
            return None
        assert find_reason(JOB) is None
        found = queue.pop(0)
        if isinstance(found, Exception):
            raise found
        return found


class Stop(threading.Event):
    """Counts the pauses, and ends them at once."""

    pauses = 0

    def wait(self, timeout: float | None = None) -> bool:
        self.pauses += 1
        return self.is_set()


@dataclass
class Told:
    reports: list[Report] = field(default_factory=list)
    troubles: list[Exception] = field(default_factory=list)
    dead: list[int] = field(default_factory=list)

    def serve(
        self,
        worker: FakeWorker,
        pools: Sequence[str | None] = (None,),
        stop: threading.Event | None = None,
        once: bool = True,
        then: Callable[[], None] = lambda: None,
    ) -> None:
        def report(found: Report) -> None:
            self.reports.append(found)
            then()

        service = Service(
            pools, 0.001, stop or threading.Event(), lambda: 0, report, self.troubles.append, self.dead.append
        )
        service.run([worker], once)


def test_pools_are_served_in_their_order_until_none_has_anything_left() -> None:
    told, worker = Told(), FakeWorker({"a": [DONE], None: [NOTHING]})
    told.serve(worker, ["a", None])
    assert [report.state for report in told.reports] == [COMPACTED, REFUSED]
    assert worker.asked == ["a", "a", None, "a", None]


@pytest.mark.parametrize("error", [RuntimeError("no space left"), build_error("HIVE_ACID_INTERNAL", reason="x")])
def test_a_failure_is_reported_and_the_next_is_done(error: Exception) -> None:
    told = Told()
    told.serve(FakeWorker({None: [error, DONE]}))
    assert [report.state for report in told.reports] == [FAILED, COMPACTED]
    assert str(error) in told.reports[0].reason


def test_a_queue_that_does_not_answer_is_asked_again() -> None:
    told, stop = Told(), threading.Event()
    told.serve(FakeWorker({None: [UNAVAILABLE, DONE]}), stop=stop, once=False, then=stop.set)
    assert told.troubles == [UNAVAILABLE]
    assert [report.state for report in told.reports] == [COMPACTED]


@pytest.mark.parametrize("refusal", [REFUSED_CALL, KeyError("5")])
def test_a_queue_that_gives_out_nothing_is_no_failed_compaction_and_ends_a_single_round(refusal: Exception) -> None:
    """The entry waits as before: asked for at once, it would be refused for ever."""
    told, worker = Told(), FakeWorker({None: [DONE]}, refusals=[refusal] * 3)
    told.serve(worker)
    assert (told.reports, told.troubles, worker.asked) == ([], [refusal], [None])


def test_there_is_a_pause_before_a_queue_that_gave_out_nothing_is_asked_again() -> None:
    told, stop = Told(), Stop()
    told.serve(FakeWorker({None: [DONE]}, refusals=[REFUSED_CALL] * 2), stop=stop, once=False, then=stop.set)
    assert (told.troubles, stop.pauses) == ([REFUSED_CALL] * 2, 2)
    assert [report.state for report in told.reports] == [COMPACTED]


def test_it_stops_after_the_compaction_that_has_begun() -> None:
    told, stop = Told(), threading.Event()
    worker = FakeWorker({None: [DONE, DONE]})
    told.serve(worker, stop=stop, once=False, then=stop.set)
    assert len(told.reports) == 1
    assert len(worker.queues[None]) == 1


def test_one_that_runs_on_gives_up_what_others_had_begun_that_die_meanwhile() -> None:
    """A worker that is started again at once finds the transaction of the one before still open."""
    told, stop = Told(), threading.Event()
    worker = FakeWorker({None: [DONE]}, refusals=[REFUSED_CALL], dead=[[], [7]])
    told.serve(worker, stop=stop, once=False, then=stop.set)
    assert told.dead == [7]


def test_a_single_round_looks_for_the_dead_before_it_takes_anything() -> None:
    told = Told()
    told.serve(FakeWorker({None: []}, dead=[[5, 6]]))
    assert told.dead == [5, 6]


def test_a_report_reads_well() -> None:
    report = Report(COMPACTED, 12, DONE)
    assert report.format_text() == "db.t d=1: major compacted: base_0000003_v0000009 (5 rows, 70 bytes, 12 ms)"
    assert json.loads(report.format_json())["folders"] == ["base_0000003_v0000009"]
    assert Report(FAILED, 1, reason="full").format_text() == "failed: full"


@pytest.mark.parametrize(
    ("queued", "code"), [([DONE], 0), ([NOTHING], 0), ([RuntimeError("no space left")], 2), ([UNAVAILABLE], 2)]
)
def test_once_fails_if_a_compaction_did_or_the_queue_did_not_answer(
    queued: list[CompactionOutcome | Exception], code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    chosen = argparse.Namespace(pools="", once=True, json=False, metrics=None)
    assert worker.Serving(chosen, lambda: None).run([FakeWorker({None: queued})]) == code
