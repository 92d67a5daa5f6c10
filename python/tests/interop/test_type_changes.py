"""What the values of old files become when a column's type has changed: in Spark what they are in Hive of that line."""

import re
from dataclasses import dataclass
from decimal import Context, Decimal
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from interop.hive_engine import HiveEngine
from interop.hive_table import HiveTable, acid_table

pytestmark = pytest.mark.interop

WHOLE = ("0", "1", "-1", "127", "-128")
WIDE = ("32767", "-32769", "2147483647", "-2147483648", "16777217", "-99999")
LONG = ("9223372036854775807", "-9223372036854775808", "9007199254740993", "9007199791611905", "1234567890123456789")
REAL = (
    *("0.0", "-0.0", "0.1", "-0.1", "0.5", "1.5", "2.5", "-1.5", "74.72", "12345.678", "16777217", "9999999.5"),
    *("1.0E7", "0.001", "1.0E-5", "1.23456789E-7", "1.0E10", "1.0E20", "1.0E38", "1.4E-45", "3.4028235E38"),
    *("NaN", "Infinity", "-Infinity", "127", "128", "-129", "32768", "2147483648", "-2147483649", "9.3E18"),
)
DOUBLES = ("1.0E300", "-1.0E-300", "4.9E-324", "1.7976931348623157E308", "0.30000001192092896", "9.223372036854775E18")
DECIMALS = (
    *("0", "1", "-1", "0.1", "-0.5", "1.5", "2.5", "127", "128", "-129", "32768", "2147483648", "16777217"),
    *("9223372036854775807", "9223372036854775808", "-9223372036854775809.9", "99999999999999999999"),
    *("12345.6789012345", "0.000000000000001", "3.14", "255.99999"),
)
TEXTS = (
    *("1", "0", " 1", "1 ", "-1", "1.5", "abc", "", "+1", "1e3", "1E400", "NaN", "Infinity", "inf", "true", "0x10"),
    *("127", "128", "32768", "2147483648", "9223372036854775807", "9223372036854775808", "0.1", "-0.0", "1f", "1L"),
    *("99999999999999999999", "1234567.891", "00012", ".5", "5.", "1_0", "-", "1,000", "3.4028236e38", "1e-50"),
    "1.00000017881393432617187499",
)
DAYS = (
    *("0001-01-01", "1000-02-28", "1500-03-01", "1582-10-04", "1582-10-15", "1583-01-01", "1883-11-18"),
    *("1899-12-31", "1900-01-01", "1969-12-31", "1970-01-01", "2024-02-29", "9999-12-31"),
)
CLOCKS = (
    *("0001-01-01 00:00:00", "1500-03-01 12:00:00", "1582-10-04 23:59:59.5", "1582-10-15 00:00:00"),
    *("1883-11-18 12:01:00", "1890-06-01 05:45:00.789", "1969-12-31 23:59:58.999999", "1970-01-01 00:00:00.1"),
    *("2024-03-10 02:30:00", "2024-11-03 01:30:00", "2024-06-15 12:34:56.120000", "9999-12-31 23:59:59.999999"),
)
SOURCES: dict[str, tuple[str, ...]] = {
    "BOOLEAN": ("true", "false"),
    "TINYINT": WHOLE,
    "SMALLINT": (*WHOLE, "128", "255", "256", "32767", "-32768"),
    "INT": (*WHOLE, *WIDE),
    "BIGINT": (*WHOLE, *WIDE, *LONG),
    "FLOAT": REAL,
    "DOUBLE": (*REAL, *DOUBLES),
    "DECIMAL(38,15)": DECIMALS,
    "DECIMAL(10,2)": tuple(text for text in DECIMALS if len(text) < 8),
    "STRING": TEXTS,
    "CHAR(8)": tuple(text for text in TEXTS if len(text) <= 8),
    "VARCHAR(6)": tuple(text for text in TEXTS if len(text) <= 6),
    "DATE": DAYS,
    "TIMESTAMP": CLOCKS,
}
NUMBERS_AND_TEXT = (
    *("BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(38,15)", "DECIMAL(10,2)"),
    *("DECIMAL(20,5)", "DECIMAL(18,0)", "STRING", "CHAR(8)", "VARCHAR(6)", "CHAR(3)", "VARCHAR(3)"),
)


TARGETS = {
    "DATE": ("STRING", "CHAR(12)", "VARCHAR(8)", "TIMESTAMP"),
    "TIMESTAMP": ("STRING", "CHAR(40)", "VARCHAR(13)"),
}


def targets(source: str) -> list[str]:
    """The types that a column of this one may become."""
    return [kind for kind in TARGETS.get(source, NUMBERS_AND_TEXT) if kind != source]


def normal(kind: str, value: Any) -> Any:
    """One form for the values of both engines."""
    if value is None:
        return None
    text = str(value)
    if kind in ("FLOAT", "DOUBLE"):
        return repr(float(text))
    if kind.startswith("DECIMAL"):
        return str(Decimal(text).normalize(Context(prec=60)))
    if kind == "BOOLEAN":
        return text.lower()
    return text.rstrip(" ") if kind.startswith("CHAR") else text.removesuffix(".0")


