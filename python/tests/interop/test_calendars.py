"""Days before 1582-10-15 of files that name no calendar: Hive of the metastore's line says which days they are."""

from datetime import date, timedelta
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import orc, parquet
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from interop.hive_engine import HiveEngine
from interop.hive_table import HiveTable

pytestmark = pytest.mark.interop

STORED = tuple(
    date.fromisoformat(day) for day in ("1012-02-27", "1582-10-10", "1582-10-14", "1582-10-15", "2024-01-01")
)
"""What the file holds, read in the proleptic calendar."""

IN_HIVE_4 = ("1012-02-21", "1582-09-30", "1582-10-04", "1582-10-15", "2024-01-01")
"""The same days in the hybrid of Julian and Gregorian."""

COLUMNS = "id INT, d DATE, t TIMESTAMP, l ARRAY<DATE>"
QUERY = "SELECT id, CAST(d AS STRING), CAST(t AS STRING), CAST(l[0] AS STRING)"


def unmarked(hive: HiveEngine, name: str) -> HiveTable:
    """A transactional table of one original, whose writer, as Hive 1, 2 and 3 do, names no calendar."""
    hive.sql(f"CREATE TABLE {name} ({COLUMNS}) STORED AS ORC TBLPROPERTIES ('transactional'='false')")
    table = HiveTable(hive, name)
    orc.write_table(days_as_arrow(), table.location() / "000000_0")
    hive.sql(f"ALTER TABLE {name} SET TBLPROPERTIES ('EXTERNAL'='FALSE', 'transactional'='true')")
    return table


