"""What is read outside of executions: RDDs, and what DataFrames do by them. Their snapshots end, and in time."""

from __future__ import annotations

import gc
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from integration.conftest import Tables
from support.polling import eventually

SOON_SECONDS = 30.0
ROWS = [(1, "a"), (2, "b"), (3, "c")]


@pytest.fixture
def rows(tables: Tables) -> Tables:
    """A table `t` with three rows in two files."""
    tables.create("t")
    tables.sql("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    tables.sql("INSERT INTO t VALUES (3, 'c')")
    return tables


def collect_garbage(spark: SparkSession) -> None:
    gc.collect()
    jvm: Any = spark._jvm
    jvm.java.lang.System.gc()


def assert_prompt(rows: Tables, statement: str) -> None:
    """It does not wait for its own session until the lock's time-out, which is 300 seconds."""
    started = time.monotonic()
    rows.sql(statement)
    assert time.monotonic() - started < SOON_SECONDS


@pytest.mark.beyond_the_gate("two ways to read", but=["foreach"])
@pytest.mark.parametrize(
    "read",
    [
        lambda df: df.foreach(lambda row: None),
        lambda df: df.foreachPartition(lambda rows: None),
        lambda df: df.rdd.count(),
        lambda df: df.rdd.map(lambda row: row.id).collect(),
        lambda df: df.repartition(2).rdd.isEmpty(),
        lambda df: next(df.toLocalIterator()),
        lambda df: next(df.rdd.toLocalIterator()),
    ],
    ids=["foreach", "foreachPartition", "count", "map", "shuffle", "iterator", "iterator of an RDD"],
)
def test_what_has_been_read_is_in_nobodys_way(rows: Tables, spark: SparkSession, read: Any) -> None:
    df = spark.table("t")
    read(df)
    assert_prompt(rows, "TRUNCATE TABLE t")
    assert rows.open_transactions() == []
    assert spark.table("t").collect() == []


def test_a_snapshot_ends_once_its_rdd_cannot_be_reached(rows: Tables, spark: SparkSession) -> None:
    df = spark.table("t")
    rdd = df.rdd.filter(lambda row: row.id > 0)
    assert sorted(tuple(row) for row in rdd.collect()) == ROWS
    del df
    collect_garbage(spark)
    assert sorted(tuple(row) for row in rdd.collect()) == ROWS
    assert len(rows.open_transactions()) == 1, "it can still be read"
    del rdd

    def has_ended() -> bool:
        collect_garbage(spark)
        return rows.open_transactions() == []

    assert eventually(has_ended)
    assert rows.client.held_locks() == []


@pytest.mark.beyond_the_gate("Parquet; the other tests of the file")
def test_a_job_that_reads_is_waited_for(rows: Tables, spark: SparkSession, tmp_path: Path) -> None:
    gate, begun = tmp_path / "open", tmp_path / "begun"

    def wait(row: Any) -> int:
        begun.touch()
        while not gate.exists():
            time.sleep(0.05)
        return int(row.id)

    found: list[int] = []
    reader = threading.Thread(target=lambda: found.extend(spark.table("t").rdd.map(wait).collect()))
    reader.start()
    assert eventually(begun.exists)
    table = f"{rows.database}.t"
    writer = threading.Thread(target=lambda: spark.sql(f"TRUNCATE TABLE {table}"))
    writer.start()
    try:
        assert eventually(lambda: any(lock.blocked_by for lock in rows.client.held_locks()))
        writer.join(1)
        assert writer.is_alive()
    finally:
        gate.touch()
        reader.join()
        writer.join()
    assert sorted(found) == [1, 2, 3]
    assert rows.sql("SELECT * FROM t") == []


@pytest.mark.beyond_the_gate("Parquet; the other tests of the file", cells=["ORC"])
@pytest.mark.parametrize("form", ["ORC", "PARQUET"])
def test_an_rdd_that_is_read_later_gives_its_rows_or_says_that_they_are_gone(
    tables: Tables, spark: SparkSession, form: str
) -> None:
    properties = "'transactional'='true'"
    properties += "" if form == "ORC" else ", 'transactional_properties'='insert_only'"
    create = f"CREATE TABLE t (id INT, name STRING) STORED AS {form} TBLPROPERTIES ({properties})"
    tables.sql(create)
    tables.sql("INSERT INTO t VALUES (1, 'a')")
    rdd = spark.table("t").rdd
    assert [tuple(row) for row in rdd.collect()] == [(1, "a")]
    assert_prompt(tables, "INSERT OVERWRITE t VALUES (3, 'b')")
    assert [tuple(row) for row in rdd.collect()] == [(1, "a")], "the snapshot has ended, its files are there"
    assert_prompt(tables, "DROP TABLE t")
    tables.sql(create)
    tables.sql("INSERT INTO t VALUES (2, 'z')")
    with pytest.raises(AnalysisException, match="HIVE_ACID_SNAPSHOT_UNAVAILABLE"):
        rdd.collect()
    assert [tuple(row) for row in spark.table("t").rdd.collect()] == [(2, "z")]


def test_an_iterator_over_a_table_that_was_made_again_says_that_its_rows_are_gone(
    rows: Tables, spark: SparkSession
) -> None:
    iterator = spark.table("t").toLocalIterator()
    assert eventually(lambda: rows.open_transactions() == [])
    rows.sql("DROP TABLE t")
    rows.create("t")
    rows.sql("INSERT INTO t VALUES (7, 'x'), (8, 'y')")
    rows.sql("INSERT INTO t VALUES (9, 'z')")
    with pytest.raises(Exception, match="HIVE_ACID_SNAPSHOT_UNAVAILABLE"):
        assert [tuple(row) for row in iterator] == ROWS
