"""Real Hive on a table of which a write ID is being set aside, and was."""

from __future__ import annotations

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from hive_acid import config
from hive_acid.model.table import TableName
from hive_acid.session.session import attach
from hive_acid_ops.set_aside.set_aside_plan import name_bar
from hive_acid_ops.set_aside.setting_aside import SettingAside
from interop.hive_engine import HiveEngine, HiveError
from interop.hive_table import acid_table
from interop.test_hive_and_spark import check_all_read

pytestmark = pytest.mark.interop


def test_hive_reads_nothing_while_a_write_id_is_set_aside_and_goes_on_afterwards(
    hive: HiveEngine, spark: SparkSession
) -> None:
    table = acid_table(hive, "set_aside", "id INT, name STRING")
    table.insert("(1, 'one')", "(2, 'two')", "(3, 'three')")
    spark.sql("UPDATE set_aside SET name = 'new' WHERE id < 3")
    root = hive.warehouse / "set_aside"
    (deletes,) = root.glob("delete_delta_*/bucket_*")
    deletes.write_bytes(b"")
    with pytest.raises(PySparkException, match="--set-aside"):
        spark.sql("SELECT * FROM set_aside").collect()

    bar = root / name_bar(2)
    bar.mkdir()
    (bar / "README").write_text("as while the folders are moved")
    for query in ("SELECT * FROM set_aside", "SELECT id, count(*) FROM set_aside GROUP BY id"):
        with pytest.raises(HiveError):
            hive.sql(query)

    side = attach(spark)
    assert (
        SettingAside(side.warehouse, side.notes, config.Settings({})).run(TableName("default", "set_aside"), 2).is_done
    )
    check_all_read(table, spark, [(1, "one"), (2, "two"), (3, "three")])
    hive.sql("UPDATE set_aside SET name = 'by hive' WHERE id = 1")
    spark.sql("UPDATE set_aside SET name = 'by spark' WHERE id = 2")
    expected = [(1, "by hive"), (2, "by spark"), (3, "three")]
    check_all_read(table, spark, expected)
    table.compact("minor")
    check_all_read(table, spark, expected)
    table.compact_major()
    check_all_read(table, spark, expected)