def days_as_arrow() -> pa.Table:
    """The stored days, each as DATE, at noon, and within a list."""
    seconds = [(day - date(1970, 1, 1)) // timedelta(seconds=1) + 43200 for day in STORED]
    columns = {
        "id": pa.array(range(len(STORED)), pa.int32()),
        "d": pa.array(STORED, pa.date32()),
        "t": pa.array(seconds, pa.timestamp("s")).cast(pa.timestamp("us")),
        "l": pa.array([[day] for day in STORED], pa.list_(pa.date32())),
    }
    return pa.table(columns)


def parquet_table(hive: HiveEngine, name: str) -> HiveTable:
    """An empty insert-only table."""
    properties = "'transactional'='true', 'transactional_properties'='insert_only'"
    hive.sql(f"CREATE TABLE {name} ({COLUMNS}) STORED AS PARQUET TBLPROPERTIES ({properties})")
    return HiveTable(hive, name)


def check(table: HiveTable, spark: SparkSession, days: tuple[str, ...], first_id: int = 0) -> None:
    """Hive's readers and Spark show these days, and Spark finds each by a filter."""
    expected: list[tuple[Any, ...]] = [(first_id + n, day, f"{day} 12:00:00", day) for n, day in enumerate(days)]
    # as dates: the text that 3.1.3 casts a DATE to is of the hybrid calendar
    plain = sorted(table.rows_plain("id, d, t, l[0]"))
    assert [(row[0], *map(str, row[1:])) for row in plain] == expected
    # not the list, whose days the vectorised Parquet reader of 4.1.0 does not convert
    vectorised = table.rows_vectorised("id", "id, d, t")
    assert [(row[0], *map(str, row[1:])) for row in vectorised] == [row[:3] for row in expected]

    def rows(where: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in spark.sql(f"{QUERY} FROM {table.name} WHERE {where} ORDER BY id").collect()]

    assert rows("true") == expected
    for day in set(days):
        assert rows(f"d = DATE '{day}'") == [row for row in expected if row[1] == day]
        assert rows(f"t <= TIMESTAMP '{day} 12:00:00'") == [row for row in expected if row[1] <= day]
    dates = f"SELECT id, CAST(d AS STRING) FROM {table.name} WHERE d = DATE '{days[0]}'"
    found = sorted(tuple(row) for row in spark.sql(dates).collect())
    assert found == [row[:2] for row in expected if row[1] == days[0]], "without timestamps"


def test_unmarked_files_show_the_days_of_the_metastores_line_until_and_after_they_are_rewritten(
    hive: HiveEngine, spark: SparkSession
) -> None:
    days = IN_HIVE_4 if hive.version.startswith("4.") else tuple(str(day) for day in STORED)
    hive.sql("SET hive.input.format=org.apache.hadoop.hive.ql.io.HiveInputFormat")
    updated, folded = unmarked(hive, "updated"), unmarked(hive, "folded")
    check(updated, spark, days)
    check(folded, spark, days)
    spark.sql("UPDATE updated SET id = id + 10")
    check(updated, spark, days, 10)
    updated.compact_major()
    check(updated, spark, days, 10)
    spark.sql("ALTER TABLE folded COMPACT 'major'")
    check(folded, spark, days)


def test_parquet_files_that_name_no_calendar_show_the_days_of_the_metastores_line(
    hive: HiveEngine, spark: SparkSession
) -> None:
    days = IN_HIVE_4 if hive.version.startswith("4.") else tuple(str(day) for day in STORED)
    table = parquet_table(hive, "parquet_unmarked")
    spark.sql("INSERT INTO parquet_unmarked SELECT 0, NULL, NULL, NULL")
    (delta,) = (path for path in table.location().iterdir() if path.name.startswith("delta_"))
    for path in delta.iterdir():
        if path.name != "_orc_acid_version" and not path.name.startswith("._"):
            path.unlink()
    parquet.write_table(days_as_arrow(), delta / "000000_0", use_deprecated_int96_timestamps=True)
    check(table, spark, days)
    spark.sql("ALTER TABLE parquet_unmarked COMPACT 'major'")
    check(table, spark, days)


def test_parquet_files_of_hive_and_of_spark_show_the_days_that_were_written(
    hive: HiveEngine, spark: SparkSession
) -> None:
    days = ("1012-02-27", "1500-02-28", "1582-10-04", "1582-10-15", "2024-01-01")
    values = " UNION ALL ".join(
        f"SELECT {n}, CAST('{day}' AS DATE), CAST('{day} 12:00:00' AS TIMESTAMP), array(CAST('{day}' AS DATE))"
        for n, day in enumerate(days)
    )
    of_hive, of_spark = parquet_table(hive, "parquet_of_hive"), parquet_table(hive, "parquet_of_spark")
    hive.sql(f"INSERT INTO parquet_of_hive {values}")
    check(of_hive, spark, days)
    spark.sql(f"INSERT INTO parquet_of_spark {values}")
    check(of_spark, spark, days)
    spark.sql("INSERT INTO parquet_of_spark SELECT id + 5, d, t, l FROM parquet_of_hive")
    for _ in range(2):
        check(of_spark, spark, days * 2)
        spark.sql("ALTER TABLE parquet_of_spark COMPACT 'major'")


def test_a_day_that_hive_4_cannot_store_in_parquet_is_refused(hive: HiveEngine, spark: SparkSession) -> None:
    table = parquet_table(hive, "parquet_gap")
    insert = "INSERT INTO parquet_gap SELECT 1, DATE '1582-10-10', TIMESTAMP '1582-10-10 12:00:00', NULL"
    if hive.version.startswith("4."):
        with pytest.raises(AnalysisException, match=r"HIVE_ACID_UNWRITABLE_VALUE.*column t"):
            spark.sql(insert)
    else:
        spark.sql(insert)
        assert [str(value) for value in table.rows_plain("d, t")[0]] == ["1582-10-10", "1582-10-10 12:00:00"]
    spark.sql("INSERT INTO parquet_gap SELECT 2, DATE '1582-10-10', NULL, NULL")
    assert [tuple(row) for row in spark.sql("SELECT CAST(d AS STRING) FROM parquet_gap WHERE id = 2").collect()] == [
        ("1582-10-10",)
    ]
    assert str(dict(table.rows_plain("id, d"))[2]) == "1582-10-10"


@pytest.mark.parametrize(
    ("form", "day"), [("TEXTFILE", "1582-10-10"), ("SEQUENCEFILE", "1582-10-10"), ("RCFILE", "1012-02-27")]
)
def test_days_that_spark_would_take_for_others_are_refused(
    hive: HiveEngine, spark: SparkSession, form: str, day: str
) -> None:
    name = f"early_{form.lower()}"
    properties = "'transactional'='true', 'transactional_properties'='insert_only'"
    hive.sql(f"CREATE TABLE {name} (id INT, d DATE) STORED AS {form} TBLPROPERTIES ({properties})")
    hive.sql(f"INSERT INTO {name} SELECT 1, CAST('1582-10-25' AS DATE)")
    query = f"SELECT id, CAST(d AS STRING) FROM {name}"
    assert [tuple(row) for row in spark.sql(query).collect()] == [(1, "1582-10-25")]
    hive.sql(f"INSERT INTO {name} SELECT 2, CAST('{day}' AS DATE)")
    with pytest.raises(Exception, match=r"HIVE_ACID_UNSUPPORTED_TABLE.*Hive may show as another"):
        spark.sql(query).collect()
    assert spark.sql(f"SELECT id FROM {name}").count() == 2
