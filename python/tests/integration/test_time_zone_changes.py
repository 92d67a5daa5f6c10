"""A plan reads TIMESTAMPs in the time zone that its session had when it was made, and is of use in no other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession

import hive_acid
from integration.conftest import Tables
from support.polling import eventually

ZONE = "spark.sql.session.timeZone"
HOME, AWAY = "UTC", "Asia/Tokyo"
CLOCK = "2024-05-06 09:00:00"
REFUSED = "HIVE_ACID_UNSUPPORTED_STATEMENT.STALE_TIME_ZONE"


@pytest.fixture
def clocks(tables: Tables) -> Iterator[Tables]:
    """Tables `src`, of the row (1, 09:00), and `dst`, of the columns `id` and `ts`, in a session at home."""
    before = tables.spark.conf.get(ZONE)
    tables.spark.conf.set(ZONE, HOME)
    for name in ("src", "dst"):
        tables.create(name, "id INT, ts TIMESTAMP")
    tables.sql(f"INSERT INTO src VALUES (1, TIMESTAMP '{CLOCK}')")
    yield tables
    tables.spark.catalog.clearCache()
    tables.spark.conf.set(ZONE, str(before))
    assert eventually(lambda: tables.open_transactions() == [])


def shown(tables: Tables, name: str) -> list[tuple[object, ...]]:
    return tables.sql(f"SELECT id, CAST(ts AS STRING) FROM {name} ORDER BY id")


def refuse(action: Callable[[], object]) -> None:
    with pytest.raises(AnalysisException) as caught:
        action()
    assert caught.value.getCondition() == REFUSED, str(caught.value)[:300]


def merge(frame: DataFrame) -> None:
    target = hive_acid.AcidTable.forName(frame.sparkSession, "dst")
    target.alias("t").merge(frame.alias("s"), "t.ts = s.ts").whenNotMatchedInsertAll().execute()


WRITES: dict[str, Callable[[DataFrame], object]] = {
    "insertInto": lambda frame: frame.write.insertInto("dst"),
    "writeTo": lambda frame: frame.writeTo("dst").append(),
    "saveAsTable": lambda frame: frame.write.mode("append").saveAsTable("dst"),
    "merge": merge,
}


@pytest.mark.beyond_the_gate(
    "two calls with a plain frame, two with a cached one; the other tests of the file",
    cells=["plain-writeTo", "plain-saveAsTable", "cached-insertInto", "cached-merge"],
)
@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
@pytest.mark.parametrize("cached", [False, True], ids=["plain", "cached"])
def test_a_frame_of_before_set_time_zone_is_not_written(
    clocks: Tables, write: Callable[[DataFrame], object], cached: bool
) -> None:
    frame = clocks.spark.table("src").where("id = 1")
    if cached:
        assert frame.cache().count() == 1
    clocks.sql(f"SET TIME ZONE '{AWAY}'")
    refuse(lambda: write(frame))
    assert shown(clocks, "dst") == []
    write(clocks.spark.table("src"))
    assert shown(clocks, "dst") == [(1, CLOCK)]
    clocks.sql(f"SET TIME ZONE '{HOME}'")
    assert shown(clocks, "dst") == [(1, CLOCK)]


def test_a_frame_of_before_set_time_zone_is_not_read_until_the_zone_is_back(clocks: Tables) -> None:
    frames = [clocks.spark.table("src"), clocks.spark.table("src"), clocks.spark.table("src").cache()]
    expected = frames[1].collect()
    assert frames[2].collect() == expected
    clocks.sql(f"SET TIME ZONE '{AWAY}'")
    for frame in frames:
        refuse(frame.collect)
        refuse(lambda made=frame: made.union(made).collect())
        refuse(lambda made=frame: made.where("id = 1").select("ts").collect())
    clocks.sql("SET TIME ZONE 'Etc/UTC'")
    for frame in frames:
        assert frame.collect() == expected, "the rules are the same"


def test_a_frame_of_before_set_time_zone_is_not_written_elsewhere(clocks: Tables, tmp_path: Path) -> None:
    frame = clocks.spark.table("src")
    clocks.sql(f"SET TIME ZONE '{AWAY}'")
    refuse(lambda: frame.write.parquet(str(tmp_path / "copy")))
    refuse(lambda: frame.write.saveAsTable("plain"))


def test_columns_that_are_no_timestamps_are_read_in_any_zone(clocks: Tables) -> None:
    frame = clocks.spark.table("src")
    narrow, filtered = frame.select("id"), frame.where("id = 1").groupBy("id").count()
    clocks.sql(f"SET TIME ZONE '{AWAY}'")
    assert narrow.collect() == [(1,)]
    assert filtered.collect() == [(1, 1)]
    narrow.selectExpr("id", "TIMESTAMP '2024-01-01 00:00:00' AS ts").write.insertInto("dst")
    assert shown(clocks, "dst") == [(1, "2024-01-01 00:00:00")]


def test_nested_timestamps_and_those_of_partitions_count_too(clocks: Tables) -> None:
    clocks.create("parts", "id INT", "PARTITIONED BY (ts TIMESTAMP)")
    clocks.create("nested", "all ARRAY<STRUCT<ts: TIMESTAMP>>")
    clocks.sql("INSERT INTO parts SELECT * FROM src")
    clocks.sql("INSERT INTO nested SELECT array(struct(ts)) FROM src")
    frames = [clocks.spark.table("parts"), clocks.spark.table("nested")]
    clocks.sql(f"SET TIME ZONE '{AWAY}'")
    for frame in frames:
        refuse(frame.collect)
    refuse(lambda: frames[0].write.insertInto("dst"))
    assert shown(clocks, "parts") == [(1, CLOCK)]


def test_a_view_of_a_frame_is_refused_where_another_zone_is(clocks: Tables, spark: SparkSession) -> None:
    frame = clocks.spark.table("src")
    frame.createOrReplaceTempView("passed_on")
    frame.createOrReplaceGlobalTempView("shared")
    other = spark.newSession()
    try:
        other.conf.set(ZONE, AWAY)
        refuse(lambda: other.sql("SELECT * FROM global_temp.shared").collect())
        other.conf.set(ZONE, HOME)
        assert other.sql("SELECT id, CAST(ts AS STRING) FROM global_temp.shared").collect() == [(1, CLOCK)]
        clocks.sql(f"SET TIME ZONE '{AWAY}'")
        refuse(lambda: clocks.sql("SELECT * FROM passed_on"))
        refuse(lambda: clocks.sql("INSERT INTO dst SELECT * FROM passed_on"))
        refuse(lambda: clocks.sql("DELETE FROM src WHERE ts IN (SELECT ts FROM passed_on)"))
        refuse(lambda: clocks.sql("CREATE TABLE made STORED AS ORC AS SELECT * FROM passed_on"))
        assert shown(clocks, "src") == [(1, CLOCK)]
        assert shown(clocks, "dst") == []
    finally:
        spark.catalog.dropGlobalTempView("shared")


def test_a_cache_of_another_zone_hinders_nobody_who_changes_its_table(clocks: Tables, spark: SparkSession) -> None:
    cached = clocks.spark.table("src").cache()
    assert cached.count() == 1
    clocks.sql("CREATE TABLE plain (id INT) STORED AS PARQUET")
    joined = clocks.spark.table("src").join(clocks.spark.table("plain"), "id", "left").cache()
    assert joined.count() == 1
    other = spark.newSession()
    other.conf.set(ZONE, AWAY)
    other.sql(f"INSERT INTO {clocks.database}.src VALUES (2, TIMESTAMP '{CLOCK}')")
    other.sql(f"INSERT INTO {clocks.database}.plain VALUES (2)")
    expected = [(1, CLOCK), (2, CLOCK)]
    for frame in (cached, joined):
        assert frame.selectExpr("id", "CAST(ts AS STRING)").orderBy("id").collect() == expected
