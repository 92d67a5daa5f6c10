"""Insert-only transactional tables: real Hive and Spark with this package read and replace what the other wrote."""

from typing import Any

import pytest
from pyspark.sql import SparkSession

from interop.all_types import COLUMNS, HIVE_ROW, SPARK_ROW, VALUES
from interop.hive_engine import HiveEngine
from interop.hive_table import HiveTable
from interop.releases import OF_4

pytestmark = pytest.mark.interop

INSERT_ONLY = "TBLPROPERTIES ('transactional'='true', 'transactional_properties'='insert_only')"
WRITTEN = ["ORC", "PARQUET"]
# of the other formats Hive and Spark each read what only the other can write
READ = ["TEXTFILE", "AVRO", "SEQUENCEFILE", "RCFILE", "JSONFILE"]
# Hive 3.1.3 compacts them by queries, which fail in the engine of these tests ("Non-local session path expected …")
COMPACTS = ["4.1.0"]
# nor does its class path have the Avro of its metastore (NoSuchFieldError NULL_VALUE)
READS_AVRO = ["4.1.0"]
# before 4.0 there is no word for it
JSONFILE = {"3.1.3": "ROW FORMAT SERDE 'org.apache.hadoop.hive.serde2.JsonSerDe' STORED AS TEXTFILE"}
WALL_CLOCK = "1969-07-20 20:17:40.25"


def rows(spark: SparkSession, query: str) -> list[tuple[Any, ...]]:
    """The rows of a query in Spark, as tuples, sorted."""
    return sorted(tuple(row) for row in spark.sql(query).collect())


def in_a_job(hive: HiveEngine, name: str) -> list[tuple[Any, ...]]:
    """The rows as Hive gives them in a job, vectorised where it can."""
    return hive.sql(f"SELECT * FROM {name} ORDER BY id").rows


def check_all_read(hive: HiveEngine, spark: SparkSession, name: str, expected: list[tuple[Any, ...]]) -> None:
    """Hive's fetch, Hive's job and Spark all return these rows."""
    assert sorted(HiveTable(hive, name).rows_plain()) == expected
    assert in_a_job(hive, name) == expected
    assert rows(spark, f"SELECT * FROM {name}") == expected


@pytest.mark.parametrize("form", WRITTEN)
def test_every_type_that_spark_wrote_is_the_same_in_hive(hive: HiveEngine, spark: SparkSession, form: str) -> None:
    name = f"by_spark_{form}"
    nested = "sn STRUCT<c:CHAR(3),d:DECIMAL(9,2),at:TIMESTAMP>, an ARRAY<STRUCT<x:INT>>"
    spark.sql(f"CREATE TABLE {name} ({COLUMNS}, {nested}) STORED AS {form} {INSERT_ONLY}")
    struct = f"'c', CAST('x' AS CHAR(3)), 'd', CAST(1.5 AS DECIMAL(9,2)), 'at', TIMESTAMP '{WALL_CLOCK}'"
    array = "ARRAY(NAMED_STRUCT('x', 1), NULL)"
    spark.sql(f"INSERT INTO {name} SELECT {VALUES}, NAMED_STRUCT({struct}), {array}")
    spark.sql(f"INSERT INTO {name} (id) VALUES (2)")
    found = in_a_job(hive, name)
    assert found[0][:17] == HIVE_ROW
    assert WALL_CLOCK in found[0][17] and '"d":1.5' in found[0][17]
    assert found[0][18] == '[{"x":1},null]'
    assert found[1] == (2, *[None] * 18)
    assert sorted(HiveTable(hive, name).rows_plain(), key=str) == found
    assert hive.sql(f"SELECT id FROM {name} WHERE ts = TIMESTAMP '{WALL_CLOCK}' AND ch = 'ch' AND de > 1").rows == [
        (1,)
    ]


@pytest.mark.parametrize("form", WRITTEN)
def test_every_type_that_hive_wrote_is_the_same_in_spark(hive: HiveEngine, spark: SparkSession, form: str) -> None:
    name = f"by_hive_{form}"
    hive.sql(f"CREATE TABLE {name} ({COLUMNS}) STORED AS {form} {INSERT_ONLY}")
    hive.sql(f"INSERT INTO {name} SELECT {VALUES}")
    others = ", ".join(column for column in spark.table(name).columns if column != "ts")
    expected = tuple(value for value in SPARK_ROW if value != SPARK_ROW[13])
    assert [tuple(row) for row in spark.sql(f"SELECT {others} FROM {name}").collect()] == [expected]
    assert rows(spark, f"SELECT CAST(ts AS STRING) FROM {name} WHERE ts = TIMESTAMP '{WALL_CLOCK}'") == [(WALL_CLOCK,)]


