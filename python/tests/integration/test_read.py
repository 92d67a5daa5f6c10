"""Reads see one snapshot, hold it until they end, and never give fewer or other rows."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from hive_acid.errors import condition_of
from hive_acid.local import EmbeddedMetastore
from hive_acid.model.table import TableName
from integration.conftest import Tables
from support.metastore_setup import MetastoreSetup, thrift_setup
from support.polling import eventually
from support.spark_lines import FAILED_JOB


@pytest.fixture
def setup(metastore: EmbeddedMetastore) -> Iterator[MetastoreSetup]:
    with thrift_setup(metastore.uri) as real:
        yield real


def fill(tables: Tables) -> None:
    """Makes a table `t` with rows 1 to 4, the second deleted, by three statements."""
    tables.create("t")
    tables.sql("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    tables.sql("INSERT INTO t VALUES (3, 'c'), (4, NULL)")
    tables.sql("DELETE FROM t WHERE id = 2")


@pytest.fixture
def rows(tables: Tables) -> Tables:
    fill(tables)
    return tables


def opened_by(tables: Tables, statement: str | Callable[[], object]) -> int:
    """How many transactions a statement or an action opens, by the IDs before and after it."""
    before = tables.client.open_transaction("test", "here", "test")
    if isinstance(statement, str):
        tables.sql(statement)
    else:
        statement()
    after = tables.client.open_transaction("test", "here", "test")
    for txn_id in (before, after):
        tables.client.abort(txn_id)
    return after - before - 1


@pytest.fixture
def partitioned(setup: MetastoreSetup, tables: Tables) -> TableName:
    """Partitions a (rows 1, 2, row 2 deleted), b (rows 1, 2) elsewhere, NULL (rows 1, 2), `x/y z` (rows 1, 2)."""
    name = setup.create_table("p", partition_columns=("D",))
    tables.create("f", "id BIGINT, v STRING")
    tables.sql("INSERT INTO f VALUES (1, 'one'), (2, 'two')")
    tables.sql("DELETE FROM f WHERE id = 2")
    for _ in range(2):
        txn_id = tables.client.open_transaction("test", "here", "test")
        tables.client.allocate_write_id(txn_id, name)
        tables.client.commit(txn_id)
    delta, delete_delta = sorted(tables.location("f").iterdir(), reverse=True)
    root = Path(tables.client.table(name).location.removeprefix("file:"))
    for partition in ("d=a", "d=b", "d=__HIVE_DEFAULT_PARTITION__", "d=x%2Fy z"):
        location = root.parent / "elsewhere" / "b" if partition == "d=b" else root / partition
        setup.add_partition(name, partition, location=f"file:{location}" if partition == "d=b" else None)
        shutil.copytree(delta, location / delta.name)
        if partition == "d=a":
            shutil.copytree(delete_delta, location / delete_delta.name)
    return name


def test_a_partitioned_table_is_read_with_values_and_locations_of_its_partitions(
    tables: Tables, partitioned: TableName
) -> None:
    assert tables.sql(f"SELECT d, id, v FROM {partitioned} ORDER BY d NULLS FIRST, id") == [
        (None, 1, "one"),
        (None, 2, "two"),
        ("a", 1, "one"),
        ("b", 1, "one"),
        ("b", 2, "two"),
        ("x/y z", 1, "one"),
        ("x/y z", 2, "two"),
    ]
    assert tables.sql(f"SELECT count(*) FROM {partitioned} WHERE d IS NULL") == [(2,)]
    assert tables.sql(f"SELECT count(*) FROM {partitioned} WHERE d = 'x/y z' AND id = 2") == [(1,)]
    assert tables.sql(f"SELECT d, count(*) FROM {partitioned} GROUP BY d HAVING count(*) = 1") == [("a", 1)]


def test_only_the_partitions_that_the_filter_leaves_are_looked_at(tables: Tables, partitioned: TableName) -> None:
    root = Path(tables.client.table(partitioned).location.removeprefix("file:"))
    (root / "d=x%2Fy z" / "part-00000").write_bytes(b"no file of Hive's, which is refused")
    assert tables.sql(f"SELECT count(*) FROM {partitioned} WHERE d IN ('a', 'b')") == [(3,)]
    assert tables.sql(f"SELECT count(*) FROM {partitioned} WHERE d = concat('n', 'one')") == [(0,)]
    with pytest.raises(PySparkException) as caught:
        tables.sql(f"SELECT count(*) FROM {partitioned}")
    assert caught.value.getCondition() == "HIVE_ACID_UNSUPPORTED_LAYOUT.NO_BUCKET_IN_NAME"


def test_all_scans_of_a_query_share_one_transaction(filled: Tables) -> None:
    query = "SELECT a.id FROM t a JOIN t b ON a.id = b.id WHERE a.id IN (SELECT id FROM t) AND b.id < (SELECT 9)"
    assert opened_by(filled, query) == 1


def test_all_scans_of_a_query_share_one_transaction_outside_of_executions_too(filled: Tables) -> None:
    """It is held for as long as the RDD may be read, so here it is ended by hand."""
    filled.create("other")
    frame = filled.spark.sql("SELECT t.id FROM t CROSS JOIN other WHERE t.id < (SELECT 9 FROM t LIMIT 1)")
    assert opened_by(filled, lambda: frame.rdd.collect()) == 1
    end_reads(filled)


def end_reads(tables: Tables) -> None:
    """Ends those of RDDs, which nobody else does before they are old."""
    for info in tables.open_transactions():
        tables.client.commit(info.id)


@pytest.mark.parametrize("statement", ["EXPLAIN SELECT * FROM t", "EXPLAIN EXTENDED DELETE FROM t", "DESCRIBE t"])
def test_explain_opens_no_transaction(filled: Tables, statement: str) -> None:
    assert opened_by(filled, statement) == 0


@pytest.mark.parametrize("mode", ["", "EXTENDED", "FORMATTED", "COST", "CODEGEN"])
def test_explain_shows_how_a_row_change_finds_its_rows_and_does_nothing(filled: Tables, mode: str) -> None:
    shown: list[str] = []
    statement = (
        f"EXPLAIN {mode} MERGE INTO t USING (SELECT max(id) AS id FROM t) s ON t.id = s.id AND t.name = 'b' "
        "WHEN MATCHED THEN DELETE"
    )
    assert opened_by(filled, lambda: shown.extend(row[0] for row in filled.sql(statement))) == 0
    physical = shown[0].rpartition("== Physical Plan ==")[2]
    for part in ("HiveAcid MERGE", "Join", "EqualTo(name,b)", "AcidFileIndex"):
        assert part in physical or mode == "CODEGEN"
    assert filled.client.held_locks() == []


def test_a_read_transaction_ends_with_its_query(filled: Tables) -> None:
    filled.sql("SELECT * FROM t")
    assert eventually(lambda: filled.open_transactions() == [])
    assert filled.client.held_locks() == []


def test_a_read_transaction_ends_with_a_query_that_fails(filled: Tables) -> None:
    with pytest.raises(FAILED_JOB):
        filled.sql("SELECT raise_error(name) FROM t")
    assert eventually(lambda: filled.open_transactions() == [])


def test_a_cached_table_shows_the_statement_that_followed(rows: Tables) -> None:
    rows.sql("CACHE TABLE t")
    assert rows.sql("SELECT count(*) FROM t") == [(3,)]
    rows.sql("DELETE FROM t WHERE id = 1")
    rows.sql("INSERT INTO t VALUES (5, 'e'), (6, 'f')")
    assert rows.sql("SELECT id FROM t ORDER BY id") == [(3,), (4,), (5,), (6,)]
    rows.sql("UNCACHE TABLE t")


@pytest.mark.beyond_the_gate("a cached table; `integration/test_statement_caches.py`")
def test_a_cache_made_in_another_time_zone_or_with_row_ids_shows_the_statement_too(
    rows: Tables, spark: SparkSession
) -> None:
    zone = spark.conf.get("spark.sql.session.timeZone")
    rows.sql("CACHE TABLE t")
    with_ids = spark.sql("SELECT ROW__ID, id FROM t").cache()
    assert with_ids.count() == 3
    try:
        spark.conf.set("spark.sql.session.timeZone", "Pacific/Apia")
        rows.sql("DELETE FROM t WHERE id = 1")
    finally:
        spark.conf.set("spark.sql.session.timeZone", zone)
    assert rows.sql("SELECT id FROM t ORDER BY id") == [(3,), (4,)]
    assert [row.id for row in spark.sql("SELECT ROW__ID, id FROM t").collect()] == [3, 4]
    with_ids.unpersist()
    rows.sql("UNCACHE TABLE t")


@pytest.mark.beyond_the_gate("a cached table; `integration/test_statement_caches.py`")
def test_a_batch_function_of_a_stream_sees_what_it_has_written(
    rows: Tables, spark: SparkSession, tmp_path: Path
) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "one.json").write_text('{"id": 9}')
    table, counts = f"{rows.database}.t", []

    def write(frame: DataFrame, _: int) -> None:
        session = frame.sparkSession
        counts.append(session.table(table).count())
        session.sql(f"INSERT INTO {table} VALUES (9, 'nine')")
        counts.append(session.table(table).count())

    stream = spark.readStream.schema("id INT").json(str(tmp_path / "in")).writeStream.foreachBatch(write)
    query = stream.option("checkpointLocation", str(tmp_path / "checkpoint")).trigger(availableNow=True).start()
    assert query.awaitTermination(120)
    assert counts == [3, 4]
    assert eventually(lambda: rows.open_transactions() == [])


def test_a_dataframe_that_is_collected_again_gives_the_rows_of_its_snapshot(rows: Tables, spark: SparkSession) -> None:
    frame = spark.table("t").orderBy("id")
    first = frame.collect()
    rows.sql("DELETE FROM t")
    assert frame.collect() == first
    assert spark.table("t").collect() == []


def test_a_query_without_a_read_transaction_opens_nothing(filled: Tables) -> None:
    filled.sql("SET spark.hiveacid.read.transactions = false")
    try:
        assert opened_by(filled, "SELECT * FROM t") == 0
    finally:
        filled.sql("RESET spark.hiveacid.read.transactions")


def test_rows_come_out_of_every_way_to_read_a_dataframe(filled: Tables, spark: SparkSession) -> None:
    frame = spark.table("t")
    assert sorted(row.id for row in frame.toLocalIterator()) == [1, 3, 4]
    assert sorted(frame.rdd.map(lambda row: row.id).collect()) == [1, 3, 4]
    assert sorted(frame.toPandas()["id"]) == [1, 3, 4]
    assert frame.count() == 3
    assert sorted(row.id for row in frame.cache().collect()) == [1, 3, 4]
    frame.unpersist()
    end_reads(filled)


@pytest.mark.slow
def test_queries_leave_no_thread_behind(rows: Tables, spark: SparkSession) -> None:
    """Spark plans the scans below shuffles and broadcasts on new threads each time."""
    query = "SELECT name, count(*) FROM t JOIN (SELECT id FROM t ORDER BY id) USING (id) GROUP BY name"

    def run(times: int) -> int:
        for _ in range(times):
            rows.sql(query)
            rows.sql("UPDATE t SET name = 'x' WHERE id = 1")
        return threading.active_count()

    before = run(5)  # some threads may begin to wait for work
    assert run(15) < before + 15


def test_row_ids_are_hidden_until_they_are_asked_for(filled: Tables, spark: SparkSession) -> None:
    assert spark.table("t").columns == ["id", "name"]
    found = filled.sql("SELECT ROW__ID.writeid, ROW__ID.bucketid, ROW__ID.rowid, id FROM t ORDER BY id")
    assert found == [(1, 536870912, 0, 1), (2, 536870912, 0, 3), (2, 536870912, 1, 4)]
    assert filled.sql("SELECT id FROM t WHERE ROW__ID.writeid = 2 AND ROW__ID.rowid = 1") == [(4,)]


@pytest.mark.beyond_the_gate(
    "`integration/test_damaged_files.py`",
    but=[
        "delta_0000001_0000001_0000-missing-spark.sql.files.ignoreMissingFiles",
        "delete_delta_0000003_0000003_0000-zeroed-spark.sql.files.ignoreCorruptFiles",
    ],
)
@pytest.mark.parametrize("setting", ["spark.sql.files.ignoreMissingFiles", "spark.sql.files.ignoreCorruptFiles"])
@pytest.mark.parametrize("damage", ["missing", "cut", "zeroed"])
@pytest.mark.parametrize("victim", ["delta_0000001_0000001_0000", "delete_delta_0000003_0000003_0000"])
def test_a_damaged_or_missing_file_is_a_named_error_whatever_the_settings_say(
    rows: Tables, spark: SparkSession, setting: str, damage: str, victim: str
) -> None:
    frame = spark.table("t")
    spark.conf.set(setting, "true")
    try:
        frame._jdf.queryExecution().executedPlan().execute()  # lists the files
        file = rows.location("t") / victim / "bucket_00000"
        (file.parent / f".{file.name}.crc").unlink()
        content = file.read_bytes()
        if damage == "missing":
            file.unlink()
        else:
            file.write_bytes(content[:-20] if damage == "cut" else bytes(len(content)))
        with pytest.raises(PySparkException) as caught:  # Spark wraps it in FAILED_READ_FILE
            frame.collect()
        assert condition_of(caught.value) == "HIVE_ACID_SNAPSHOT_UNAVAILABLE", "another file than the listed one"
        assert file.name in str(caught.value)
    finally:
        spark.conf.unset(setting)
        end_reads(rows)


def test_a_table_that_was_dropped_and_made_again_has_none_of_its_old_deletes(rows: Tables) -> None:
    assert rows.sql("SELECT count(*) FROM t") == [(3,)]
    location = rows.location("t")
    rows.sql("DROP TABLE t")
    rows.create("t")
    assert rows.location("t") == location
    rows.sql("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    rows.sql("INSERT INTO t VALUES (3, 'c'), (4, NULL)")
    rows.sql("DELETE FROM t WHERE id = 1")
    assert rows.sql("SELECT id FROM t ORDER BY id") == [(2,), (3,), (4,)]


def test_a_timestamp_keeps_its_wall_clock_in_every_session_time_zone(tables: Tables, spark: SparkSession) -> None:
    tables.create("t", "ts TIMESTAMP, nested ARRAY<STRUCT<at: TIMESTAMP>>")
    zone = spark.conf.get("spark.sql.session.timeZone")
    try:
        spark.conf.set("spark.sql.session.timeZone", "America/New_York")
        tables.sql("INSERT INTO t SELECT x, array(struct(x)) FROM VALUES (TIMESTAMP '2024-03-10 12:34:56.789012') v(x)")
        for other in ("Asia/Kolkata", "UTC", "Europe/Paris"):
            spark.conf.set("spark.sql.session.timeZone", other)
            assert tables.sql("SELECT CAST(ts AS STRING), CAST(nested[0].at AS STRING) FROM t") == [
                ("2024-03-10 12:34:56.789012", "2024-03-10 12:34:56.789012")
            ]
            assert tables.sql("SELECT count(*) FROM t WHERE ts = TIMESTAMP '2024-03-10 12:34:56.789012'") == [(1,)]
    finally:
        spark.conf.set("spark.sql.session.timeZone", zone)
