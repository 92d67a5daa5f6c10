"""The compactions of an erasure, several at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from uuid import uuid4

from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from hive_acid.api.conditions import HiveAcidError, MetastoreUnavailable, StatementCancelled
from hive_acid.api.jobs import inheriting, job_tag
from hive_acid.api.sessions import Attachment
from hive_acid.api.tables import TableName
from hive_acid_erasure.engine import Compaction
from hive_acid_erasure.spark.parallel_results import give_as_they_end
from hive_acid_erasure.spark.subject_functions import describe_failure, quiet_jobs

_MOST_AT_ONCE = 8
"""Compactions; each has a task for each of its buckets."""
_COMPACTION_JOBS = "erasure-compactions"


def compact_partitions(
    session: SparkSession, attachment: Attachment, table: TableName, partitions: Sequence[str]
) -> Iterator[Compaction]:
    """A major compaction of each partition, as it ends. They stand in no SQL text: their names may be subjects'.

    Raises HIVE_ACID_CANCELLED, and MetastoreUnavailable if the metastore does not answer.
    """
    context, settings = session.sparkContext, attachment.settings_of(session)
    tag = job_tag(f"{_COMPACTION_JOBS}-{uuid4().hex}")

    def compact_one(partition: str) -> Compaction:
        try:
            done = attachment.compact_anew(table, partition or None, settings)
        except (StatementCancelled, MetastoreUnavailable):
            raise
        except (HiveAcidError, PySparkException, Py4JJavaError) as error:
            return Compaction(partition, None, describe_failure(error))
        return Compaction(partition, done.compaction_id)

    context.addJobTag(tag)
    try:
        with quiet_jobs(context):
            # each has properties of its own: threads that shared them would mix their jobs' tags
            jobs = [inheriting(session, partial(compact_one, name)) for name in partitions]
    finally:
        context.removeJobTag(tag)
    with ThreadPoolExecutor(min(_MOST_AT_ONCE, max(2, context.defaultParallelism))) as threads:
        waiting = [threads.submit(job) for job in jobs]

        def cancel() -> None:
            threads.shutdown(wait=False, cancel_futures=True)
            context.cancelJobsWithTag(tag)

        yield from give_as_they_end(waiting, cancel)
