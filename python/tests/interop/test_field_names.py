"""Fields of structs whose names have blanks, dots and dollar signs are read and changed by Hive, and by Spark again."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from interop.hive_engine import HiveEngine

pytestmark = [pytest.mark.interop, pytest.mark.slow]

FIELDS = "STRUCT<`a b`:INT,`c.d`:STRING,`e$f`:INT>"


def test_odd_names_of_fields_are_the_same_to_both(hive: HiveEngine, spark: SparkSession) -> None:
    spark.sql(f"CREATE TABLE odd (id INT, s {FIELDS}) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
    spark.sql("INSERT INTO odd VALUES (1, named_struct('a b', 1, 'c.d', 'x', 'e$f', 10)), (2, NULL)")
    spark.sql("UPDATE odd SET s = named_struct('a b', 2, 'c.d', 'y', 'e$f', 20) WHERE id = 2")
    by_hive = hive.sql("SELECT id, s FROM odd ORDER BY id").rows
    assert [int(row[0]) for row in by_hive] == [1, 2]
    assert "20" in str(by_hive[1][1])
    hive.sql("DELETE FROM odd WHERE id = 1")
    assert spark.sql("SELECT id, s.`a b`, s.`c.d`, s.`e$f` FROM odd").collect() == [(2, 2, "y", 20)]
