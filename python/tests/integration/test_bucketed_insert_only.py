"""Bucketed insert-only tables: each new row lies in the file whose name carries the bucket that Hive's hash says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from pyarrow import orc, parquet
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

import hive_acid
from integration.conftest import Tables
from support.bucketed_rows import numbers, rows_of
from support.hive_bucketing import bucket_of

BUCKETS = 5
BY = {"k": "string", "n": "bigint"}
INSERT_ONLY = "'transactional'='true', 'transactional_properties'='insert_only'"
FORMS = [
    pytest.param(("ORC", 1), id="orc-v1", marks=pytest.mark.slow),
    pytest.param(("PARQUET", 2), id="parquet-v2"),
]


class Bucketed:
    """Tables of one format and bucketing version, clustered by `(k, n)` unless said otherwise."""

    def __init__(self, tables: Tables, form: str, version: int) -> None:
        self.tables = tables
        self.form = form
        self.version = version
        self.sql = tables.sql

    def create(self, name: str, columns: str, partitions: str = "", by: str = "k, n", buckets: int = BUCKETS) -> None:
        partitions = f"PARTITIONED BY ({partitions})" if partitions else ""
        self.sql(
            f"CREATE TABLE {name} ({columns}) {partitions} CLUSTERED BY ({by}) INTO {buckets} BUCKETS "
            f"STORED AS {self.form} TBLPROPERTIES ({INSERT_ONLY}, 'bucketing_version'='{self.version}')"
        )

    def check(self, name: str, rows: list[tuple[Any, ...]]) -> None:
        """The table has these rows, and each row of its files lies where it belongs."""
        assert Counter(self.sql(f"SELECT * FROM {name}")) == Counter(rows)
        self.places(name)

    def places(self, name: str, by: dict[str, str] = BY, buckets: int = BUCKETS) -> list[int]:
        """The numbers of files with rows, sorted. Each row's hash is its file's, and files have Hive's names."""
        seen = set()
        for path, row in self.raw_rows(name):
            number, _, attempt = path.rpartition("/")[2].partition("_")
            assert (len(number), attempt) == (6, "0"), path
            values = [row[column] for column in by]
            assert int(number) == bucket_of(values, list(by.values()), self.version, buckets), (path, row)
            seen.add(int(number))
        return sorted(seen)

    def raw_rows(self, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """The path and the values of each row of each file."""
        root = self.tables.location(name)
        for path in self.tables.files(name):
            # as a file: a path with `d=1` would give a column of that name
            with (root / path).open("rb") as file:
                content = orc.ORCFile(file).read() if self.form == "ORC" else parquet.ParquetFile(file).read()
            for row in content.to_pylist():
                yield path, row


@pytest.fixture(params=FORMS)
def bucketed(tables: Tables, request: pytest.FixtureRequest) -> Bucketed:
    return Bucketed(tables, *request.param)


def test_whatever_writes_rows_puts_each_into_its_bucket(bucketed: Bucketed, spark: SparkSession) -> None:
    sql = bucketed.sql
    bucketed.create("t", "k STRING, n BIGINT, v INT, d INT")
    assert sql(f"INSERT INTO t {rows_of('true')}") == [(40,)]
    assert {path.split("/")[0] for path in bucketed.tables.files("t")} == {"delta_0000001_0000001_0000"}
    assert bucketed.places("t") == [0, 1, 2, 3, 4]
    assert sql("INSERT INTO t (n, k) SELECT n + 100, NULL FROM t WHERE n < 5") == [(5,)]
    everything = numbers(*range(40)) + [(None, n, None, None) for n in range(100, 105)]
    bucketed.check("t", everything)

    frame = spark.sql(rows_of("id < 10", "1")).toDF("k", "n", "v", "d")
    frame.write.insertInto("t")
    frame.writeTo("t").append()
    frame.select("d", "v", "n", "k").write.mode("append").saveAsTable("t")
    everything += numbers(*range(10), v=1) * 3
    with hive_acid.transaction(spark):
        sql(f"INSERT INTO t {rows_of('id = 3', '2')}")
        sql("INSERT INTO t SELECT k, n + 1, v, d FROM t WHERE v = 2")
    everything += [("ä3", 3, 2, 1), ("ä3", 4, 2, 1)]
    bucketed.check("t", everything)
    assert sql("INSERT OVERWRITE t SELECT k, n - 1, v, d FROM t WHERE v = 1") == [(30,)]
    everything = [(k, n - 1, v, d) for k, n, v, d in everything if v == 1]
    bucketed.check("t", everything)
    sql("TRUNCATE TABLE t")
    bucketed.check("t", [])
    assert sql(f"INSERT OVERWRITE t {rows_of('id < 0')}") == [(0,)]
    assert sql(f"INSERT INTO t {rows_of('id = 3')}") == [(1,)]
    bucketed.check("t", numbers(3))


@pytest.mark.beyond_the_gate("whatever writes rows, in the same file; the Scala tests", cells=["parquet-v2"])
def test_partitions_are_written_and_replaced_bucket_by_bucket(bucketed: Bucketed, spark: SparkSession) -> None:
    sql = bucketed.sql
    bucketed.create("p", "k STRING, n BIGINT, v INT", "d INT")
    assert sql(f"INSERT INTO p {rows_of('true')}") == [(40,)]
    assert {path.split("/")[0] for path in bucketed.tables.files("p")} == {"d=0", "d=1"}
    spark.conf.set("spark.hiveacid.insert.shuffleByPartition", "false")
    try:
        assert sql(f"INSERT INTO p {rows_of('id < 9')}") == [(9,)]
    finally:
        spark.conf.unset("spark.hiveacid.insert.shuffleByPartition")
    everything = numbers(*range(40)) + numbers(*range(9))
    bucketed.check("p", everything)
    assert sql("INSERT OVERWRITE p SELECT k, n + 1, v, d FROM p WHERE d = 1") == [(24,)]
    everything = [(k, n + d, v, d) for k, n, v, d in everything]
    bucketed.check("p", everything)
    assert sql("INSERT OVERWRITE p PARTITION (d = 7) SELECT 'x', id, 1 FROM range(6)") == [(6,)]
    assert sql("INSERT OVERWRITE p PARTITION (d = 7) SELECT 'y', id, 1 FROM range(4)") == [(4,)]
    spark.sql(rows_of("id < 4", "3")).toDF("k", "n", "v", "d").writeTo("p").overwritePartitions()
    bucketed.check("p", numbers(*range(4), v=3) + [("y", n, 1, 7) for n in range(4)])
    sql("TRUNCATE TABLE p PARTITION (d = 0)")
    bucketed.check("p", numbers(1, 3, v=3) + [("y", n, 1, 7) for n in range(4)])


def test_a_dry_run_tells_the_buckets_and_a_query_fills_a_new_table(bucketed: Bucketed) -> None:
    sql = bucketed.sql
    bucketed.create("t", "k STRING, n BIGINT, v INT, d INT")
    planned = dict(sql(f"EXPLAIN ACID INSERT INTO t {rows_of('id < 3')}"))
    hashed = sorted({bucket_of((f"ä{n}", n), tuple(BY.values()), bucketed.version, BUCKETS) for n in range(3)})
    assert planned["buckets written"] == ", ".join(map(str, hashed))
    sql(f"INSERT INTO t {rows_of('true')}")
    bucketed.version = 2  # of new tables
    sql(
        f"CREATE TABLE q CLUSTERED BY (n) INTO 3 BUCKETS STORED AS {bucketed.form} TBLPROPERTIES ({INSERT_ONLY}) "
        "AS SELECT n, k FROM t"
    )
    assert dict(sql("SHOW TBLPROPERTIES q"))["bucketing_version"] == "2"
    assert bucketed.places("q", {"n": "bigint"}, 3) == [0, 1, 2]
    assert sorted(sql("SELECT k, n FROM q")) == sorted(row[:2] for row in numbers(*range(40)))


@pytest.mark.slow
def test_large_buckets_are_split_over_statement_ids_but_a_base_has_one_file_of_each(tables: Tables) -> None:
    bucketed = Bucketed(tables, "PARQUET", 1)
    bucketed.create("b", "id INT, v STRING", by="id", buckets=2)
    rows = "SELECT int(IF(id < 10, id, 2 * id)), sha2(string(id), 512) FROM range(20000)"
    total = sum(id_ if id_ < 10 else 2 * id_ for id_ in range(20000))
    tables.spark.conf.set("spark.sql.adaptive.advisoryPartitionSizeInBytes", "4096")
    try:
        assert bucketed.sql(f"INSERT INTO b {rows}") == [(20000,)]
        assert len({path.split("/")[0] for path in tables.files("b")}) > 1
        assert bucketed.places("b", {"id": "int"}, 2) == [0, 1]
        assert bucketed.sql("SELECT count(*), sum(id) FROM b") == [(20000, total)]
        assert bucketed.sql(f"INSERT OVERWRITE b {rows}") == [(20000,)]
    finally:
        tables.spark.conf.unset("spark.sql.adaptive.advisoryPartitionSizeInBytes")
    bases = [path for path in tables.files("b") if path.startswith("base")]
    assert bases == ["base_0000002/000000_0", "base_0000002/000001_0"]
    assert bucketed.places("b", {"id": "int"}, 2) == [0, 1]
    assert bucketed.sql("SELECT count(*), sum(id) FROM b") == [(20000, total)]


@pytest.mark.slow
def test_spark_neither_relies_on_its_own_buckets_nor_prunes_by_them(bucketed: Bucketed) -> None:
    """Hive 3.1.3 puts rows of an `INSERT … SELECT` that it vectorises into other buckets than it does else."""
    bucketed.create("t", "k STRING, n BIGINT, v INT, d INT")
    bucketed.sql(f"INSERT INTO t {rows_of('true')}")
    root = bucketed.tables.location("t")
    for checksum in root.rglob(".*.crc"):
        checksum.unlink()
    first, *_, last = sorted(root.rglob("0*_0"))
    other = first.rename(first.with_name("other"))
    last.rename(first)
    other.rename(last)
    bucketed.sql("REFRESH TABLE t")
    for n in (0, 1, 39):
        assert bucketed.sql(f"SELECT k FROM t WHERE k = 'ä{n}' AND n = {n}") == [(f"ä{n}",)]
    joined = "SELECT /*+ MERGE(b) */ count(*) FROM t a JOIN t b ON a.k = b.k AND a.n = b.n"
    assert bucketed.sql(joined) == [(40,)]
    plan = bucketed.tables.spark.sql(joined)._jdf.queryExecution().executedPlan().toString()
    assert plan.count("Exchange hashpartitioning") == 2


def test_an_order_in_buckets_and_a_hash_that_cannot_be_told_are_refused(tables: Tables) -> None:
    bucketed = Bucketed(tables, "PARQUET", 1)
    bucketed.create("b", "id INT, c TIMESTAMP", by="c")
    with pytest.raises(AnalysisException, match="depends on the time zone of the server"):
        bucketed.sql("INSERT INTO b SELECT 1, NULL")
    bucketed.sql("TRUNCATE TABLE b")
    with pytest.raises(AnalysisException, match="it is SORTED BY id, but rows are not written in that order"):
        bucketed.sql(
            "CREATE TABLE s (id INT) CLUSTERED BY (id) SORTED BY (id) INTO 2 BUCKETS STORED AS PARQUET "
            f"TBLPROPERTIES ({INSERT_ONLY})"
        )
