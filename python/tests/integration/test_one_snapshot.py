"""All scans of a query read one snapshot, whatever its session does while the query is running."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import udf

import hive_acid
from integration.conftest import Tables
from support.drivers import wait_until
from support.polling import eventually

LIMIT_S = 120.0


@dataclass(frozen=True)
class Gate:
    """A function of SQL, `gate(number)`, in which a query waits: for a file that says that it may go on."""

    folder: Path

    def wait_for_query(self) -> None:
        wait_until((self.folder / "waits").exists, "the query waits")

    def open(self) -> None:
        (self.folder / "open").touch()


@pytest.fixture
def gate(spark: SparkSession, tmp_path: Path) -> Iterator[Gate]:
    folder = str(tmp_path)

    def wait(number: int) -> int:
        (Path(folder) / "waits").touch()
        deadline = time.monotonic() + LIMIT_S
        while not (Path(folder) / "open").exists():
            assert time.monotonic() < deadline, "nobody has opened the gate"
            time.sleep(0.05)
        return number

    spark.udf.register("gate", udf(wait, "INT").asNondeterministic())
    yield Gate(tmp_path)
    (tmp_path / "open").touch()
    spark.sql("DROP TEMPORARY FUNCTION gate")


@pytest.fixture
def pair(tables: Tables) -> Tables:
    """Tables `early` with the row 1, and `late` without rows, of which a query of both reads `early` first."""
    tables.create("early", "id INT")
    tables.create("late", "id INT")
    tables.sql("INSERT INTO early VALUES (1)")
    return tables


BOTH = (
    "SELECT /*+ BROADCAST(e) */ count(*) FROM late JOIN (SELECT DISTINCT gate(id) AS id FROM early) e ON late.id = e.id"
)


@pytest.mark.beyond_the_gate("with adaptive execution; the other tests of the file", cells=["false"])
@pytest.mark.parametrize("adaptive", ["true", "false"])
def test_a_query_beside_a_transaction_that_begins_does_not_read_what_that_writes(
    pair: Tables, gate: Gate, adaptive: str
) -> None:
    pair.sql(f"SET spark.sql.adaptive.enabled = {adaptive}")
    try:
        with ThreadPoolExecutor(1) as pool:
            query = pool.submit(pair.sql, BOTH)
            gate.wait_for_query()
            with pytest.raises(ZeroDivisionError), hive_acid.transaction(pair.spark):
                pair.sql("INSERT INTO late VALUES (1)")
                gate.open()
                assert query.result() == [(0,)]
                assert pair.sql("SELECT count(*) FROM late") == [(1,)]
                raise ZeroDivisionError
    finally:
        pair.sql("RESET spark.sql.adaptive.enabled")
    assert pair.sql("SELECT count(*) FROM late") == [(0,)]


def test_a_query_within_a_transaction_does_not_go_on_after_it(pair: Tables, gate: Gate) -> None:
    with ThreadPoolExecutor(1) as pool:
        with pytest.raises(ZeroDivisionError), hive_acid.transaction(pair.spark):
            pair.sql("INSERT INTO early VALUES (2)")
            query = pool.submit(pair.sql, BOTH)
            gate.wait_for_query()
            raise ZeroDivisionError
        gate.open()
        with pytest.raises(PySparkException, match="HIVE_ACID_SNAPSHOT_UNAVAILABLE"):
            query.result()


def test_a_query_within_a_transaction_reads_no_table_later_than_another(pair: Tables, gate: Gate) -> None:
    with ThreadPoolExecutor(1) as pool, hive_acid.transaction(pair.spark):
        query = pool.submit(pair.sql, BOTH)
        gate.wait_for_query()
        pair.sql("INSERT INTO late VALUES (1)")
        gate.open()
        with pytest.raises(PySparkException, match="another statement of its transaction has written"):
            query.result()


def test_a_cache_is_not_read_within_by_a_plan_that_was_made_before(pair: Tables) -> None:
    cached = pair.spark.table(f"{pair.database}.early").cache()
    frame = cached.where("id > 0")
    try:
        assert cached.count() == 1
        frame.explain()
        with hive_acid.transaction(pair.spark):
            pair.sql("DELETE FROM early")
            with pytest.raises(PySparkException, match="Reading or filling a cache"):
                frame.collect()
    finally:
        cached.unpersist()


def in_batch(spark: SparkSession, folder: Path, function: Callable[[DataFrame], None]) -> None:
    """Runs a stream with one batch."""
    folder.mkdir()
    (folder / "one.json").write_text('{"id": 9}')
    stream = spark.readStream.schema("id INT").json(str(folder)).writeStream
    query = stream.foreachBatch(lambda frame, _: function(frame)).trigger(availableNow=True)
    assert query.option("checkpointLocation", str(folder / "checkpoint")).start().awaitTermination(120)


def test_each_query_in_the_function_of_a_batch_has_a_snapshot_of_its_own(pair: Tables, tmp_path: Path) -> None:
    table, counts = f"{pair.database}.early", []
    outside = pair.spark.newSession()

    def look(frame: DataFrame) -> None:
        session = frame.sparkSession
        counts.append(session.table(table).count())
        outside.sql(f"INSERT INTO {table} VALUES (2)")
        counts.append(session.table(table).count())
        session.sql(f"INSERT OVERWRITE {table} SELECT id + 1 FROM {table}")
        counts.append(session.table(table).agg({"id": "sum"}).collect()[0][0])
        session.conf.set("spark.hiveacid.lock.timeoutMs", "20000")
        session.sql(f"TRUNCATE TABLE {table}")
        counts.append(session.table(table).count())

    in_batch(pair.spark, tmp_path / "in", look)
    assert counts == [1, 2, 5, 0]
    assert eventually(lambda: pair.open_transactions() == [])


@pytest.mark.beyond_the_gate("with adaptive execution; the other tests of the file")
def test_an_rdd_in_the_function_of_a_batch_sees_what_was_written_before_it(pair: Tables, tmp_path: Path) -> None:
    table, counts = f"{pair.database}.early", []

    def look(frame: DataFrame) -> None:
        session = frame.sparkSession
        counts.append(session.table(table).rdd.count())
        session.sql(f"INSERT INTO {table} VALUES (2)")
        counts.append(session.table(table).rdd.count())
        session.conf.set("spark.hiveacid.lock.timeoutMs", "20000")
        session.sql(f"INSERT OVERWRITE {table} VALUES (3)")
        counts.append(session.table(table).rdd.count())

    in_batch(pair.spark, tmp_path / "in", look)
    assert counts == [1, 2, 1]


def test_the_rows_of_a_batch_and_of_a_table_beside_it_are_read_once_each(pair: Tables, tmp_path: Path) -> None:
    """The batch's own scan of the table is of the batch's execution, which goes on."""
    table, seen = f"{pair.database}.early", []

    def look(frame: DataFrame) -> None:
        frame.sparkSession.sql(f"INSERT INTO {table} VALUES (9)")
        seen.append([tuple(row) for row in frame.collect()])

    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "one.json").write_text('{"id": 9}')
    stream: Any = pair.spark.readStream.schema("id INT").json(str(folder))
    query = stream.join(pair.spark.table(table), "id", "left_semi").writeStream
    started = query.foreachBatch(lambda frame, _: look(frame)).trigger(availableNow=True)
    assert started.option("checkpointLocation", str(tmp_path / "checkpoint")).start().awaitTermination(120)
    assert seen == [[]]
