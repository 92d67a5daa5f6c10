"""What the values of old files become when a column's type has changed: in Spark what they are in Hive of that line."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from interop.hive_engine import HiveEngine
from interop.hive_table import HiveTable, acid_table
from interop.type_changes import VALUES, VALUES_OF_HIVE_4, find_targets, find_targets_of_hive_4, normal

pytestmark = pytest.mark.interop


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
        shown = (
            f"lower(hex(c{n}))" if kind == "BINARY" else f"CAST(c{n} AS STRING)" for n, kind in enumerate(self.kinds)
        )
        selected = ", ".join(shown)
        return self._normal(rows(self.spark, f"SELECT id, {selected} FROM {self.table.name}"))

    def _normal(self, found: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        kinds = ["INT", *self.kinds]
        return sorted(tuple(map(normal, kinds, row)) for row in found)


def rows(spark: SparkSession, query: str) -> list[tuple[Any, ...]]:
    """The rows of a query in Spark, as tuples."""
    return [tuple(row) for row in spark.sql(query).collect()]


def changed(
    hive: HiveEngine, spark: SparkSession, name: str, source: str, values: Sequence[str], kinds: list[str]
) -> Changed:
    """A table with these values, once in a file of Spark and once in one of Hive, altered afterwards."""
    names = [f"c{n}" for n in range(len(kinds))]
    table = acid_table(hive, name, "id INT, " + ", ".join(f"{column} {source}" for column in names))
    listed = ", ".join(f"({n}, '{text}')" for n, text in enumerate(values)) + ", (99, NULL)"
    casts = ", ".join(f"CAST(v AS {source}) AS {column}" for column in names)
    spark.sql(f"INSERT INTO {name} SELECT id, {casts} FROM (VALUES {listed}) AS t (id, v)")
    hive.sql(f"INSERT INTO {name} SELECT id + 100, {', '.join(names)} FROM {name}")
    hive.sql("SET metaconf:hive.metastore.disallow.incompatible.col.type.changes=false")
    changed_columns = ", ".join(f"{column} {kind}" for column, kind in zip(names, kinds, strict=True))
    hive.sql(f"ALTER TABLE {name} REPLACE COLUMNS (id INT, {changed_columns})")
    return Changed(table, kinds, spark)


def check_changed(table: Changed, count: int) -> None:
    """Both engines show the same, so many rows, also once Spark has compacted them."""
    expected = table.values_in_hive()
    assert len(expected) == count
    assert table.values_in_spark() == expected
    table.spark.sql(f"ALTER TABLE {table.table.name} COMPACT 'major'")
    table.table.engine.sql("!worker")  # on 3.1 Hive is asked to clean up
    assert table.values_in_hive() == table.values_in_spark() == expected


def name_of(prefix: str, source: str) -> str:
    """The name of a table."""
    return prefix + re.sub(r"\W", "_", source.lower())


@pytest.mark.parametrize("source", VALUES)
def test_old_values_of_every_type_become_in_spark_what_they_become_in_hive(
    hive: HiveEngine, spark: SparkSession, source: str
) -> None:
    values = VALUES[source]
    table = changed(hive, spark, name_of("from_", source), source, values, find_targets(source))
    check_changed(table, 2 * len(values) + 2)


@pytest.mark.parametrize("source", VALUES_OF_HIVE_4)
def test_changes_that_hive_3_makes_by_its_servers_clock_or_otherwise_are_those_of_hive_4_or_refused(
    hive: HiveEngine, spark: SparkSession, source: str
) -> None:
    values, kinds = VALUES_OF_HIVE_4[source], find_targets_of_hive_4(source)
    table = changed(hive, spark, name_of("later_", source), source, values, kinds)
    if hive.version.startswith("4."):
        check_changed(table, 2 * len(values) + 2)
        return
    for n in range(len(kinds)):
        with pytest.raises(
            PySparkException, match=r"HIVE_ACID_UNSUPPORTED_LAYOUT.* its type .* would have to be read as"
        ):
            spark.sql(f"SELECT c{n} FROM {table.table.name}").collect()
    assert rows(spark, f"SELECT count(id) FROM {table.table.name}") == [(2 * len(values) + 2,)]


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
