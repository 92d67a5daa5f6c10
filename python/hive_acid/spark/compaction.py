"""Compactions, carried out by Spark jobs of a session."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyspark import SparkContext

from hive_acid.compaction.engine import CompactionSpec
from hive_acid.execution.engine import WriteResult
from hive_acid.spark.jvm import run_job


class JvmCompactionEngine:
    """Folds files by a job with a task for each file that is made.

    `find_session` gives the JVM's session whose settings for storage hold.
    """

    def __init__(self, jvm: Any, context: SparkContext, find_session: Callable[[], Any]) -> None:
        self._jvm = jvm
        self._context = context
        self._find_session = find_session

    def compact(self, spec: CompactionSpec) -> WriteResult:
        """See CompactionEngine. Errors of the job keep their JVM type."""
        job = self._jvm.hiveacid.orc.CompactionJob
        what = f"compaction of {spec.table}"
        session = self._find_session()
        return WriteResult.parse(run_job(self._context, what, lambda: job.run(session, spec.to_json())))
