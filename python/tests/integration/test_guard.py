"""What is not ours to do yet is refused by name and changes nothing; what is not transactional is untouched."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 (its name everywhere)

from integration.conftest import Tables

REFUSED_SQL = [
    "INSERT OVERWRITE b VALUES (9)",
    "UPDATE b SET id = 9",
    "MERGE INTO b USING plain s ON b.id = s.id WHEN NOT MATCHED THEN INSERT *",
    "CREATE TABLE c CLUSTERED BY (id) SORTED BY (id) INTO 2 BUCKETS STORED AS ORC "
    "TBLPROPERTIES ('transactional'='true') AS SELECT 1 AS id",
    "CREATE TABLE c USING orc TBLPROPERTIES ('transactional'='true') AS SELECT 1 AS id",
    "CREATE TABLE IF NOT EXISTS t AS SELECT 1 AS id",
    "INSERT INTO b VALUES (9)",
    "ALTER TABLE t SET LOCATION '{file}'",
    "ALTER TABLE t SET SERDEPROPERTIES ('a' = 'b')",
    "MSCK REPAIR TABLE p",
    "CREATE OR REPLACE TABLE t (id INT) USING noop",
    "CREATE OR REPLACE TABLE t USING noop AS SELECT 1 AS id",
    "REPLACE TABLE t USING orc AS SELECT 1 AS id",
    "CREATE TABLE c LIKE t USING orc TBLPROPERTIES ('transactional'='true')",
    "ALTER TABLE p RECOVER PARTITIONS",
    "FROM plain INSERT INTO t SELECT * INSERT INTO plain SELECT *",
]

REFUSED_CALLS: dict[str, Callable[[DataFrame], object]] = {
    "writeTo createOrReplace": lambda df: df.writeTo("t").using("noop").createOrReplace(),
    "writeTo overwrite of some rows, bucketed": lambda df: df.select("id").writeTo("b").overwrite(F.col("id") == 9),
    "writeTo append, bucketed": lambda df: df.select("id").writeTo("b").append(),
    "writeTo overwritePartitions, bucketed": lambda df: df.select("id").writeTo("b").overwritePartitions(),
    "saveAsTable partitioned otherwise": lambda df: df.write.partitionBy("name").mode("append").saveAsTable("t"),
    **{
        f"saveAsTable {mode}, bucketed": lambda df, mode=mode: df.select("id").write.mode(mode).saveAsTable("b")
        for mode in ("append", "overwrite")
    },
}


def fill(tables: Tables) -> None:
    """Makes a flat table with two rows, a partitioned and a plain one, and one with buckets by a hash nobody knows."""
    tables.create("t")
    tables.create("p", "id INT", "PARTITIONED BY (d STRING)")
    tables.sql(
        "CREATE TABLE b (id INT) CLUSTERED BY (id) INTO 2 BUCKETS STORED AS ORC "
        "TBLPROPERTIES ('transactional'='true', 'bucketing_version'='3')"
    )
    tables.sql("CREATE TABLE plain (id INT, name STRING) STORED AS ORC")
    tables.sql("INSERT INTO plain VALUES (1, 'p')")
    tables.sql("INSERT INTO t VALUES (1, 'a'), (2, 'b')")


@pytest.fixture
def world(filled: Tables, tmp_path: Path) -> Tables:
    """One for all refusals, each of which makes sure that nothing has changed."""
    (tmp_path / "file").write_text("x")
    return filled


def refuse(world: Tables, action: Callable[[], object], spark: SparkSession) -> AnalysisException:
    """Runs what must be refused, and makes sure that nothing has changed."""
    files, state = world.files("t"), world.client.table(world.client.table(name(world, "t")).name)
    with pytest.raises(AnalysisException) as caught:
        action()
    assert world.files("t") == files
    assert world.client.table(state.name) == state
    assert world.sql("SELECT * FROM t ORDER BY id") == [(1, "a"), (2, "b")]
    assert not world.location("p").exists() or list(world.location("p").iterdir()) == []
    assert not spark.catalog.tableExists("c")
    return caught.value


def name(world: Tables, table: str):  # type: ignore[no-untyped-def]
    from hive_acid.model.table import TableName

    return TableName(world.database, table)


@pytest.mark.parametrize("statement", REFUSED_SQL)
def test_a_statement_that_is_not_ours_yet_is_refused_by_name(
    world: Tables, spark: SparkSession, tmp_path: Path, statement: str
) -> None:
    error = refuse(world, lambda: world.sql(statement.replace("{file}", str(tmp_path / "file"))), spark)
    assert error.getCondition().startswith("HIVE_ACID_UNSUPPORTED_"), str(error)[:300]
    assert error.getSqlState() == "0A000"


@pytest.mark.parametrize("call", REFUSED_CALLS)
def test_a_dataframe_write_that_is_not_ours_yet_is_refused_by_name(
    world: Tables, spark: SparkSession, call: str
) -> None:
    frame = spark.createDataFrame([(9, "z")], "id int, name string")
    error = refuse(world, lambda: REFUSED_CALLS[call](frame), spark)
    assert error.getCondition().startswith("HIVE_ACID_UNSUPPORTED_"), str(error)[:300]


@pytest.mark.parametrize("form", ["", "orc", "hive"])
def test_a_stream_into_a_transactional_table_is_refused(
    world: Tables, spark: SparkSession, tmp_path: Path, form: str
) -> None:
    rate = spark.readStream.format("rate").load().selectExpr("CAST(value AS INT) AS id", "'x' AS name")
    writer = rate.writeStream.option("checkpointLocation", str(tmp_path / "checkpoint"))
    refuse(world, lambda: (writer.format(form) if form else writer).toTable("t"), spark)
    assert spark.streams.active == []


def test_a_stream_from_a_transactional_table_is_refused(world: Tables, spark: SparkSession) -> None:
    with pytest.raises(AnalysisException) as caught:
        spark.readStream.table("t").schema  # noqa: B018 (analysis is what is tested)
    assert caught.value.getCondition() == "HIVE_ACID_UNSUPPORTED_STATEMENT.STREAM_READ"


def test_a_data_source_table_does_not_become_transactional(tables: Tables) -> None:
    tables.sql("CREATE TABLE s (id BIGINT) USING orc")
    with pytest.raises(AnalysisException) as caught:
        tables.sql("ALTER TABLE s SET TBLPROPERTIES ('transactional'='true')")
    assert caught.value.getCondition() == "HIVE_ACID_UNSUPPORTED_TABLE.DATA_SOURCE_TABLE"


def test_a_transactional_data_source_table_is_refused_at_its_creation(tables: Tables) -> None:
    with pytest.raises(AnalysisException) as caught:
        tables.sql("CREATE TABLE s (id BIGINT) USING orc TBLPROPERTIES ('transactional'='true')")
    assert caught.value.getCondition() == "HIVE_ACID_UNSUPPORTED_TABLE.DATA_SOURCE_TABLE"


def test_changes_of_rows_of_an_insert_only_table_are_refused_by_name(tables: Tables) -> None:
    properties = "'transactional'='true', 'transactional_properties'='insert_only'"
    tables.sql(f"CREATE TABLE i (id INT) STORED AS ORC TBLPROPERTIES ({properties})")
    for statement in ("UPDATE i SET id = 1", "DELETE FROM i"):
        with pytest.raises(AnalysisException) as caught:
            tables.sql(statement)
        assert caught.value.getCondition() == "HIVE_ACID_UNSUPPORTED_TABLE.NO_ROW_IDS"


@pytest.mark.parametrize("form", ["STORED AS ORC", "STORED AS PARQUET", "USING orc", "USING parquet", "USING csv"])
def test_a_table_that_is_not_transactional_behaves_as_ever(tables: Tables, spark: SparkSession, form: str) -> None:
    tables.sql(f"CREATE TABLE n (id INT, d STRING) {form}")
    tables.sql("INSERT INTO n VALUES (1, 'x'), (2, 'y')")
    tables.sql("INSERT OVERWRITE n SELECT 3, 'z'")
    spark.createDataFrame([(4, "q")], "id int, d string").write.insertInto("n")
    assert sorted(tables.sql("SELECT * FROM n")) == [(3, "z"), (4, "q")]
    tables.sql("TRUNCATE TABLE n")
    assert tables.sql("SELECT * FROM n") == []
    with pytest.raises(AnalysisException) as caught:
        tables.sql("DELETE FROM n WHERE id = 1")
    assert caught.value.getCondition() == "HIVE_ACID_UNSUPPORTED_TABLE.NOT_TRANSACTIONAL"


def test_a_session_without_our_callbacks_refuses_to_read(tables: Tables, spark: SparkSession) -> None:
    tables.create("t")
    bridge = spark._jvm.hiveacid.api.JvmApi
    from hive_acid.session import session

    (attachment,) = session._attached.values()
    bridge.unregister()
    try:
        with pytest.raises(AnalysisException) as caught:
            tables.sql("SELECT * FROM t")
        assert caught.value.getCondition() == "HIVE_ACID_NO_PLANNER"
    finally:
        bridge.register(spark._jsparkSession, attachment.python_api)
    assert tables.sql("SELECT * FROM t") == []
