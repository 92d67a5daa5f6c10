"""Bucketed tables: whatever statement writes a row, it lies in the bucket that Hive's hash of its values says."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.errors import AnalysisException

from support.bucketed_rows import numbers, rows_of
from support.bucketed_tables import BUCKETS, Bucketed, check_places
from support.hive_bucketing import bucket_of
from support.polling import eventually


@pytest.fixture(
    params=[
        pytest.param((False, 1), id="flat-v1", marks=pytest.mark.slow),
        pytest.param((True, 2), id="partitioned-v2", marks=pytest.mark.slow),
    ]
)
def bucketed(tables: Any, request: pytest.FixtureRequest) -> Bucketed:
    return Bucketed(tables, *request.param)


def test_every_statement_leaves_each_row_in_its_bucket(bucketed: Bucketed) -> None:
    sql = bucketed.sql
    assert sql(f"INSERT INTO t {rows_of('id < 30')}") == [(30,)]
    everything = numbers(*range(30))
    bucketed.check(everything)
    assert sql("UPDATE t SET v = 1 WHERE n < 3") == [(3,)]
    everything = [*numbers(0, 1, 2, v=1), *numbers(*range(3, 30))]
    bucketed.check(everything)
    assert sql("DELETE FROM t WHERE n >= 20") == [(10,)]
    everything = [*numbers(0, 1, 2, v=1), *numbers(*range(3, 20))]
    bucketed.check(everything)

    # of bucketing columns: the rows move, but for those whose values stay
    assert sql("UPDATE t SET n = IF(n < 10, n + 100, n), k = k WHERE n >= 5") == [(15,)]
    moved = [(k, n + 100 if 5 <= n < 10 else n, v, d) for k, n, v, d in everything]
    bucketed.check(moved)
    assert sql("UPDATE t SET n = n - 100 WHERE n >= 100") == [(5,)]
    bucketed.check(everything)
    assert sql("UPDATE t SET d = 1 - d, n = n + 1, k = NULL WHERE n = 19") == [(1,)]
    everything = [*everything[:-1], (None, 20, 0, 0)]
    bucketed.check(everything)

    source = "SELECT concat('ä', id) AS k, id AS n, 7 AS v, int(id % 2) AS d FROM range(16, 30)"
    merge = (
        f"MERGE INTO t USING ({source}) s ON t.n = s.n WHEN MATCHED AND s.n = 16 THEN DELETE "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED AND s.n < 25 THEN INSERT * "
        "WHEN NOT MATCHED BY SOURCE AND t.n < 2 THEN UPDATE SET n = t.n - 50"
    )
    assert sql(merge) == [(11, 5, 1, 5)]  # 17, 18, 20 and 0, 1; 16; 19 and 21 to 24
    everything = [("ä0", -50, 1, 0), ("ä1", -49, 1, 1), *numbers(2, v=1), *numbers(*range(3, 16))]
    everything += numbers(*range(17, 25), v=7)
    bucketed.check(everything)

    assert sql(f"INSERT INTO t REPLACE WHERE n BETWEEN 10 AND 40 {rows_of('id BETWEEN 12 AND 30', '9')}") == [
        (14 + 19, 14, 19)
    ]
    everything = [row for row in everything if row[1] < 10] + numbers(*range(12, 31), v=9)
    bucketed.check(everything)
    assert sql("INSERT OVERWRITE t SELECT k, n + 1, v, d FROM t WHERE d = 1") == [(sum(r[3] for r in everything),)]
    kept = [row for row in everything if row[3] == 0] if bucketed.is_partitioned else []
    everything = [(k, n + 1, v, d) for k, n, v, d in everything if d == 1] + kept
    bucketed.check(everything)
    if bucketed.is_partitioned:
        assert sql(f"INSERT INTO t PARTITION (d = 7) SELECT k, n, v FROM ({rows_of('id < 9')}) s(k, n, v, d)") == [(9,)]
        everything += [(k, n, v, 7) for k, n, v, _ in numbers(*range(9))]
        bucketed.check(everything)
        assert sql("INSERT OVERWRITE t PARTITION (d = 7) SELECT 'x', id, 1 FROM range(6)") == [(6,)]
        everything = [row for row in everything if row[3] != 7] + [("x", n, 1, 7) for n in range(6)]
        bucketed.check(everything)
    assert sql(f"FROM ({rows_of('id < 8')}) s(k, n, v, d) INSERT INTO t SELECT * WHERE n < 4 "
               "INSERT INTO t SELECT k, n + 1000, v, d WHERE n >= 4") == [(8,)]  # fmt: skip
    everything += numbers(*range(4)) + [(k, n + 1000, v, d) for k, n, v, d in numbers(*range(4, 8))]
    bucketed.check(everything)
    sql("TRUNCATE TABLE t")
    bucketed.check([])
    assert sql(f"INSERT INTO t {rows_of('id = 3')}") == [(1,)]
    bucketed.check(numbers(3))


def test_data_frames_dry_runs_and_queries_write_into_buckets(tables: Any) -> None:
    bucketed = Bucketed(tables, is_partitioned=True, version=2)
    frame = tables.spark.sql(rows_of("id < 10")).toDF("k", "n", "v", "d")
    frame.write.insertInto("t")
    frame.writeTo("t").append()
    frame.select("d", "v", "n", "k").write.mode("append").saveAsTable("t")
    frame.write.mode("append").partitionBy("d").bucketBy(BUCKETS, "k", "n").saveAsTable("t")
    bucketed.check(numbers(*range(10)) * 4)
    with pytest.raises(AnalysisException, match="its own partitions or buckets"):
        frame.write.mode("append").partitionBy("d").bucketBy(BUCKETS, "n").saveAsTable("t")
    frame.where("d = 1").writeTo("t").overwritePartitions()
    everything = numbers(*range(0, 10, 2)) * 4 + numbers(*range(1, 10, 2))
    bucketed.check(everything)
    planned = dict(bucketed.sql(f"EXPLAIN ACID INSERT INTO t {rows_of('id < 3')}"))
    hashed = sorted({bucket_of((f"ä{n}", n), ("string", "bigint"), 2, BUCKETS) for n in range(3)})
    assert planned["buckets written"] == ", ".join(map(str, hashed))
    bucketed.check(everything)

    bucketed.sql(
        "CREATE TABLE q CLUSTERED BY (n) INTO 3 BUCKETS STORED AS ORC TBLPROPERTIES ('transactional'='true') "
        "AS SELECT n, k FROM t"
    )
    properties = dict(bucketed.sql("SHOW TBLPROPERTIES q"))
    assert properties["bucketing_version"] == "2"
    assert check_places(tables, "q", {"n": "bigint"}, 3, 2) == [0, 1, 2]
    assert sorted(bucketed.sql("SELECT k, n FROM q")) == sorted(row[:2] for row in everything)


@pytest.mark.slow
def test_spark_neither_relies_on_its_own_buckets_nor_prunes_by_them(tables: Any) -> None:
    bucketed = Bucketed(tables, is_partitioned=False, version=2)
    bucketed.sql(f"INSERT INTO t {rows_of('true')}")
    for n in (0, 1, 39):
        assert bucketed.sql(f"SELECT k FROM t WHERE k = 'ä{n}' AND n = {n}") == [(f"ä{n}",)]
    joined = "SELECT /*+ MERGE(b) */ count(*) FROM t a JOIN t b ON a.k = b.k AND a.n = b.n"
    assert bucketed.sql(joined) == [(40,)]
    plan = tables.spark.sql(joined)._jdf.queryExecution().executedPlan().toString()
    assert plan.count("Exchange hashpartitioning") == 2
    assert bucketed.sql("SELECT count(*) FROM (SELECT k, n FROM t GROUP BY k, n)") == [(40,)]


@pytest.mark.slow
@pytest.mark.parametrize("buckets", [1, 4096])
def test_there_may_be_more_buckets_than_tasks_and_rows(tables: Any, buckets: int) -> None:
    bucketed = Bucketed(tables, is_partitioned=False, version=2)
    bucketed.create("b", "id INT, v INT", "id", buckets)
    assert bucketed.sql("INSERT INTO b SELECT /*+ REPARTITION(3) */ int(id), 0 FROM range(50)") == [(50,)]
    assert bucketed.sql("INSERT OVERWRITE b SELECT id, v + 1 FROM b") == [(50,)]
    assert bucketed.sql("UPDATE b SET id = id + 1000, v = 2 WHERE id < 25") == [(25,)]
    places = check_places(tables, "b", {"id": "int"}, buckets, 2)
    assert places == [0] if buckets == 1 else len(places) > 50
    assert bucketed.sql("SELECT count(*), sum(id), sum(v) FROM b") == [(50, sum(range(50)) + 25000, 75)]
    bucketed.create("wide", "id INT", "id", 4097)
    with pytest.raises(AnalysisException, match="4097 buckets, and only 4096 are possible"):
        bucketed.sql("INSERT INTO wide VALUES (1)")


@pytest.mark.slow
def test_large_buckets_are_split_if_asked_but_never_shared(tables: Any) -> None:
    """Under several statement IDs, each of which has one file of a bucket; a base has one file of it."""
    bucketed = Bucketed(tables, is_partitioned=False, version=1)
    bucketed.create("b", "id INT, v STRING", "id", 2)
    rows = "SELECT int(IF(id < 10, id, 2 * id)), sha2(string(id), 512) FROM range(20000)"
    total = sum(id_ if id_ < 10 else 2 * id_ for id_ in range(20000))
    tables.spark.conf.set("spark.sql.adaptive.advisoryPartitionSizeInBytes", "4096")
    try:
        bucketed.create("whole", "id INT, v STRING", "id", 2)
        assert bucketed.sql(f"INSERT INTO whole {rows}") == [(20000,)]
        assert {path.split("/")[0] for path in tables.files("whole")} == {"delta_0000001_0000001_0000"}
        tables.spark.conf.set("spark.hiveacid.insert.splitBuckets", "true")
        assert bucketed.sql(f"INSERT INTO b {rows}") == [(20000,)]
        assert len({path.split("/")[0] for path in tables.files("b")}) > 1
        assert bucketed.sql("UPDATE b SET id = id + 1, v = upper(v)") == [(20000,)]
        assert check_places(tables, "b", {"id": "int"}, 2, 1) == [0, 1]
        assert bucketed.sql("SELECT count(*), sum(id) FROM b") == [(20000, total + 20000)]
        assert bucketed.sql(f"INSERT OVERWRITE b {rows}") == [(20000,)]
    finally:
        tables.spark.conf.unset("spark.hiveacid.insert.splitBuckets")
        tables.spark.conf.unset("spark.sql.adaptive.advisoryPartitionSizeInBytes")
    bases = [path for path in tables.files("b") if path.startswith("base")]
    assert bases == ["base_0000003/bucket_00000", "base_0000003/bucket_00001"]
    assert check_places(tables, "b", {"id": "int"}, 2, 1) == [0, 1]
    assert bucketed.sql("SELECT count(*), sum(id) FROM b") == [(20000, total)]


@pytest.mark.slow
def test_inserts_without_a_shuffle_keep_each_row_in_its_bucket(tables: Any) -> None:
    bucketed = Bucketed(tables, is_partitioned=True, version=1)
    tables.spark.conf.set("spark.hiveacid.insert.shuffleByPartition", "false")
    try:
        assert bucketed.sql(f"INSERT INTO t {rows_of('true')}") == [(40,)]
        assert bucketed.sql(f"INSERT OVERWRITE t {rows_of('true')}") == [(40,)]
    finally:
        tables.spark.conf.unset("spark.hiveacid.insert.shuffleByPartition")
    bucketed.check(numbers(*range(40)))


@pytest.mark.slow
def test_columns_whose_equal_values_have_different_hashes_move_their_rows(tables: Any) -> None:
    bucketed = Bucketed(tables, is_partitioned=False, version=2)
    for type_, old, new, expected in (
        ("double", "0.0D", "-0.0D", -0.0),
        ("float", "-0.0F", "0.0F", 0.0),
        ("map<int,int>", "map(1, 2)", "map(1, 3)", {1: 3}),
        ("char(5)", "'a'", "'b '", "b"),
    ):
        name = "by_" + type_[:3]
        bucketed.create(name, f"id INT, c {type_}", "c", 1021)
        assert bucketed.sql(f"INSERT INTO {name} VALUES (1, {old}), (2, {old}), (3, NULL)") == [(3,)]
        assert bucketed.sql(f"UPDATE {name} SET c = {new} WHERE id >= 2") == [(2,)]
        buckets = {id_: bucket >> 16 & 4095 for id_, bucket in bucketed.sql(f"SELECT id, ROW__ID.bucketid FROM {name}")}
        assert buckets[2] == buckets[3] == bucket_of((expected,), (type_,), 2, 1021) != buckets[1]


@pytest.mark.parametrize(
    ("type_", "version", "reason"),
    [
        ("TIMESTAMP", 1, "depends on the time zone of the server"),
        ("BINARY", 2, "depends on what is left in a buffer"),
        ("INT", 3, "its bucketing_version is 3, neither 1 nor 2"),
    ],
)
def test_where_the_bucket_cannot_be_told_new_rows_are_refused_and_others_are_not(
    tables: Any, type_: str, version: int, reason: str
) -> None:
    bucketed = Bucketed(tables, is_partitioned=False, version=2)
    bucketed.version = version
    bucketed.create("b", f"id INT, c {type_}", "c")
    with pytest.raises(AnalysisException, match=reason):
        bucketed.sql("INSERT INTO b SELECT 1, NULL")
    with pytest.raises(AnalysisException, match=reason):
        bucketed.sql("UPDATE b SET c = NULL")
    assert bucketed.sql("UPDATE b SET id = 2") == bucketed.sql("DELETE FROM b") == [(0,)]
    bucketed.sql("TRUNCATE TABLE b")


HIVE_TIME_ZONE = "spark.hiveacid.bucketing.hiveTimeZone"


@pytest.mark.parametrize("zone", ["America/Los_Angeles", "Europe/Berlin"])
def test_timestamps_go_where_hive_in_a_known_time_zone_puts_them(tables: Any, zone: str) -> None:
    """The hashes are those that Hive 3.1.3 and 4.1.0 gave in JVMs of these zones."""
    hashes = {
        "1582-10-04 00:00:00": {"America/Los_Angeles": 1240129696, "Europe/Berlin": 1240121596},
        "2024-07-01 12:34:56.000001": {"America/Los_Angeles": 429966032, "Europe/Berlin": 429957756},
        "2024-03-10 02:30:00": {"America/Los_Angeles": 427516650, "Europe/Berlin": 427508550},
        "2024-10-27 02:30:00": {"America/Los_Angeles": 432505350, "Europe/Berlin": 432498150},
    }
    bucketed = Bucketed(tables, is_partitioned=False, version=1)
    bucketed.create("b", "c TIMESTAMP", "c", 1021)
    values = ", ".join(f"(TIMESTAMP '{text}')" for text in hashes)
    with pytest.raises(AnalysisException, match=HIVE_TIME_ZONE):
        bucketed.sql(f"INSERT INTO b VALUES {values}")
    session_zone = tables.spark.conf.get("spark.sql.session.timeZone")
    try:
        tables.spark.conf.set(HIVE_TIME_ZONE, zone)
        tables.spark.conf.set("spark.sql.session.timeZone", "Asia/Kolkata")
        assert bucketed.sql(f"INSERT INTO b VALUES {values}") == [(4,)]
        found = dict(bucketed.sql("SELECT CAST(c AS STRING), ROW__ID.bucketid FROM b"))
        tables.spark.conf.set(HIVE_TIME_ZONE, "Mars/Phobos")
        with pytest.raises(AnalysisException, match="'Mars/Phobos', not a time zone") as caught:
            bucketed.sql(f"INSERT INTO b VALUES {values}")
    finally:
        tables.spark.conf.unset(HIVE_TIME_ZONE)
        tables.spark.conf.set("spark.sql.session.timeZone", session_zone)
    expected = {text: hash_[zone] % 1021 for text, hash_ in hashes.items()}
    assert {text: bucket >> 16 & 0xFFF for text, bucket in found.items()} == expected
    assert caught.value.getCondition() == "HIVE_ACID_CONFIGURATION.NOT_A_TIME_ZONE"
    assert bucketed.sql("SELECT count(*) FROM b") == [(4,)]
    assert eventually(lambda: tables.open_transactions() == [])


def test_sorted_tables_are_refused_by_name(tables: Any) -> None:
    for as_query in ("", "AS SELECT 1 AS id"):
        with pytest.raises(AnalysisException, match="it is SORTED BY id, but rows are not written in that order"):
            tables.sql(
                f"CREATE TABLE s {'' if as_query else '(id INT)'} CLUSTERED BY (id) SORTED BY (id) INTO 2 BUCKETS "
                f"STORED AS ORC TBLPROPERTIES ('transactional'='true') {as_query}"
            )
    assert [row for row in tables.sql("SHOW TABLES") if not row[2]] == []


@pytest.mark.parametrize("kind", ["CHAR(3)", "VARCHAR(3)"])
def test_a_text_by_which_a_table_is_bucketed_need_not_be_given(tables: Any, kind: str) -> None:
    tables.create("t", f"id INT, c {kind}", f"CLUSTERED BY (c) INTO {BUCKETS} BUCKETS")
    tables.sql("INSERT INTO t (id) VALUES (1), (2)")
    tables.sql("INSERT INTO t VALUES (3, NULL)")
    assert tables.sql("SELECT id FROM t WHERE c IS NULL ORDER BY id") == [(1,), (2,), (3,)]
    assert {file.rsplit("/", 1)[-1] for file in tables.files("t")} == {"bucket_00000"}