@pytest.mark.parametrize("form", WRITTEN)
def test_both_insert_overwrite_truncate_and_compact(hive: HiveEngine, spark: SparkSession, form: str) -> None:
    name = f"t_{form}"
    hive.sql(f"CREATE TABLE {name} (id INT, name STRING) STORED AS {form} {INSERT_ONLY}")
    hive.sql(f"INSERT INTO {name} VALUES (1, 'hive'), (2, NULL)")
    assert rows(spark, f"SELECT id FROM {name}") == [(1,), (2,)]
    spark.sql(f"INSERT OVERWRITE {name} SELECT id, 'spark' FROM {name} WHERE id = 1")
    check_all_read(hive, spark, name, [(1, "spark")])
    spark.sql(f"INSERT INTO {name} SELECT CAST(id AS INT), 'many' FROM range(2, 5)")
    hive.sql(f"INSERT INTO {name} VALUES (5, 'hive')")
    five = [(1, "spark"), (2, "many"), (3, "many"), (4, "many"), (5, "hive")]
    check_all_read(hive, spark, name, five)
    if hive.version in COMPACTS:
        HiveTable(hive, name).compact_major()
        assert all(file.startswith("base_") for file in HiveTable(hive, name).files())
    check_all_read(hive, spark, name, five)
    spark.sql(f"INSERT INTO {name} VALUES (6, 'six')")
    check_all_read(hive, spark, name, [*five, (6, "six")])
    hive.sql(f"INSERT OVERWRITE TABLE {name} SELECT * FROM {name} WHERE id > 4")
    check_all_read(hive, spark, name, [(5, "hive"), (6, "six")])
    spark.sql(f"TRUNCATE TABLE {name}")
    check_all_read(hive, spark, name, [])
    spark.sql(f"INSERT INTO {name} VALUES (7, 'seven')")
    spark.sql(f"INSERT OVERWRITE {name} SELECT * FROM {name} WHERE false")
    check_all_read(hive, spark, name, [])
    hive.sql(f"INSERT INTO {name} VALUES (8, 'eight')")
    hive.sql(f"TRUNCATE TABLE {name}")
    assert rows(spark, f"SELECT * FROM {name}") == []
    spark.sql(f"INSERT INTO {name} VALUES (9, 'nine')")
    check_all_read(hive, spark, name, [(9, "nine")])


@OF_4
@pytest.mark.parametrize("form", WRITTEN)
def test_both_write_and_replace_partitions(hive: HiveEngine, spark: SparkSession, form: str) -> None:
    name = f"p_{form}"
    spark.sql(f"CREATE TABLE {name} (id INT) PARTITIONED BY (d STRING) STORED AS {form} {INSERT_ONLY}")
    spark.sql(f"INSERT INTO {name} VALUES (1, 'a'), (2, 'b')")
    hive.sql(f"INSERT INTO {name} PARTITION (d) VALUES (3, 'b'), (4, 'c')")
    check_all_read(hive, spark, name, [(1, "a"), (2, "b"), (3, "b"), (4, "c")])
    spark.sql(f"INSERT OVERWRITE {name} PARTITION (d = 'b') SELECT 20")
    hive.sql(f"INSERT OVERWRITE TABLE {name} PARTITION (d = 'c') SELECT 40")
    check_all_read(hive, spark, name, [(1, "a"), (20, "b"), (40, "c")])
    if hive.version in COMPACTS:
        HiveTable(hive, name).compact_major("d='b'")
    spark.sql(f"TRUNCATE TABLE {name} PARTITION (d = 'a')")
    check_all_read(hive, spark, name, [(20, "b"), (40, "c")])


@pytest.mark.parametrize("form", READ)
def test_spark_reads_other_formats_as_hive_does(hive: HiveEngine, spark: SparkSession, form: str) -> None:
    if form == "AVRO" and hive.version not in READS_AVRO:
        return
    name = f"r_{form}"
    stored = JSONFILE.get(hive.version, f"STORED AS {form}") if form == "JSONFILE" else f"STORED AS {form}"
    columns = "id INT, name STRING, de DECIMAL(10,2), day DATE, ar ARRAY<INT>"
    value = "CAST(1.25 AS DECIMAL(10,2)), DATE '2024-02-29', ARRAY(1, 2)"
    hive.sql(f"CREATE TABLE {name} ({columns}) PARTITIONED BY (d STRING) {stored} {INSERT_ONLY}")
    hive.sql(f"INSERT INTO {name} PARTITION (d = 'x') SELECT 1, 'one', {value}")
    hive.sql(f"INSERT INTO {name} PARTITION (d = 'y') SELECT 2, 'two', {value}")
    hive.sql(f"INSERT OVERWRITE TABLE {name} PARTITION (d = 'x') SELECT 3, 'three', {value}")
    hive.sql(f"CREATE TABLE {name}_flat ({columns}) {stored} {INSERT_ONLY}")
    hive.sql(f"INSERT INTO {name}_flat SELECT id, name, de, day, ar FROM {name}")
    wanted = sorted((id_, text, "1.25", "2024-02-29") for id_, text in ((2, "two"), (3, "three")))
    for table in (name, f"{name}_flat"):
        query = f"SELECT id, name, CAST(de AS STRING), CAST(day AS STRING) FROM {table}"
        assert sorted(hive.sql(query).rows) == wanted == rows(spark, query)
        assert rows(spark, f"SELECT ar FROM {table}") == [([1, 2],)] * 2
    assert rows(spark, f"SELECT id FROM {name} WHERE d = 'x'") == [(3,)]
