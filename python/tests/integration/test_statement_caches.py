"""A statement takes the rows of a cached source from the cache, as a query does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import DataFrame

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


def test_dataframes_and_new_tables_take_the_values_that_a_cache_has_drawn(queue: Tables) -> None:
    cached(queue, f"SELECT id, {DRAWN} AS v FROM {queue.database}.queue")
    batch = queue.spark.table("batch")
    shown = sorted(tuple(row) for row in batch.collect())
    archive = f"{queue.database}.archive"
    batch.write.insertInto(archive)
    batch.writeTo(archive).append()
    assert queue.sql("SELECT * FROM archive ORDER BY id") == sorted(shown * 2)
    queue.sql("CREATE TABLE copy STORED AS ORC TBLPROPERTIES ('transactional'='true') AS SELECT * FROM batch")
    assert queue.sql("SELECT * FROM copy ORDER BY id") == shown
    table = hive_acid.AcidTable.forName(queue.spark, f"{queue.database}.copy")
    merge = table.alias("t").merge(batch.alias("b"), "t.id = b.id AND t.v = b.v")
    merge.whenMatchedUpdate(set={"v": "'found'"}).whenNotMatchedInsertAll().execute()
    assert queue.sql("SELECT DISTINCT v FROM copy") == [("found",)]


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


@pytest.mark.beyond_the_gate("a plain query; the other tests of the file")
def test_the_target_itself_is_read_as_it_is_with_columns_that_are_padded(tables: Tables) -> None:
    tables.create("padded", "id INT, c CHAR(3)")
    tables.sql("INSERT INTO padded VALUES (1, 'a'), (2, 'b')")
    tables.sql("CACHE TABLE padded")
    try:
        other = tables.client.open_transaction("test", "here", "test")
        name = TableName(tables.database, "padded")
        write_id = tables.client.allocate_write_id(other, name)
        delta = tables.location("padded") / f"delta_{write_id:07d}_{write_id:07d}_0000"
        files = {"bucket_00000": insert(write_id, (3, "c  "))}
        write_folder(tables.spark, delta, "struct<id:int,c:string>", files)
        tables.client.commit(other)
        assert tables.sql("DELETE FROM padded AS p WHERE id < (SELECT max(q.id) FROM padded AS q)") == [(2,)]
    finally:
        tables.spark.catalog.clearCache()
    assert tables.sql("SELECT id FROM padded") == [(3,)]


def test_a_query_of_the_target_in_a_statement_is_not_read_from_a_cache_of_the_same_query(queue: Tables) -> None:
    known = queue.spark.table(f"{queue.database}.queue").select("id").cache()
    assert known.count() == 3
    insert_elsewhere(queue, 4)
    new = "SELECT * FROM VALUES (4), (5) AS v(id) WHERE id NOT IN (SELECT id FROM queue)"
    assert queue.sql(f"INSERT INTO queue {new}") == [(1,)]
    assert queue.sql("DELETE FROM queue WHERE id < (SELECT max(id) FROM (SELECT id FROM queue))") == [(4,)]


def test_a_cache_that_a_statement_of_a_batch_has_filled_holds_no_lock(queue: Tables, tmp_path: Path) -> None:
    held = queue.spark.table(f"{queue.database}.queue").where("id < 10").cache()

    def write(_: DataFrame) -> None:
        held.createOrReplaceTempView("batch")
        queue.spark.sql(f"INSERT INTO {queue.database}.archive SELECT id, 'a' FROM batch")

    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "one.json").write_text('{"id": 9}')
    stream = queue.spark.readStream.schema("id INT").json(str(folder)).writeStream
    query = stream.foreachBatch(lambda frame, _: write(frame)).trigger(availableNow=True)
    assert query.option("checkpointLocation", str(tmp_path / "checkpoint")).start().awaitTermination(120)
    assert queue.sql("SELECT count(*) FROM archive") == [(3,)]
    assert eventually(lambda: queue.open_transactions() == [])
    assert held.count() == 3


def test_all_rows_of_the_target_that_a_user_has_cached_as_a_batch_are_that_batch(queue: Tables) -> None:
    queue.spark.table(f"{queue.database}.queue").cache().createOrReplaceTempView("batch")
    assert queue.spark.table("batch").count() == 3
    insert_elsewhere(queue, 4)
    queue.sql("INSERT INTO archive SELECT id, 'old' FROM batch")
    assert queue.sql("DELETE FROM queue WHERE id IN (SELECT id FROM batch)") == [(3,)]
    assert queue.sql("SELECT count(*) FROM archive") == [(3,)]


@pytest.mark.beyond_the_gate(
    "a plain query; the other tests of the file",
    cells=[
        "WITH c AS (SELECT id, reflect('java.util.UUID', 'randomUUID') AS v FROM queue) SELECT * FROM c",
        "SELECT /*+ REPARTITION(1) */ id, reflect('java.util.UUID', 'randomUUID') AS v FROM queue",
    ],
)
@pytest.mark.parametrize(
    "query",
    [
        f"SELECT id, {DRAWN} AS v, ROW__ID.rowid AS r FROM queue",
        f"WITH c AS (SELECT id, {DRAWN} AS v FROM queue) SELECT * FROM c",
        f"SELECT /*+ REPARTITION(1) */ id, {DRAWN} AS v FROM queue",
    ],
)
def test_any_query_that_is_cached_is_found(queue: Tables, query: str) -> None:
    queue.sql("WITH c AS (SELECT 1 AS one) SELECT * FROM c")
    cached(queue, query)
    shown = sorted(tuple(row) for row in queue.spark.table("batch").select("id", "v").collect())
    queue.sql("INSERT INTO archive SELECT id, v FROM batch")
    assert queue.sql("SELECT * FROM archive ORDER BY id") == shown


def test_a_constant_partition_is_locked_alone_with_a_cached_source(queue: Tables) -> None:
    queue.create("p", "id INT", "PARTITIONED BY (k STRING)")
    cached(queue, f"SELECT id FROM {queue.database}.queue")
    facts = dict(queue.sql("EXPLAIN ACID INSERT INTO p PARTITION (k = 'a') SELECT id FROM batch"))
    assert facts["lock"] == f"SHARED_READ for INSERT on {TableName(queue.database, 'p')} k=a"


@pytest.mark.beyond_the_gate("a plain query; the other tests of the file", cells=["False"])
@pytest.mark.parametrize("is_filled", [True, False])
def test_a_refused_cache_leaves_the_transaction_as_it_is(queue: Tables, is_filled: bool) -> None:
    cached(queue, f"SELECT id, 'x' AS v FROM {queue.database}.queue")
    if is_filled:
        queue.spark.table("batch").collect()
    with hive_acid.transaction(queue.spark):
        with pytest.raises(PySparkException, match="Reading or filling a cache"):
            queue.sql("INSERT INTO archive SELECT * FROM batch")
        queue.sql("INSERT INTO archive VALUES (1, 'one')")
    assert queue.sql("SELECT * FROM archive") == [(1, "one")]


def test_within_a_transaction_a_cache_is_no_source(queue: Tables) -> None:
    cached(queue, f"SELECT id, {DRAWN} AS v FROM {queue.database}.queue")
    with pytest.raises(PySparkException, match="Reading or filling a cache"), hive_acid.transaction(queue.spark):
        queue.sql("INSERT INTO archive SELECT * FROM batch")
    assert queue.sql("SELECT count(*) FROM archive") == [(0,)]


@pytest.mark.beyond_the_gate("a plain query; the other tests of the file")
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


@pytest.mark.beyond_the_gate("a plain query; the other tests of the file")
def test_a_table_is_overwritten_from_a_cache_of_its_rows_that_is_still_empty(queue: Tables) -> None:
    """The cache is filled before the statement has a lock that keeps readers out."""
    cached(queue, f"SELECT id + 10 AS id FROM {queue.database}.queue WHERE id < 3")
    with queue.short_waits():
        queue.sql("INSERT OVERWRITE queue SELECT * FROM batch")
    assert queue.sql("SELECT * FROM queue ORDER BY id") == [(11,), (12,)]
    assert eventually(lambda: queue.open_transactions() == [])


def test_a_cache_that_reads_the_target_in_a_subquery_is_filled_anew(queue: Tables) -> None:
    cached(queue, f"SELECT id, 'x' AS v FROM {queue.database}.queue WHERE id NOT IN (SELECT id FROM archive)")
    assert queue.sql("INSERT INTO archive SELECT * FROM batch") == [(3,)]
    assert queue.sql("INSERT INTO archive SELECT * FROM batch") == [(0,)]
    assert queue.sql("SELECT count(*) FROM archive") == [(3,)]


def test_row_ids_out_of_a_cache_are_not_taken_for_those_of_rows(queue: Tables) -> None:
    """A rebalance, by whomever, gives them to other rows."""
    for number in range(4, 8):
        queue.sql(f"INSERT INTO queue VALUES ({number})")
    queue.sql("DELETE FROM queue WHERE id < 4")
    cached(queue, "SELECT ROW__ID AS r, id FROM queue WHERE id = 4")
    queue.spark.table("batch").collect()
    queue.spark.table("batch").where("id > 0").cache().createOrReplaceTempView("of_batch")
    queue.sql("ALTER TABLE queue COMPACT 'rebalance' AND WAIT")
    for source in ("batch", "of_batch"):
        for statement in (
            f"DELETE FROM queue WHERE ROW__ID IN (SELECT r FROM {source})",
            f"UPDATE queue SET id = -1 WHERE ROW__ID IN (SELECT r FROM {source})",
            f"UPDATE queue SET id = (SELECT max(r.rowid) FROM {source})",
            f"MERGE INTO queue t USING {source} s ON t.ROW__ID = s.r WHEN MATCHED THEN DELETE",
            f"SELECT * FROM queue t JOIN {source} s ON t.ROW__ID = s.r",
            f"SELECT id FROM queue WHERE ROW__ID.rowid NOT IN (SELECT r.rowid FROM {source})",
        ):
            with pytest.raises(AnalysisException) as caught:
                queue.sql(statement)
            assert caught.value.getCondition() == "HIVE_ACID_UNSUPPORTED_STATEMENT.CACHED_ROW_IDS", statement
    assert queue.sql("SELECT id FROM queue ORDER BY id") == [(4,), (5,), (6,), (7,)]
    assert queue.sql("SELECT id FROM batch") == [(4,)]
    queue.sql("INSERT INTO archive SELECT id, 'cached' FROM batch")
    queue.spark.catalog.clearCache()
    assert queue.sql("DELETE FROM queue WHERE ROW__ID IN (SELECT r FROM of_batch)") == [(1,)]
    assert queue.sql("SELECT id FROM queue ORDER BY id") == [(5,), (6,), (7,)]


def test_a_cache_without_row_ids_is_compared_with_rows_of_its_table(queue: Tables) -> None:
    cached(queue, "SELECT id FROM queue WHERE id > 1")
    assert queue.sql("SELECT count(ROW__ID.rowid) FROM queue WHERE id IN (SELECT id FROM batch)") == [(2,)]
    assert queue.sql("DELETE FROM queue WHERE id IN (SELECT id FROM batch)") == [(2,)]
