"""Tables of a metastore that is a catalog beside the session's own: real Hive reads and changes them too."""

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from interop.hive_engine import HiveEngine
from interop.hive_table import acid_table
from support.other_metastore import CATALOG

pytestmark = pytest.mark.interop


@pytest.fixture
def lake(hive: HiveEngine, spark: SparkSession) -> str:
    """The name of the catalog. It is reached as any other metastore is, though the session's own is the same one."""
    spark.conf.set(f"spark.sql.catalog.{CATALOG}", "hiveacid.Catalog")
    spark.conf.set(f"spark.sql.catalog.{CATALOG}.hive.metastore.uris", hive.metastore_uri)
    return CATALOG


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
