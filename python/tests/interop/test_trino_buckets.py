"""Trino changes tables whose rows lie in several files: what goes well, what it damages, and the way out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from hive_acid import config
from hive_acid.local import EmbeddedMetastore
from hive_acid.model.table import TableName
from hive_acid.session.session import attach
from hive_acid_ops.set_aside.set_aside_plan import name_bar
from hive_acid_ops.set_aside.setting_aside import SettingAside
from interop.spark_beside import session_on
from interop.trino_server import TrinoError, TrinoServer

pytestmark = pytest.mark.interop

ROWS = 200_000
"""Fewer would come into one file of a table without buckets."""
BUCKETED_ROWS = 60_000
SMALL = "64k"
"""Tasks of this size make of so few rows what those of usual size make of some gigabytes."""
ONE_WRITER = {"task_max_writer_count": "1"}


@dataclass
class Beside:
    """Spark with this package and Trino, on one metastore."""

    spark: SparkSession
    trino: TrinoServer
    warehouse: Path

    def fill_buckets(self, table: str, settings: Mapping[str, str]) -> None:
        """One INSERT of 16 tasks; four of five rows come into one of four buckets."""
        self.spark.sql(
            f"CREATE TABLE {table} (id INT, k INT, v BIGINT) CLUSTERED BY (k) INTO 4 BUCKETS STORED AS ORC "
            "TBLPROPERTIES ('transactional'='true')"
        )
        rows = f"int(id) id, int(IF(id % 10 < 8, 7, id % 50)) k, id * 3 v FROM range(0, {BUCKETED_ROWS}, 1, 16)"
        with self.setting({"spark.sql.adaptive.advisoryPartitionSizeInBytes": SMALL, **settings}):
            self.spark.sql(f"INSERT INTO {table} SELECT {rows}")

    def deltas(self, table: str) -> list[str]:
        return sorted(path.name for path in (self.warehouse / table).glob("delta_*"))

    def sums(self, table: str) -> tuple[int, int]:
        """Number of rows and sum of `v`, which both engines must tell."""
        query = f"SELECT count(*), sum(v) FROM {table}"
        here, there = tuple(self.spark.sql(query).collect()[0]), self.trino.sql(query).rows[0]
        assert here == tuple(map(int, there))
        return int(here[0]), int(here[1])

    @contextmanager
    def setting(self, settings: Mapping[str, str]) -> Iterator[None]:
        for key, value in settings.items():
            self.spark.conf.set(key, value)
        try:
            yield
        finally:
            for key in settings:
                self.spark.conf.unset(key)


@pytest.fixture(scope="module")
def beside(no_session: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Beside]:
    folder = tmp_path_factory.mktemp("beside")
    with ExitStack() as running:
        metastore = running.enter_context(EmbeddedMetastore.start(folder / "metastore"))
        spark = running.enter_context(session_on(metastore.uri, metastore.warehouse, folder / "spark", "UTC"))
        trino = running.enter_context(TrinoServer.started(folder / "trino", metastore.uri))
        yield Beside(spark, trino, metastore.warehouse)


def test_what_trino_deletes_from_several_buckets_is_deleted_here_and_there_after_a_compaction(beside: Beside) -> None:
    spark, trino, root = beside.spark, beside.trino, beside.warehouse / "t"

    def count(condition: str) -> int:
        return int(spark.sql(f"SELECT count(*) FROM t WHERE {condition}").collect()[0][0])

    spark.sql("CREATE TABLE t (id INT, name STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
    with beside.setting({"spark.hiveacid.insert.buckets": "4"}):
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


def test_trino_changes_the_buckets_of_one_insert_from_here(beside: Beside) -> None:
    beside.fill_buckets("whole", {})
    assert beside.deltas("whole") == ["delta_0000001_0000001_0000"]
    rows, total = beside.sums("whole")
    beside.trino.sql("UPDATE whole SET v = v + 1 WHERE id % 20 = 0")
    assert beside.sums("whole") == (rows, total + BUCKETED_ROWS // 20)
    beside.trino.sql("DELETE FROM whole WHERE id % 20 = 10")
    assert beside.sums("whole")[0] == rows - BUCKETED_ROWS // 20


def test_what_trino_damages_is_taken_back_and_all_engines_go_on(beside: Beside) -> None:
    beside.fill_buckets("split", {"spark.hiveacid.insert.splitBuckets": "true"})
    assert len(beside.deltas("split")) > 1
    before = beside.sums("split")
    with pytest.raises(TrinoError):
        beside.trino.sql("UPDATE split SET v = v + 1 WHERE id % 19 = 0")
    assert not all(path.stat().st_size for path in (beside.warehouse / "split").glob("delete_delta_*/bucket_*"))
    with pytest.raises(PySparkException, match=r"hive-acid doctor default\.split --set-aside"):
        beside.spark.sql("SELECT count(*), sum(v) FROM split").collect()
    bar = beside.warehouse / "split" / name_bar(2)
    bar.mkdir()
    (bar / "README").write_text("as while the folders are moved")
    with pytest.raises(TrinoError):
        beside.trino.sql("SELECT count(*) FROM split")
    side = attach(beside.spark)
    setting_aside = SettingAside(side.warehouse, side.notes, config.Settings({}))
    assert setting_aside.run(TableName("default", "split"), 2).is_done
    assert beside.sums("split") == before
    beside.spark.sql("UPDATE split SET v = v + 1 WHERE id % 20 = 0")
    beside.spark.sql("ALTER TABLE split COMPACT 'major' AND WAIT")
    assert beside.sums("split") == (before[0], before[1] + BUCKETED_ROWS // 20)


def test_one_writer_of_trinos_changes_split_buckets(beside: Beside) -> None:
    beside.fill_buckets("carefully", {"spark.hiveacid.insert.splitBuckets": "true"})
    rows, total = beside.sums("carefully")
    beside.trino.sql("UPDATE carefully SET v = v + 1 WHERE id % 20 = 0", session=ONE_WRITER)
    assert beside.sums("carefully") == (rows, total + BUCKETED_ROWS // 20)
    beside.trino.sql("DELETE FROM carefully WHERE id % 20 = 10", session=ONE_WRITER)
    assert beside.sums("carefully")[0] == rows - BUCKETED_ROWS // 20


def test_trino_changes_a_table_without_buckets_that_many_tasks_have_written_as_one_bucket(beside: Beside) -> None:
    beside.spark.sql("CREATE TABLE flat (id INT, v BIGINT) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
    with beside.setting({"spark.hiveacid.insert.buckets": "1"}):
        beside.spark.sql(f"INSERT INTO flat SELECT int(id), id * 3 FROM range(0, {ROWS}, 1, 4)")
    assert len(beside.deltas("flat")) > 1
    rows, total = beside.sums("flat")
    beside.trino.sql("UPDATE flat SET v = v + 1 WHERE id % 20 = 0")
    assert beside.sums("flat") == (rows, total + ROWS // 20)


def test_a_major_compaction_does_not_join_the_parts_of_a_bucket(beside: Beside) -> None:
    """It keeps row IDs, which hold the statement ID."""
    beside.fill_buckets("compacted", {"spark.hiveacid.insert.splitBuckets": "true"})
    beside.spark.sql("ALTER TABLE compacted COMPACT 'major' AND WAIT")
    with pytest.raises(TrinoError):
        beside.trino.sql("UPDATE compacted SET v = v + 1 WHERE id % 19 = 0")


def test_one_writer_of_trinos_changes_what_was_updated_here(beside: Beside) -> None:
    beside.fill_buckets("updated", {})
    beside.spark.sql("UPDATE updated SET v = v + 1 WHERE id % 3 = 0")
    rows, total = beside.sums("updated")
    beside.trino.sql("UPDATE updated SET v = v + 1 WHERE id % 20 = 0", session=ONE_WRITER)
    assert beside.sums("updated") == (rows, total + BUCKETED_ROWS // 20)
    with pytest.raises(TrinoError):
        beside.trino.sql("UPDATE updated SET v = v + 1 WHERE id % 19 = 0")
