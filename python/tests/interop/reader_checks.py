"""Checks that Hive's readers, plain and vectorised, and Spark show the same rows of a table."""

from decimal import Decimal
from typing import Any

from pyspark.sql import SparkSession

from interop import type_limits
from interop.hive_table import HiveTable

ZONES = ("Asia/Kathmandu", "America/Los_Angeles", "UTC")
"""Time zones of the session; the JVM's is another one."""


def rows(spark: SparkSession, query: str) -> list[tuple[Any, ...]]:
    """The rows of a query in Spark, as tuples."""
    return [tuple(row) for row in spark.sql(query).collect()]


def check_limits(table: HiveTable, spark: SparkSession, first_id: int) -> None:
    """Hive's row reader, Hive's vectorised reader and Spark in each zone all return the rows of `type_limits`."""
    expected = type_limits.expected(first_id)
    assert type_limits.normal(table.rows_plain()) == expected
    assert type_limits.normal(table.rows_vectorised("id")) == expected
    for zone in ZONES:
        spark.conf.set("spark.sql.session.timeZone", zone)
        assert type_limits.normal(rows(spark, f"SELECT {type_limits.SELECTED} FROM {table.name}")) == expected, zone


def check_early(table: HiveTable, spark: SparkSession, expected: list[tuple[Any, ...]]) -> None:
    """All readers show these days, and find one of them by a filter."""
    table.check_rows("id", expected)
    assert table.rows_by_row_job("id") == expected
    query = f"SELECT id, CAST(d AS STRING), CAST(t AS STRING) FROM {table.name}"
    assert rows(spark, f"{query} ORDER BY id") == expected
    for row in expected:
        assert rows(spark, f"{query} WHERE d = DATE '{row[1]}' AND id = {row[0]}") == [row]
        assert rows(spark, f"{query} WHERE t = TIMESTAMP '{row[2]}' AND id = {row[0]}") == [row]


def values(spark: SparkSession, table: HiveTable, columns: list[str]) -> list[tuple[Any, ...]]:
    """The rows in Spark, sorted by ID, with nested values as Hive's JSON."""
    kinds = dict(spark.table(table.name).dtypes)
    nested = ("struct", "array", "map")
    selected = [
        f"to_json({name}, map('ignoreNullFields', 'false'))" if kinds[name].startswith(nested) else name
        for name in columns
    ]
    return rows(spark, f"SELECT {', '.join(selected)} FROM {table.name} ORDER BY id")


def like(found: list[tuple[Any, ...]], expected: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The rows found, sorted, with decimals for the texts that Hive makes of them."""
    assert len(found) == len(expected)
    return [
        tuple(Decimal(value) if isinstance(wanted, Decimal) else value for value, wanted in zip(row, want, strict=True))
        for row, want in zip(sorted(found), expected, strict=True)
    ]


def check_evolved(table: HiveTable, spark: SparkSession, expected: dict[int, tuple[Any, ...]]) -> None:
    """All readers return these rows, by ID."""
    every = [(key, *row) for key, row in sorted(expected.items())]
    columns = [name for name in spark.table(table.name).columns if name != "p"]
    assert values(spark, table, columns) == every
    assert like(table.rows_plain(", ".join(columns)), every) == every
    assert like(table.rows_vectorised("id", ", ".join(columns)), every) == every
