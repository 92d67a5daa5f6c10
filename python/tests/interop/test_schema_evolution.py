"""Columns that Spark adds WITH SCHEMA EVOLUTION are Hive's too, and gone for Hive when the statement has failed."""

import pytest
from pyarrow import orc
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from interop.hive_engine import HiveEngine
from interop.hive_table import acid_table

pytestmark = pytest.mark.interop

SOURCE = "(SELECT 2 AS id, 'zwei' AS name, 5 AS weight, 'a' AS p UNION ALL SELECT 3, 'drei', 6, 'b')"
UPSERT = "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
FAILING = "(SELECT 1 AS id, 'x' AS name, 7 AS weight, CAST(raise_error('no') AS INT) AS gone, 'a' AS p)"


def test_hive_reads_changes_and_compacts_a_table_that_has_evolved(hive: HiveEngine, spark: SparkSession) -> None:
    table = acid_table(hive, "evolved", "id INT, name STRING", "p STRING")
    hive.sql("INSERT INTO evolved PARTITION (p = 'a') VALUES (1, 'one'), (2, 'two')")
    spark.sql(f"MERGE WITH SCHEMA EVOLUTION INTO evolved t USING {SOURCE} s ON t.id = s.id {UPSERT}")
    expected = [(1, "one", None, "a"), (2, "zwei", 5, "a"), (3, "drei", 6, "b")]
    table.check_rows("id", expected)
    codecs = {orc.ORCFile(path).compression for path in table.location().glob("p=b/delta_*/bucket_*")}
    assert {str(codec).upper() for codec in codecs} == {"ZLIB" if hive.version.startswith("3.") else "ZSTD"}

    with pytest.raises(PySparkException, match="no"):
        spark.sql(f"MERGE WITH SCHEMA EVOLUTION INTO evolved t USING {FAILING} s ON t.id = s.id {UPSERT}")
    assert spark.table("evolved").columns == ["id", "name", "weight", "p"]
    table.check_rows("id", expected)
    assert spark.sql("SHOW TRANSACTIONS").where("state = 'OPEN'").collect() == spark.sql("SHOW LOCKS").collect() == []

    hive.sql("UPDATE evolved SET weight = 9 WHERE id = 1")
    table.compact_major("p='a'")
    expected[0] = (1, "one", 9, "a")
    table.check_rows("id", expected)
    assert [tuple(row) for row in spark.table("evolved").orderBy("id").collect()] == expected
