"""Compactions, carried out by Spark jobs of a session."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pyspark import SparkContext

from hive_acid.bridge.jvm import job_tag, run_reading_job
from hive_acid.compaction.plan.engine import FoldingJob
from hive_acid.wire import codec
from hive_acid.wire.write_spec import WriteResult


@dataclass(frozen=True)
class RunningCompaction:
    """A job of compaction: `parts` are the files that it makes, 0 before Spark knows of it."""

    id: str
    title: str
    parts: int
    parts_done: int


class JvmCompactionEngine:
    """Folds files by a job with a task for each file that is made.

    `find_session` gives the JVM's session whose settings for storage hold.
    """

    def __init__(self, jvm: Any, context: SparkContext, find_session: Callable[[], Any]) -> None:
        self._jvm = jvm
        self._context = context
        self._find_session = find_session
        self._numbers = itertools.count(1)
        self._titles: dict[str, str] = {}
        """Progress of the running compactions by the names of their jobs; threads write different keys."""

    def compact(self, job: FoldingJob) -> WriteResult:
        """Errors of the job keep their JVM type, as far as `run_reading_job` leaves it to them."""
        shim = self._jvm.hiveacid.compact.CompactionJob
        session = self._find_session()
        name = f"compaction-{next(self._numbers)}"
        self._titles[name] = " ".join(filter(None, (str(job.table), job.partition.name)))
        try:
            spec = codec.write(job.message())
            report = run_reading_job(self._context, name, lambda: shim.run(session, spec))
            return codec.read(WriteResult, report)
        finally:
            del self._titles[name]

    def running(self) -> list[RunningCompaction]:
        """The jobs that run now, and how far Spark's listeners have seen them come; from any thread."""
        return [self._look_at(name, title) for name, title in list(self._titles.items())]

    def _look_at(self, name: str, title: str) -> RunningCompaction:
        scala: Any = self._context._jsc
        tracker = scala.sc().statusTracker()
        parts = parts_done = 0
        for job_id in tracker.getJobIdsForTag(job_tag(name)):
            job = tracker.getJobInfo(job_id)
            for stage_id in job.get().stageIds() if job.isDefined() else ():
                stage = tracker.getStageInfo(stage_id)
                if stage.isDefined():
                    parts += stage.get().numTasks()
                    parts_done += stage.get().numCompletedTasks()
        return RunningCompaction(name, title, parts, parts_done)
