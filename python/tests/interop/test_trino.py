"""Real Trino and Hive, and Spark with this package, on one metastore: each reads and changes what the others wrote."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from pyspark.sql import SparkSession

from interop.all_types import COLUMNS, HIVE_ROW, SPARK_ROW, VALUES
from interop.hive_engine import HiveEngine
from interop.hive_table import HiveTable, acid_table
from interop.releases import OF_4, cases_of_releases
from interop.trino_server import TrinoError, TrinoServer

pytestmark = pytest.mark.interop

Rows = list[tuple[Any, ...]]


@pytest.fixture(scope="module")
def trino(hive: HiveEngine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TrinoServer]:
    with TrinoServer.started(tmp_path_factory.mktemp("trino"), hive.metastore_uri) as server:
        yield server


@dataclass(frozen=True)
class Form:
    """A table's clauses beside its columns (id, name), and what its partition columns hold in all rows."""

    clauses: str = ""
    columns: str = ""
    values: str = ""


FORMS = {
    "flat": Form(),
    "partitioned": Form("PARTITIONED BY (d STRING)", ", d", ", 'a b/c'"),
    "partitioned_by_two": Form("PARTITIONED BY (d INT, e DATE)", ", d, e", ", 7, DATE '2024-02-29'"),
    "bucketed": Form("CLUSTERED BY (id) INTO 3 BUCKETS"),
}
SOURCE = "(SELECT 1 AS id, 'merged' AS name UNION ALL SELECT 9 AS id, 'new' AS name)"
STEPS: tuple[tuple[str, Rows], ...] = (
    (
        "INSERT INTO {t} VALUES (1, 'one'{v}), (2, 'two'{v}), (3, NULL{v})",
        [(1, "one"), (2, "two"), (3, None)],
    ),
    (
        "INSERT INTO {t} VALUES (4, 'four'{v}), (5, 'five'{v})",
        [(1, "one"), (2, "two"), (3, None), (4, "four"), (5, "five")],
    ),
    (
        "UPDATE {t} SET name = concat(name, '!') WHERE id IN (2, 4)",
        [(1, "one"), (2, "two!"), (3, None), (4, "four!"), (5, "five")],
    ),
    ("DELETE FROM {t} WHERE id = 3 OR name = 'five'", [(1, "one"), (2, "two!"), (4, "four!")]),
    (
        "MERGE INTO {t} t USING " + SOURCE + " s ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = s.name "
        "WHEN NOT MATCHED THEN INSERT (id, name{c}) VALUES (s.id, s.name{v})",
        [(1, "merged"), (2, "two!"), (4, "four!"), (9, "new")],
    ),
    ("UPDATE {t} SET name = concat(name, '?') WHERE id < 4", [(1, "merged?"), (2, "two!?"), (4, "four!"), (9, "new")]),
    ("DELETE FROM {t} WHERE name LIKE '%!'", [(1, "merged?"), (2, "two!?"), (9, "new")]),
)


def of_spark(spark: SparkSession, query: str) -> Rows:
    """The rows in an order of their own."""
    return sorted(tuple(row) for row in spark.sql(query).collect())


TURNS = {
    "3.1.3": (("flat", "trino"), ("partitioned", "spark")),
    "4.1.0": (
        *(("flat", "spark"), ("flat", "trino"), ("partitioned", "trino"), ("partitioned_by_two", "spark")),
        *(("bucketed", "spark"), ("bucketed", "trino")),
    ),
}
"""Form and engine that begins: Trino writes the same files beside each release."""


@cases_of_releases(
    ("form", "first"), [(release, "-".join(turn), turn) for release, turns in TURNS.items() for turn in turns]
)
def test_statements_of_both_take_turns(
    hive: HiveEngine, spark: SparkSession, trino: TrinoServer, form: str, first: str
) -> None:
    """Statements are run by either engine in turn; Hive compacts flat tables in between."""
    name, clauses = f"turns_{form}_{first}", FORMS[form]
    acid = "STORED AS ORC TBLPROPERTIES ('transactional'='true')"
    spark.sql(f"CREATE TABLE {name} (id INT, name STRING) {clauses.clauses} {acid}")
    table = HiveTable(hive, name)
    engines: list[Callable[[str], object]] = [spark.sql, trino.sql]
    if first == "trino":
        engines.reverse()
    for number, (text, expected) in enumerate(STEPS):
        engines[number % 2](text.format(t=name, v=clauses.values, c=clauses.columns))
        query = f"SELECT id, name FROM {name}"
        assert of_spark(spark, query) == expected, text
        assert sorted(trino.sql(query).rows) == expected, text
        assert sorted(table.rows_plain("id, name")) == expected, text
        if number == 3 and not clauses.columns:
            table.compact_major()
            assert sorted(trino.sql(query).rows) == of_spark(spark, query) == expected
    if clauses.columns:
        columns = clauses.columns.removeprefix(", ")
        assert len(trino.sql(f"SELECT DISTINCT {columns} FROM {name}").rows) == 1
    spark.sql(f"INSERT OVERWRITE {name} SELECT * FROM {name} WHERE id = 2")
    assert sorted(trino.sql(query).rows) == [(2, "two!?")]
    spark.sql(f"TRUNCATE TABLE {name}")
    assert trino.sql(query).rows == []


