"""Values that a file format cannot hold: an error of bad input that names the column, not one of storage."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from integration.conftest import Tables

HELD = "TIMESTAMP'1969-12-31 23:59:58.5'"
NOT_HELD = "TIMESTAMP'1969-12-31 23:59:59.123456'"
STATEMENTS = {
    "INSERT": f"INSERT INTO t VALUES (2, {NOT_HELD})",
    "OVERWRITE": f"INSERT OVERWRITE t VALUES (2, {NOT_HELD})",
    "UPDATE": f"UPDATE t SET at = {NOT_HELD}",
    "MERGE": f"MERGE INTO t USING (SELECT 1 AS id, {NOT_HELD} AS at) s ON t.id = s.id "
    "WHEN MATCHED THEN UPDATE SET at = s.at",
}


def check_refused(tables: Tables, statement: str) -> None:
    with pytest.raises(AnalysisException) as caught:
        tables.sql(statement)
    assert (caught.value.getCondition(), caught.value.getSqlState()) == (
        "HIVE_ACID_UNWRITABLE_VALUE.MILLISECONDS_BEFORE_1970",
        "22000",
    )
    assert "column at" in str(caught.value)
    assert f"{tables.database}.t" in str(caught.value)
    assert "123456" not in str(caught.value)


@pytest.fixture(autouse=True)
def time_zone(spark: SparkSession) -> Iterator[None]:
    key = "spark.sql.session.timeZone"
    before = str(spark.conf.get(key))
    spark.conf.set(key, "UTC")
    yield
    spark.conf.set(key, before)


@pytest.mark.parametrize("statement", STATEMENTS.values(), ids=STATEMENTS)
def test_a_timestamp_that_orc_gives_back_a_second_later_is_refused(tables: Tables, statement: str) -> None:
    tables.sql("CREATE TABLE t (id INT, at TIMESTAMP) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
    tables.sql(f"INSERT INTO t VALUES (1, {HELD})")
    check_refused(tables, statement)
    assert tables.sql("SELECT id FROM t") == [(1,)]


@pytest.mark.parametrize("form", ["ORC", "PARQUET"])
def test_of_insert_only_tables_those_of_orc_refuse_it_and_those_of_parquet_hold_it(tables: Tables, form: str) -> None:
    tables.sql(
        f"CREATE TABLE t (id INT, at STRUCT<x: ARRAY<TIMESTAMP>>) STORED AS {form} "
        "TBLPROPERTIES ('transactional'='true', 'transactional_properties'='insert_only')"
    )
    statement = f"INSERT INTO t SELECT 1, named_struct('x', array({NOT_HELD}))"
    if form == "ORC":
        check_refused(tables, statement)
    else:
        tables.sql(statement)
        assert tables.sql("SELECT CAST(at.x[0] AS STRING) FROM t") == [("1969-12-31 23:59:59.123456",)]
