"""Reads that last: a stream reads the table anew in each batch, a query that is cancelled lets go of it."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
from pyspark import InheritableThread
from pyspark.sql import DataFrame, SparkSession

from integration.conftest import Tables
from support.polling import eventually


@pytest.fixture
def rows(tables: Tables) -> Tables:
    """A table `t` with the rows 1 and 2."""
    tables.create("t")
    tables.sql("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    return tables


def test_the_static_side_of_a_stream_is_read_anew_by_each_batch(
    rows: Tables, spark: SparkSession, tmp_path: Path
) -> None:
    source = tmp_path / "in"
    source.mkdir()
    batches: list[list[tuple[int, str]]] = []

    def keep(batch: DataFrame, _: int) -> None:
        batches.append(sorted((row.id, row.name) for row in batch.collect()))

    stream = spark.readStream.schema("id INT").json(str(source)).join(spark.table("t"), "id")
    query = stream.writeStream.option("checkpointLocation", str(tmp_path / "checkpoint")).foreachBatch(keep).start()
    try:
        (source / "one.json").write_text('{"id": 1}\n{"id": 2}')
        query.processAllAvailable()
        rows.sql("UPDATE t SET name = upper(name) WHERE id = 2")
        (source / "two.json").write_text('{"id": 1}\n{"id": 2}')
        query.processAllAvailable()
    finally:
        query.stop()
    assert [batch for batch in batches if batch] == [[(1, "a"), (2, "b")], [(1, "a"), (2, "B")]]
    assert eventually(lambda: rows.open_transactions() == [])
    assert rows.client.held_locks() == []


def test_a_query_that_is_cancelled_ends_its_read_transaction(rows: Tables, spark: SparkSession) -> None:
    context, table = spark.sparkContext, f"{rows.database}.t"
    failed = threading.Event()

    def read() -> None:
        context.setJobGroup("long read", "a query that does not end by itself")
        try:
            spark.sql(f"SELECT count(*) FROM {table} a, range({1 << 40}) b WHERE a.id + b.id < 0").collect()
        except Exception:  # noqa: BLE001 (Spark says in several ways that a job was cancelled)
            failed.set()

    reader = InheritableThread(target=read)
    reader.start()
    assert eventually(lambda: len(rows.client.held_locks()) == 1)
    assert eventually(lambda: bool(context.statusTracker().getActiveJobsIds()))
    context.cancelJobGroup("long read")
    reader.join(60)
    assert failed.is_set()
    assert eventually(lambda: rows.open_transactions() == [])
    assert rows.client.held_locks() == []


def test_a_query_whose_end_spark_has_not_reported_is_in_nobodys_way(rows: Tables, spark: SparkSession) -> None:
    """A full listener bus drops events."""
    context, jvm = spark.sparkContext._jsc.sc(), spark._jvm.hiveacid
    context.removeSparkListener(getattr(getattr(jvm.scan, "SnapshotHolders$"), "MODULE$"))
    try:
        rows.sql("SELECT * FROM t")
        assert len(rows.open_transactions()) == 1
        rows.sql("TRUNCATE TABLE t")
        assert rows.open_transactions() == []
    finally:
        jvm.api.JvmApi.listen(spark._jsparkSession)


def test_a_job_whose_end_spark_has_not_reported_counts_as_ended(
    rows: Tables, spark: SparkSession, tmp_path: Path
) -> None:
    """Readers of RDDs are ended once no job has run for a while."""
    context, gate = spark.sparkContext._jsc.sc(), tmp_path / "gate"
    listener = getattr(getattr(spark._jvm.hiveacid.scan, "SnapshotHolders$"), "MODULE$")

    def wait(row: int) -> int:
        while not gate.exists():
            time.sleep(0.01)
        return row

    assert eventually(lambda: listener.idleMs() > 0)
    job = InheritableThread(target=lambda: spark.sparkContext.parallelize([1], 1).map(wait).count())
    job.start()
    assert eventually(listener.runsLooseJobs)
    context.removeSparkListener(listener)
    try:
        gate.touch()
        job.join(60)
        assert eventually(lambda: listener.idleMs() > 0)
        assert not listener.runsLooseJobs()
    finally:
        context.addSparkListener(listener)