@dataclass(frozen=True)
class Changed:
    """A table of columns `c0`, `c1` and so on of one type, each of which has become another of `kinds`."""

    table: HiveTable
    kinds: list[str]
    spark: SparkSession

    def values_in_hive(self) -> list[tuple[Any, ...]]:
        """The rows in Hive, plain and vectorised, which must be the same."""
        plain = self._normal(self.table.rows_plain())
        assert self._normal(self.table.rows_vectorised("id")) == plain
        return plain

    def values_in_spark(self) -> list[tuple[Any, ...]]:
        """The same in Spark."""
        selected = ", ".join(f"CAST(c{n} AS STRING)" for n in range(len(self.kinds)))
        return self._normal(rows(self.spark, f"SELECT id, {selected} FROM {self.table.name}"))

    def _normal(self, found: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        kinds = ["INT", *self.kinds]
        return sorted(tuple(map(normal, kinds, row)) for row in found)


def rows(spark: SparkSession, query: str) -> list[tuple[Any, ...]]:
    """The rows of a query in Spark, as tuples."""
    return [tuple(row) for row in spark.sql(query).collect()]


def changed(hive: HiveEngine, spark: SparkSession, source: str) -> Changed:
    """A table with the values of this type, once in a file of Spark and once in one of Hive, altered afterwards."""
    kinds = targets(source)
    names = [f"c{n}" for n in range(len(kinds))]
    name = "from_" + re.sub(r"\W", "_", source.lower())
    table = acid_table(hive, name, "id INT, " + ", ".join(f"{column} {source}" for column in names))
    values = ", ".join(f"({n}, '{text}')" for n, text in enumerate(SOURCES[source])) + ", (99, NULL)"
    casts = ", ".join(f"CAST(v AS {source}) AS {column}" for column in names)
    spark.sql(f"INSERT INTO {name} SELECT id, {casts} FROM (VALUES {values}) AS t (id, v)")
    hive.sql(f"INSERT INTO {name} SELECT id + 100, {', '.join(names)} FROM {name}")
    hive.sql("SET metaconf:hive.metastore.disallow.incompatible.col.type.changes=false")
    for column, kind in zip(names, kinds, strict=True):
        hive.sql(f"ALTER TABLE {name} CHANGE COLUMN {column} {column} {kind}")
    return Changed(table, kinds, spark)


@pytest.mark.parametrize("source", SOURCES)
def test_old_values_of_every_type_become_in_spark_what_they_become_in_hive(
    hive: HiveEngine, spark: SparkSession, source: str
) -> None:
    table = changed(hive, spark, source)
    expected = table.values_in_hive()
    if source == "TIMESTAMP" and hive.version.startswith("3."):
        # Hive 3.1.3 shows instants in the time zone of its JVM
        with pytest.raises(PySparkException, match="its type timestamp would have to be read as string") as raised:
            table.values_in_spark()
        assert raised.value.getCondition() == "HIVE_ACID_UNSUPPORTED_LAYOUT"
        return
    assert len(expected) == 2 * (len(SOURCES[source]) + 1)
    assert table.values_in_spark() == expected
    spark.sql(f"ALTER TABLE {table.table.name} COMPACT 'major'")
    hive.sql("!worker")  # on 3.1 Hive is asked to clean up
    assert table.values_in_hive() == table.values_in_spark() == expected


def test_floats_that_became_another_type_are_found_updated_and_compacted_as_hive_of_the_line_shows_them(
    hive: HiveEngine, spark: SparkSession
) -> None:
    """Hive 3.1.3 takes the digits of a FLOAT, Hive 4.1.0 its value."""
    nested = {"s": "STRUCT<f: {0}, n: INT>", "l": "ARRAY<{0}>", "m": "MAP<STRING, STRUCT<f: {0}>>"}
    old = {"d": "FLOAT", "t": "FLOAT"} | {name: kind.format("FLOAT") for name, kind in nested.items()}
    new = {"d": "DOUBLE", "t": "STRING"} | {name: kind.format("DOUBLE") for name, kind in nested.items()}
    columns = ", ".join(f"{name} {kind}" for name, kind in old.items())
    table = acid_table(hive, "floats", f"id INT, {columns}", "p STRING")
    f = "CAST(0.1 AS FLOAT)"
    values = f"{f}, {f}, NAMED_STRUCT('f', {f}, 'n', 1), ARRAY({f}, {f}), MAP('k', NAMED_STRUCT('f', {f}))"
    hive.sql(f"INSERT INTO floats PARTITION (p='x') SELECT 1, {values} UNION ALL SELECT 2, {values}")
    for name, kind in new.items():
        hive.sql(f"ALTER TABLE floats CHANGE COLUMN {name} {name} {kind} CASCADE")
    value = "0.10000000149011612" if hive.version.startswith("4.") else "0.1"
    expected = (float(value), value, f'{{"f":{value},"n":1}}', f"[{value},{value}]", f'{{"k":{{"f":{value}}}}}', "x")
    selected = "id, d, t, to_json(s), to_json(l), to_json(m), p"

    def check(*ids: int) -> None:
        found = [(n, *expected) for n in ids]
        table.check_rows("id", found)
        assert rows(spark, f"SELECT {selected} FROM floats ORDER BY id") == found

    check(1, 2)
    for condition in (f"d = {value}D", f"t = '{value}'", f"s.f = {value}D", f"l[1] = {value}D", f"m['k'].f = {value}D"):
        assert rows(spark, f"SELECT id FROM floats WHERE {condition} AND id = 1") == [(1,)], condition
        assert rows(spark, f"SELECT id FROM floats WHERE NOT {condition}") == [], condition
    assert rows(spark, f"UPDATE floats SET id = 3 WHERE d = {value}D AND id = 2") == [(1,)]
    check(1, 3)
    table.compact_major("p='x'")
    check(1, 3)
    spark.sql("UPDATE floats SET id = 4 WHERE id = 3")
    spark.sql("ALTER TABLE floats PARTITION (p='x') COMPACT 'major'")
    check(1, 4)