def test_each_reads_every_type_that_the_others_wrote(hive: HiveEngine, spark: SparkSession, trino: TrinoServer) -> None:
    for writer in ("spark", "hive", "trino"):
        acid_table(hive, f"types_by_{writer}", COLUMNS)
    spark.sql(f"INSERT INTO types_by_spark SELECT {VALUES}")
    hive.sql(f"INSERT INTO types_by_hive SELECT {VALUES}")
    trino.sql("INSERT INTO types_by_trino SELECT * FROM types_by_spark")
    assert HiveTable(hive, "types_by_trino").rows_plain() == [HIVE_ROW]
    wall_clock = "date_format(ts, 'yyyy-MM-dd HH:mm:ss.SS')"
    others = ", ".join(name for name in spark.table("types_by_trino").columns if name != "ts")
    expected = tuple(value for value in SPARK_ROW if value != SPARK_ROW[13])
    assert of_spark(spark, f"SELECT {others} FROM types_by_trino") == [expected]
    assert of_spark(spark, f"SELECT {wall_clock} FROM types_by_trino") == [("1969-07-20 20:17:40.25",)]
    (of_hive,) = trino.sql("SELECT * FROM types_by_hive").rows
    assert trino.sql("SELECT * FROM types_by_spark").rows == [of_hive]
    assert of_hive[6:11] == ("123456789012345.12345", "tab\tline\nü", "vc", "ch   ", True)
    assert of_hive[12:14] == ("2020-02-29", "1969-07-20 20:17:40.250")


def test_trino_changes_rows_of_every_type_and_spark_reads_on(
    hive: HiveEngine, spark: SparkSession, trino: TrinoServer
) -> None:
    acid_table(hive, "types_changed", COLUMNS)
    spark.sql(f"INSERT INTO types_changed SELECT {VALUES}")
    trino.sql("UPDATE types_changed SET id = 2, de = DECIMAL '-0.00001', st = NULL, dt = DATE '1500-03-01'")
    # Trino's files name no calendar, so that Hive of the metastore's line says which day it is
    ((day,),) = hive.sql("SELECT dt FROM types_changed").rows
    assert day == ("1500-03-01" if hive.version == "3.1.3" else "1500-02-20")
    assert of_spark(
        spark, "SELECT id, CAST(de AS STRING), st, CAST(dt AS STRING), bo, ar[1], mp['k'], sr.y FROM types_changed"
    ) == [(2, "-0.00001", None, day, True, 2, 1, "z")]


@OF_4
@pytest.mark.parametrize("stored_as", ["ORC", "PARQUET"])
def test_trino_reads_insert_only_tables_and_changes_none(
    spark: SparkSession, hive: HiveEngine, trino: TrinoServer, stored_as: str
) -> None:
    name = f"insert_only_{stored_as.lower()}"
    hive.sql(
        f"CREATE TABLE {name} (id INT, name STRING) STORED AS {stored_as} "
        "TBLPROPERTIES ('transactional'='true', 'transactional_properties'='insert_only')"
    )
    spark.sql(f"INSERT INTO {name} VALUES (1, 'one'), (2, NULL)")
    spark.sql(f"INSERT INTO {name} VALUES (3, 'three')")
    assert sorted(trino.sql(f"SELECT id, name FROM {name}").rows) == [(1, "one"), (2, None), (3, "three")]
    spark.sql(f"INSERT OVERWRITE {name} VALUES (4, 'four')")
    assert trino.sql(f"SELECT id, name FROM {name}").rows == [(4, "four")]
    for text in (f"UPDATE {name} SET name = 'x'", f"DELETE FROM {name} WHERE id = 4", f"TRUNCATE TABLE {name}"):
        with pytest.raises(TrinoError):
            trino.sql(text)
    assert of_spark(spark, f"SELECT * FROM {name}") == [(4, "four")]


@OF_4
def test_partitions_beyond_ascii_are_read_and_not_written_by_trino(spark: SparkSession, trino: TrinoServer) -> None:
    name = "beyond_ascii"
    spark.sql(
        f"CREATE TABLE {name} (id INT) PARTITIONED BY (d STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true')"
    )
    spark.sql(f"INSERT INTO {name} VALUES (1, 'ü'), (2, '日本'), (3, 'x')")
    rows = [(1, "ü"), (2, "日本"), (3, "x")]
    assert sorted(trino.sql(f"SELECT id, d FROM {name}").rows) == rows
    with pytest.raises(TrinoError, match="ASCII"):
        trino.sql(f"INSERT INTO {name} VALUES (4, 'ö')")
    assert of_spark(spark, f"SELECT id, d FROM {name}") == rows
