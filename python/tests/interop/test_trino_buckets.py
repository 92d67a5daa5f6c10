"""Trino on a table without buckets whose rows lie in several bucket files: all its deletes are in one file."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from hive_acid.local import EmbeddedMetastore
from interop.spark_beside import session_on
from interop.trino_server import TrinoServer

pytestmark = pytest.mark.interop

ROWS = 200_000
"""Fewer would come into one file."""


def test_what_trino_deletes_from_several_buckets_is_deleted_here_and_there_after_a_compaction(
    no_session: None, tmp_path: Path
) -> None:
    with ExitStack() as running:
        metastore = running.enter_context(EmbeddedMetastore.start(tmp_path / "metastore"))
        spark = running.enter_context(session_on(metastore.uri, metastore.warehouse, tmp_path / "spark", "UTC"))
        trino = running.enter_context(TrinoServer.started(tmp_path / "trino", metastore.uri))
        delete_from_several_buckets(spark, trino, metastore.warehouse / "t")


def delete_from_several_buckets(spark: SparkSession, trino: TrinoServer, root: Path) -> None:
    """Trino deletes and updates, Spark reads and compacts; `root` is the table's folder."""

    def count(condition: str) -> int:
        return int(spark.sql(f"SELECT count(*) FROM t WHERE {condition}").collect()[0][0])

    spark.sql("CREATE TABLE t (id INT, name STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
    spark.sql("SET spark.hiveacid.insert.buckets = 4")
    spark.sql(f"INSERT INTO t SELECT /*+ REPARTITION_BY_RANGE(4, id) */ id, 'old' FROM range(0, {ROWS}, 1, 4)")
    assert len(list(root.glob("delta_*/bucket_*"))) == 4
    trino.sql("DELETE FROM t WHERE id % 10 = 0")
    (deletes,) = root.glob("delete_delta_*/bucket_*")
    assert deletes.name == "bucket_00000"
    # trinodb/trino#15187: Trino itself finds the events of one bucket only
    assert trino.sql("SELECT count(*) FROM t").rows != [(ROWS * 9 // 10,)]
    assert (count("true"), count("id % 10 = 0"), count(f"id >= {ROWS - 20}")) == (ROWS * 9 // 10, 0, 18)
    trino.sql("UPDATE t SET name = 'new' WHERE id % 10 = 1")
    assert (count("true"), count("name = 'new'"), count("id % 10 = 1")) == (ROWS * 9 // 10, ROWS // 10, ROWS // 10)
    spark.sql("ALTER TABLE t COMPACT 'major' AND WAIT")
    query = "SELECT count(*), count(DISTINCT id), sum(IF(name = 'new', 1, 0)) FROM t"
    expected = (ROWS * 9 // 10, ROWS * 9 // 10, ROWS // 10)
    assert [tuple(row) for row in spark.sql(query).collect()] == [expected]
    assert trino.sql(query).rows == [expected]
