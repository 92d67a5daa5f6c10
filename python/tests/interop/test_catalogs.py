"""Tables of a metastore that is a catalog beside the session's own: real Hive reads and changes them too."""

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from interop.hive_engine import HiveEngine
from interop.hive_table import acid_table
from interop.releases import OF_4
from support.other_metastore import CATALOG

pytestmark = pytest.mark.interop


@pytest.fixture
def lake(hive: HiveEngine, spark: SparkSession) -> str:
    """The name of the catalog. It is reached as any other metastore is, though the session's own is the same one."""
    spark.conf.set(f"spark.sql.catalog.{CATALOG}", "hiveacid.Catalog")
    spark.conf.set(f"spark.sql.catalog.{CATALOG}.hive.metastore.uris", hive.metastore_uri)
    return CATALOG


@OF_4
def test_hive_and_a_catalog_read_and_change_the_same_rows(hive: HiveEngine, spark: SparkSession, lake: str) -> None:
    table, named = acid_table(hive, "beside", "id INT, name STRING", "day STRING"), f"{lake}.default.beside"
    hive.sql("INSERT INTO beside PARTITION (day = 'one') VALUES (1, 'hive'), (2, 'hive')")
    spark.sql(f"INSERT INTO {named} VALUES (3, 'spark', 'one'), (4, 'spark', 'two')")
    spark.sql(f"UPDATE {named} SET name = 'changed' WHERE id = 1")
    spark.sql(f"DELETE FROM {named} WHERE id = 2")
    spark.sql(f"MERGE INTO {named} t USING (SELECT 4 AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = 'met'")
    rows = [(1, "changed", "one"), (3, "spark", "one"), (4, "met", "two")]
    table.check_rows("id", rows)

    hive.sql("DELETE FROM beside WHERE id = 3")
    with pytest.raises(PySparkException):
        spark.sql(f"INSERT INTO {named} SELECT int(raise_error('on purpose')), 'never', 'one'")
    table.compact_major("day='one'")
    table.check_rows("id", [rows[0], rows[2]])
    assert [tuple(row) for row in spark.table(named).orderBy("id").collect()] == [rows[0], rows[2]]


@OF_4
@pytest.mark.parametrize("storage", ["ORC", "PARQUET"])
def test_hive_uses_a_table_that_a_catalog_has_made(
    hive: HiveEngine, spark: SparkSession, lake: str, storage: str
) -> None:
    table = f"made_{storage.lower()}"
    kind = "" if storage == "ORC" else ", 'transactional_properties'='insert_only'"
    buckets = "CLUSTERED BY (id) INTO 2 BUCKETS" if storage == "ORC" else ""
    columns = "id INT COMMENT 'the key', price DECIMAL(9,2), code CHAR(3), tags ARRAY<STRING>"
    spark.sql(
        f"CREATE TABLE {lake}.default.{table} ({columns}) PARTITIONED BY (day DATE) {buckets} "
        f"STORED AS {storage} TBLPROPERTIES ('transactional'='true'{kind})"
    )
    spark.sql(f"INSERT INTO {lake}.default.{table} VALUES (1, 1.25, 'a', array('x', 'y'), DATE'2026-01-01')")
    hive.sql(f"INSERT INTO {table} PARTITION (day = '2026-01-02') SELECT 2, 2.25, 'b', array('z')")
    query = f"SELECT id, price, code, tags[0], CAST(day AS STRING) FROM {{}}{table} ORDER BY id"
    expected = [(1, "1.25", "a  ", "x", "2026-01-01"), (2, "2.25", "b  ", "z", "2026-01-02")]
    found = [(id_, str(price), code, tag, day) for id_, price, code, tag, day in hive.sql(query.format("")).rows]
    assert [(id_, str(price), code.ljust(3), tag, day) for id_, price, code, tag, day in found] == expected
    ours = spark.sql(query.format(f"{lake}.default.")).collect()
    assert [(id_, str(price), code, tag, day) for id_, price, code, tag, day in ours] == expected
    if storage == "ORC":
        hive.sql(f"UPDATE {table} SET price = 9.75 WHERE id = 1")
        spark.sql(f"DELETE FROM {lake}.default.{table} WHERE id = 2")
        assert [(row[0], str(row[1])) for row in hive.sql(f"SELECT id, price FROM {table}").rows] == [(1, "9.75")]
    spark.sql(f"DROP TABLE {lake}.default.{table}")
    assert hive.sql(f"SHOW TABLES LIKE '{table}'").rows == []
