"""Real Hive and Spark with this package agree on every type at its limits, on early dates and on altered columns."""

from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from interop import type_limits
from interop.evolutions import BY_POSITION, EVOLUTIONS
from interop.hive_engine import HiveEngine
from interop.hive_table import acid_table
from interop.reader_checks import ZONES, check_early, check_evolved, check_limits, rows
from interop.spark_beside import session_beside
from support.spark_lines import FAILED_JOB

pytestmark = pytest.mark.interop

JVM_ZONE = "Pacific/Apia"


@pytest.fixture(scope="module")
def spark(hive: HiveEngine, no_session: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A session on the engine's metastore, in a JVM whose time zone is another than the session's."""
    with session_beside(hive, tmp_path_factory.mktemp("spark"), ZONES[0]) as session:
        jvm: Any = session._jvm
        zones = jvm.java.util.TimeZone
        own = zones.getDefault()
        zones.setDefault(zones.getTimeZone(JVM_ZONE))
        try:
            yield session
        finally:
            zones.setDefault(own)


def test_every_type_at_its_limits_written_by_hive_is_read_and_rewritten_by_spark(
    hive: HiveEngine, spark: SparkSession
) -> None:
    table = acid_table(hive, "limits_of_hive", type_limits.COLUMNS)
    acid_table(hive, "limits", type_limits.COLUMNS)
    spark.sql(f"INSERT INTO limits {type_limits.query()}")
    # not the query itself: Hive 3.1.3 takes its -0.0 for 0.0
    hive.sql("INSERT INTO limits_of_hive SELECT * FROM limits")
    check_limits(table, spark, 0)
    for run, zone in enumerate(ZONES, 1):
        spark.conf.set("spark.sql.session.timeZone", zone)
        assert rows(spark, "UPDATE limits_of_hive SET id = id + 100") == [(type_limits.ROWS,)]
        check_limits(table, spark, 100 * run)


def test_every_type_at_its_limits_written_by_spark_is_read_and_rewritten_by_hive(
    hive: HiveEngine, spark: SparkSession
) -> None:
    """In one time zone; the other test writes in each."""
    table = acid_table(hive, "limits_of_spark", type_limits.COLUMNS)
    spark.conf.set("spark.sql.session.timeZone", ZONES[0])
    spark.sql(f"INSERT INTO {table.name} {type_limits.query()}")
    hive.sql(f"UPDATE {table.name} SET id = id + 100")
    check_limits(table, spark, 100)
    table.compact_major()
    check_limits(table, spark, 100)


DAYS = (
    *("0001-01-01", "1000-02-28", "1582-10-04", "1582-10-05", "1582-10-14", "1582-10-15"),
    *("1899-12-31", "1969-12-31", "9999-12-31"),
)
SHIFTED = {"1582-10-05": "1582-10-15", "1582-10-14": "1582-10-24"}
"""Days that the calendar of Hive 4's files leaves out, and what it writes for them."""


def early(hive: HiveEngine, first_id: int, *, by_hive: bool) -> list[tuple[Any, ...]]:
    """(id, date, timestamp) of DAYS as all engines show them of files that Hive or Spark wrote."""
    shifted = SHIFTED if by_hive and hive.version.startswith("4.") else {}
    days = [shifted.get(day, day) for day in DAYS]
    return [(first_id + n, day, f"{day} 12:34:56.5") for n, day in enumerate(days)]


def test_early_dates_and_timestamps_are_the_same_days_for_hive_and_spark(hive: HiveEngine, spark: SparkSession) -> None:
    values = " UNION ALL ".join(
        f"SELECT {n}, CAST('{day}' AS DATE), CAST('{day} 12:34:56.5' AS TIMESTAMP)" for n, day in enumerate(DAYS)
    )
    of_spark, of_hive = (
        acid_table(hive, name, "id INT, d DATE, t TIMESTAMP") for name in ("early_of_spark", "early_of_hive")
    )
    spark.sql(f"INSERT INTO early_of_spark {values}")
    hive.sql(f"INSERT INTO early_of_hive {values}")
    check_early(of_spark, spark, early(hive, 0, by_hive=False))
    check_early(of_hive, spark, early(hive, 0, by_hive=True))
    spark.sql("UPDATE early_of_hive SET id = id + 100")
    check_early(of_hive, spark, early(hive, 100, by_hive=True))
    of_hive.compact_major()
    check_early(of_hive, spark, early(hive, 100, by_hive=True))
    # what Hive 4 rewrites, it writes in its own calendar
    hive.sql("UPDATE early_of_spark SET id = id + 100")
    check_early(of_spark, spark, early(hive, 100, by_hive=True))


def test_hive_itself_loses_the_values_of_binary_partition_columns(hive: HiveEngine, spark: SparkSession) -> None:
    """No such table is written for this reason (docs/internals/hive-facts.md)."""
    hive.sql("CREATE TABLE b (id INT) PARTITIONED BY (b BINARY) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
    hive.sql("SET hive.stats.autogather=false")  # with which these fail
    try:
        hive.sql("INSERT INTO b PARTITION (b) SELECT 1, CAST('abc' AS BINARY)")
        hive.sql("INSERT INTO b PARTITION (b = 'abc') VALUES (2)")
    finally:
        hive.sql("SET hive.stats.autogather=true")
    by_address, as_text = sorted(name for (name,) in hive.sql("SHOW PARTITIONS b").rows)
    assert by_address.startswith("b=%5BB@")
    assert as_text == "b=61 62 63"
    assert hive.sql("SELECT hex(b) FROM b WHERE id = 1").rows == [(b"61 62 63".hex(),)]
    assert hive.sql("SELECT id FROM b WHERE b = CAST('abc' AS BINARY)").rows == []
    with pytest.raises(PySparkException, match="partition column b has type binary"):
        spark.sql("INSERT INTO b VALUES (3, CAST('abc' AS BINARY))")


def test_nanoseconds_are_not_lost_by_an_update(hive: HiveEngine, spark: SparkSession) -> None:
    table = acid_table(hive, "nanoseconds", "id INT, t TIMESTAMP, s STRUCT<t: TIMESTAMP>")
    nanos = "2024-06-15 12:00:00.123456789"
    hive.sql(
        f"INSERT INTO nanoseconds SELECT 1, CAST('{nanos}' AS TIMESTAMP), "
        f"NAMED_STRUCT('t', CAST('{nanos}' AS TIMESTAMP))"
    )
    micros = nanos.removesuffix("789")
    assert rows(spark, "SELECT CAST(t AS STRING), CAST(s.t AS STRING) FROM nanoseconds") == [(micros, micros)]
    for statement in (
        "UPDATE nanoseconds SET id = 2",
        "UPDATE nanoseconds SET t = TIMESTAMP '2024-01-01 00:00:00'",
        "MERGE INTO nanoseconds n USING (SELECT 1 AS id) s ON n.id = s.id WHEN MATCHED THEN UPDATE SET id = 2",
    ):
        with pytest.raises(PySparkException, match="Spark keeps only microseconds") as raised:
            spark.sql(statement)
        assert raised.value.getCondition() == "HIVE_ACID_UNSUPPORTED_TABLE.NANOSECONDS"
    kept = [(1, nanos, f'{{"t":"{nanos}"}}')]
    table.check_rows("id", kept)
    assert rows(spark, "DELETE FROM nanoseconds WHERE id = 3") == [(0,)]
    spark.sql("INSERT OVERWRITE nanoseconds SELECT * FROM nanoseconds")
    assert rows(spark, "UPDATE nanoseconds SET id = 2") == [(1,)]
    table.check_rows("id", [(2, micros, f'{{"t":"{micros}"}}')])


LEVELS = 10
DEEP_TYPE, DEEP_VALUE, DEEP_TEXT = "STRING", "'deep'", '"deep"'
for level in range(LEVELS):
    DEEP_TYPE = (f"ARRAY<{DEEP_TYPE}>", f"MAP<STRING, {DEEP_TYPE}>", f"STRUCT<f: {DEEP_TYPE}, n: INT>")[level % 3]
    DEEP_VALUE = (f"ARRAY({DEEP_VALUE})", f"MAP('k', {DEEP_VALUE})", f"NAMED_STRUCT('f', {DEEP_VALUE}, 'n', {level})")[
        level % 3
    ]
    DEEP_TEXT = (f"[{DEEP_TEXT}]", f'{{"k":{DEEP_TEXT}}}', f'{{"f":{DEEP_TEXT},"n":{level}}}')[level % 3]
WIDE = 200


def test_nested_values_are_read_pruned_and_updated_ten_levels_deep(hive: HiveEngine, spark: SparkSession) -> None:
    wide = ", ".join(f"f{n}: INT" for n in range(WIDE))
    wide_values = ", ".join(f"'f{n}', {n}" for n in range(WIDE))
    pairs = "ARRAY<STRUCT<x: INT, y: STRING>>"
    table = acid_table(hive, "nested", f"id INT, d {DEEP_TYPE}, w STRUCT<{wide}>, m MAP<STRING, {pairs}>")
    spark.sql(
        f"INSERT INTO nested SELECT 1, {DEEP_VALUE}, NAMED_STRUCT({wide_values}), "
        f"MAP('a', ARRAY(NAMED_STRUCT('x', 1, 'y', 'why')), 'null', CAST(NULL AS {pairs}))"
    )
    # Hive makes no empty array or map of a type, nor a typed NULL, as Spark does
    spark.sql("INSERT INTO nested SELECT 2, NULL, NULL, map()")
    spark.sql("INSERT INTO nested SELECT 3, array(), NULL, map('empty', array())")
    wide_text = "{" + ",".join(f'"f{n}":{n}' for n in range(WIDE)) + "}"
    expected = [
        (1, DEEP_TEXT, wide_text, '{"a":[{"x":1,"y":"why"}],"null":null}'),
        (2, None, None, "{}"),
        (3, "[]", None, '{"empty":[]}'),
    ]
    assert sorted(table.rows_plain()) == expected
    assert table.rows_vectorised("id") == expected
    assert rows(spark, "SELECT id, w.f7, w.f199, m['a'].y[0] FROM nested WHERE w.f100 = 100") == [(1, 7, 199, "why")]
    assert rows(spark, "UPDATE nested SET w.f0 = 1000 WHERE id = 1") == [(1,)]
    expected[0] = (expected[0][0], DEEP_TEXT, wide_text.replace('"f0":0', '"f0":1000'), expected[0][3])
    assert sorted(table.rows_plain()) == expected
    hive.sql("UPDATE nested SET id = id + 10")
    expected = [(10 + row[0], *row[1:]) for row in expected]
    assert table.rows_vectorised("id") == expected
    assert rows(spark, "SELECT id, to_json(d), to_json(w) FROM nested ORDER BY id") == [row[:3] for row in expected]


@pytest.mark.parametrize("name", EVOLUTIONS)
def test_rows_from_before_a_table_was_altered_are_the_same_for_hive_and_spark(
    hive: HiveEngine, spark: SparkSession, name: str
) -> None:
    evolution = (EVOLUTIONS if hive.version.startswith("3.") else BY_POSITION)[name]
    table = acid_table(hive, f"evolved_{name}", f"id INT, {evolution.columns}", evolution.partitioned_by)
    into = f"INSERT INTO {table.name}" + (" PARTITION (p='old')" if evolution.partitioned_by else "")
    hive.sql(f"{into} SELECT 1, {evolution.old} UNION ALL SELECT 3, {evolution.old}")
    for alteration in evolution.alterations:
        hive.sql(f"ALTER TABLE {table.name} {alteration}")
    old, new = evolution.rows
    hive.sql(f"{into} SELECT 2, {evolution.new}")
    check_evolved(table, spark, {1: old, 2: new, 3: old})
    for condition, found in evolution.filters:
        query = f"SELECT id FROM {table.name} WHERE ({condition}) AND id < 3 ORDER BY id"
        assert rows(spark, query) == [(key,) for key in found], condition
    assert rows(spark, f"UPDATE {table.name} SET {evolution.update} WHERE id = 1") == [(1,)]
    merge = f"MERGE INTO {table.name} t USING (SELECT 2 AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE"
    assert rows(spark, merge)[0][0] == 1
    check_evolved(table, spark, {1: evolution.updated, 3: old})
    if evolution.partitioned_by:
        return  # Hive 3.1.3 compacts a partition by the partition's own columns, and so loses what is in new ones
    table.compact_major()
    check_evolved(table, spark, {1: evolution.updated, 3: old})


def test_fields_of_structs_are_written_in_the_case_in_which_hive_looks_for_them(
    hive: HiveEngine, spark: SparkSession
) -> None:
    table = acid_table(hive, "nested_case", "id INT, s STRUCT<Xx: INT, yY: ARRAY<STRUCT<Zz: INT>>>")
    hive.sql("INSERT INTO nested_case SELECT 1, NAMED_STRUCT('Xx', 5, 'yY', ARRAY(NAMED_STRUCT('Zz', 6)))")
    spark.sql("INSERT INTO nested_case SELECT 2, named_struct('Xx', 7, 'yY', array(named_struct('Zz', 8)))")
    expected = [(1, 5, 6), (2, 7, 8)]
    fields = "id, s.Xx, s.yY[0].Zz"
    assert rows(spark, f"SELECT {fields} FROM nested_case ORDER BY id") == expected
    assert sorted(table.rows_plain(fields)) == expected
    assert table.rows_vectorised("id", fields) == expected


def test_types_that_spark_has_not_are_refused_by_name(hive: HiveEngine, spark: SparkSession) -> None:
    acid_table(hive, "with_union", "id INT, u UNIONTYPE<INT, STRING>, z STRING")
    hive.sql("INSERT INTO with_union SELECT 1, CREATE_UNION(0, 5, 'a'), 'z'")
    for statement in ("SELECT id, z FROM with_union", "DELETE FROM with_union WHERE id = 1"):
        with pytest.raises(FAILED_JOB, match=r"(?i)uniontype<int,string>.*column:? `u`"):
            spark.sql(statement)
    assert hive.sql("SELECT id, z FROM with_union").rows == [(1, "z")]
    acid_table(hive, "with_zone", "id INT, u TIMESTAMP WITH LOCAL TIME ZONE, z STRING")
    with pytest.raises(Exception, match=r"(?i)timestamp with local time zone"):
        spark.sql("INSERT INTO with_zone SELECT 1, NULL, 'z'")
    if hive.version.startswith("4."):  # 3.1.3 cannot store one
        hive.sql("INSERT INTO with_zone SELECT 1, CAST('2020-01-01 00:00:00' AS TIMESTAMP WITH LOCAL TIME ZONE), 'z'")
        assert rows(spark, "SELECT id, z FROM with_zone") == [(1, "z")]
        hive.sql(
            "CREATE TABLE zone_io (id INT, u TIMESTAMP WITH LOCAL TIME ZONE) STORED AS ORC "
            "TBLPROPERTIES ('transactional'='true', 'transactional_properties'='insert_only')"
        )
        hive.sql("INSERT INTO zone_io SELECT 1, CAST('2020-01-01 00:00:00' AS TIMESTAMP WITH LOCAL TIME ZONE)")
        assert rows(spark, "SELECT id FROM zone_io") == [(1,)]
        for name in ("with_zone", "zone_io"):
            with pytest.raises(PySparkException, match=r"UNKNOWN_TYPE.*timestamp with local time zone"):
                spark.sql(f"SELECT * FROM {name}").collect()
