"""A statement takes the rows of a cached source from the cache, as a query does."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.errors import PySparkException

import hive_acid
from hive_acid.model.table import TableName
from integration.conftest import Tables
from support.acid_files import insert, write_folder
from support.polling import eventually

DRAWN = "reflect('java.util.UUID', 'randomUUID')"
"""Another text at each evaluation."""


@pytest.fixture
def queue(tables: Tables) -> Iterator[Tables]:
    """Tables `queue` with the rows 1 to 3, and `archive`, without rows."""
    tables.create("queue", "id INT")
    tables.create("archive", "id INT, v STRING")
    tables.sql("INSERT INTO queue VALUES (1), (2), (3)")
    yield tables
    tables.spark.catalog.clearCache()


def insert_elsewhere(tables: Tables, number: int) -> None:
    """Adds a row to `queue` as another engine does, of which caches of Spark are not told."""
    client, table = tables.client, TableName(tables.database, "queue")
    txn_id = client.open_transaction("test", "here", "test")
    write_id = client.allocate_write_id(txn_id, table)
    delta = tables.location("queue") / f"delta_{write_id:07d}_{write_id:07d}_0000"
    write_folder(tables.spark, delta, "struct<id:int>", {"bucket_00000": insert(write_id, (number,))})
    client.commit(txn_id)


def cached(tables: Tables, query: str) -> None:
    tables.spark.sql(query).cache().createOrReplaceTempView("batch")


def test_values_that_a_cache_has_drawn_are_those_that_are_written(queue: Tables) -> None:
    cached(queue, f"SELECT id, {DRAWN} AS v FROM {queue.database}.queue")
    shown = sorted(tuple(row) for row in queue.spark.table("batch").collect())
    queue.sql("INSERT INTO archive SELECT * FROM batch")
    assert queue.sql("SELECT * FROM archive ORDER BY id") == shown
    merge = "MERGE INTO archive t USING batch b ON t.id = b.id AND t.v = b.v WHEN MATCHED THEN UPDATE SET v = 'found'"
    assert queue.sql(merge) == [(3, 3, 0, 0)]
    queue.sql("UPDATE archive SET v = (SELECT max(v) FROM batch)")
    assert queue.sql("SELECT DISTINCT v FROM archive") == [(max(v for _, v in shown),)]
    queue.sql("INSERT OVERWRITE archive SELECT * FROM batch")
    assert queue.sql("SELECT * FROM archive ORDER BY id") == shown


def test_the_time_of_a_cache_is_the_time_that_is_written(queue: Tables) -> None:
    cached(queue, "SELECT CAST(id AS INT) AS id, CAST(current_timestamp() AS STRING) AS v FROM range(2)")
    (time,) = {row.v for row in queue.spark.table("batch").collect()}
    queue.sql("INSERT INTO archive SELECT * FROM batch")
    assert queue.sql("SELECT DISTINCT v FROM archive") == [(time,)]


def test_a_batch_that_is_archived_is_the_one_that_is_deleted(queue: Tables) -> None:
    cached(queue, f"SELECT id FROM {queue.database}.queue WHERE id < 10")
    assert queue.spark.table("batch").count() == 3
    insert_elsewhere(queue, 4)
    assert queue.spark.table("batch").count() == 3
    queue.sql("INSERT INTO archive SELECT id, 'old' FROM batch")
    assert queue.sql("DELETE FROM queue WHERE id IN (SELECT id FROM batch)") == [(3,)]
    assert queue.sql("SELECT count(*) FROM archive") == [(3,)]
    queue.spark.catalog.clearCache()
    assert queue.sql("SELECT id FROM queue") == [(4,)]


def test_the_target_itself_is_read_as_it_is(queue: Tables) -> None:
    """Rows that came from elsewhere since it was cached are no rows to be deleted for being unknown."""
    queue.sql("CACHE TABLE queue")
    insert_elsewhere(queue, 4)
    assert queue.sql("SELECT count(*) FROM queue") == [(3,)]
    assert queue.sql("DELETE FROM queue WHERE id < (SELECT max(id) FROM queue)") == [(3,)]
    assert queue.sql("SELECT id FROM queue") == [(4,)]


def test_within_a_transaction_a_cache_is_no_source(queue: Tables) -> None:
    cached(queue, f"SELECT id, {DRAWN} AS v FROM {queue.database}.queue")
    with pytest.raises(PySparkException, match="Reading or filling a cache"), hive_acid.transaction(queue.spark):
        queue.sql("INSERT INTO archive SELECT * FROM batch")
    assert queue.sql("SELECT count(*) FROM archive") == [(0,)]


def test_a_look_ahead_takes_the_cache_too(queue: Tables) -> None:
    cached(queue, f"SELECT id FROM {queue.database}.queue WHERE id < 10")
    assert queue.spark.table("batch").count() == 3
    insert_elsewhere(queue, 4)
    facts = dict(queue.sql("EXPLAIN ACID DELETE FROM queue WHERE id IN (SELECT id FROM batch WHERE id > 0)"))
    assert facts["rows deleted"] == "3"


def test_a_cache_that_is_still_empty_is_filled_by_the_first_statement(queue: Tables) -> None:
    cached(queue, f"SELECT id, {DRAWN} AS v FROM {queue.database}.queue")
    queue.sql("INSERT INTO archive SELECT * FROM batch")
    shown = sorted(tuple(row) for row in queue.spark.table("batch").collect())
    assert queue.sql("SELECT * FROM archive ORDER BY id") == shown


def test_a_table_is_overwritten_from_a_cache_of_its_rows_that_is_still_empty(queue: Tables) -> None:
    """The cache is filled before the statement has a lock that keeps readers out."""
    cached(queue, f"SELECT id + 10 AS id FROM {queue.database}.queue WHERE id < 3")
    with queue.short_waits():
        queue.sql("INSERT OVERWRITE queue SELECT * FROM batch")
    assert queue.sql("SELECT * FROM queue ORDER BY id") == [(11,), (12,)]
    assert eventually(lambda: queue.open_transactions() == [])
