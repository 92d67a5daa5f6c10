"""A column of which Spark believes that it is never NULL, in a table that others insert into as well."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from integration.conftest import Tables
from support.erasure_calls import erase_once
from support.spark_lines import FAILED_JOB

ACID = "STORED AS ORC TBLPROPERTIES ('transactional' = 'true')"


def new(tables: Tables, name: str, definition: str) -> str:
    table = f"{tables.database}.{name}"
    tables.sql(f"CREATE TABLE {table} {definition}")
    return table


def declare_not_null(tables: Tables, table: str, *columns: str) -> None:
    """Has Spark believe from now on that these columns are never NULL, which other engines do not know."""
    catalog = tables.spark._jsparkSession.sharedState().externalCatalog()  # type: ignore[attr-defined]
    database, name = table.split(".")
    described = json.loads(catalog.getTable(database, name).dataSchema().json())
    for field in described["fields"]:
        field["nullable"] = field["name"] not in columns
    schema = tables.spark._jvm.org.apache.spark.sql.types.DataType.fromJson(json.dumps(described))  # type: ignore[union-attr]
    catalog.alterTableDataSchema(database, name, schema)
    assert not catalog.getTable(database, name).schema().apply(columns[0]).nullable()


def test_a_table_made_from_values_takes_null_and_shows_it(tables: Tables) -> None:
    made = new(tables, "made", f"{ACID} AS SELECT 1 AS id, 2.5D AS n, named_struct('a', 1) AS s, 'x' AS v")
    assert tables.sql(f"INSERT INTO {made} VALUES (NULL, NULL, named_struct('a', NULL), 'y')") == [(1,)]
    assert tables.sql(f"SELECT id, n, s.a FROM {made} WHERE v = 'y'") == [(None, None, None)]
    assert tables.sql(f"SELECT count(id), count(n), count_if(id IS NULL), count(s.a) FROM {made}") == [(1, 1, 1, 1)]
    assert tables.sql(f"UPDATE {made} SET v = 'z' WHERE v = 'y'") == [(1,)]
    assert tables.sql(f"SELECT id, n, s.a FROM {made} WHERE v = 'z'") == [(None, None, None)]


def test_dataframes_bring_null_into_a_table_made_from_values(tables: Tables) -> None:
    made = new(tables, "made", f"PARTITIONED BY (k) {ACID} AS SELECT 1 AS id, 'x' AS k")
    frame = tables.spark.sql("SELECT CAST(NULL AS INT) AS id, CAST(NULL AS STRING) AS k")
    frame.write.insertInto(made)
    frame.writeTo(made).append()
    frame.writeTo(made).overwritePartitions()
    assert tables.sql(f"SELECT id, k FROM {made} ORDER BY k NULLS FIRST") == [(None, None), (1, "x")]
    assert tables.sql(f"TRUNCATE TABLE {made} PARTITION (k = '__HIVE_DEFAULT_PARTITION__')") == []
    assert tables.sql(f"SELECT count(id), count(k), count(*) FROM {made}") == [(1, 1, 1)]


def test_the_partition_of_null_is_found_in_a_table_made_from_values(tables: Tables) -> None:
    made = new(tables, "made", f"PARTITIONED BY (k) {ACID} AS SELECT 1 AS id, 'x' AS k")
    tables.sql(f"INSERT INTO {made} VALUES (2, ''), (3, NULL)")
    assert tables.sql(f"SELECT id, k FROM {made} WHERE k IS NULL ORDER BY id") == [(2, None), (3, None)]
    assert tables.sql(f"DELETE FROM {made} WHERE k IS NULL") == [(2,)]
    assert tables.sql(f"SELECT id FROM {made}") == [(1,)]


def test_a_table_like_a_view_takes_null(tables: Tables) -> None:
    tables.sql(f"CREATE VIEW {tables.database}.view AS SELECT 1 AS id")
    made = new(tables, "made", f"LIKE {tables.database}.view {ACID}")
    assert tables.sql(f"INSERT INTO {made} VALUES (NULL)") == [(1,)]
    assert tables.sql(f"SELECT count(id), count(*) FROM {made}") == [(0, 1)]


def test_null_of_another_engine_is_read_and_kept_where_spark_has_not_null(tables: Tables) -> None:
    made = new(tables, "made", f"(id INT, day DATE, v STRING) {ACID}")
    tables.sql(f"INSERT INTO {made} VALUES (NULL, NULL, NULL), (7, DATE'2024-02-29', 'seven')")
    declare_not_null(tables, made, "id", "day", "v")
    nothing = (None, None, None)
    assert tables.sql(f"SELECT * FROM {made} WHERE id IS NULL") == [nothing]
    assert tables.sql(f"SELECT count(id), count(day), count(v), count(*) FROM {made}") == [(1, 1, 1, 2)]
    assert tables.sql(f"UPDATE {made} SET v = coalesce(v, 'new')") == [(2,)]
    assert tables.sql(f"SELECT * FROM {made} WHERE id IS NULL AND day IS NULL") == [(None, None, "new")]
    merge = f"MERGE INTO {made} t USING (SELECT 1 AS one) s ON t.id IS NULL WHEN MATCHED THEN UPDATE SET v = 'merged'"
    assert tables.sql(merge) == [(1, 1, 0, 0)]
    assert tables.sql(f"SELECT id, day FROM {made} WHERE v = 'merged'") == [(None, None)]


def test_not_null_of_spark_holds_for_what_spark_writes(tables: Tables) -> None:
    made = new(tables, "made", f"(id INT NOT NULL, v STRING) {ACID}")
    tables.sql(f"INSERT INTO {made} VALUES (1, 'a')")
    for statement in (
        f"INSERT INTO {made} VALUES (NULL, 'b')",
        f"INSERT INTO {made} (v) VALUES ('b')",
        f"UPDATE {made} SET id = nullif(id, 1)",
        f"MERGE INTO {made} t USING (SELECT 2 AS id) s ON t.id = s.id "
        "WHEN NOT MATCHED THEN INSERT (id, v) VALUES (nullif(s.id, 2), 'b')",
    ):
        with pytest.raises(FAILED_JOB, match=r"(?i)NULL|Cannot find data for the output column"):
            tables.sql(statement)
    assert tables.sql(f"SELECT id, v FROM {made}") == [(1, "a")]


@pytest.mark.beyond_the_gate(
    "full ACID tables; the other tests of the file",
    cells=[
        "ORC-'transactional'='true', 'transactional_properties'='insert_only'",
        "PARQUET-'transactional'='true', 'transactional_properties'='insert_only'",
    ],
)
@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("ORC", "'transactional'='true'"),
        ("ORC", "'transactional'='true', 'transactional_properties'='insert_only'"),
        ("PARQUET", "'transactional'='true', 'transactional_properties'='insert_only'"),
    ],
)
def test_a_compaction_keeps_null_where_spark_has_not_null(tables: Tables, word: str, kind: str) -> None:
    columns = "id INT, n DOUBLE, v STRING"
    made = new(tables, "made", f"({columns}) STORED AS {word} TBLPROPERTIES ({kind})")
    tables.sql(f"INSERT INTO {made} VALUES (1, 1.5, 'a'), (NULL, NULL, NULL)")
    tables.sql(f"INSERT INTO {made} VALUES (NULL, 2.5, 'b')")
    declare_not_null(tables, made, "id", "n", "v")
    (row,) = tables.sql(f"ALTER TABLE {made} COMPACT 'major' AND WAIT")
    assert row[6] is True
    rows = tables.sql(f"SELECT * FROM {made} ORDER BY n NULLS FIRST")
    assert rows == [(None, None, None), (1, 1.5, "a"), (None, 2.5, "b")]


def test_an_erasure_takes_null_for_nobody_where_spark_has_not_null(
    spark: SparkSession, tables: Tables, tmp_path: Path
) -> None:
    made = new(tables, "made", f"(id INT, v STRING) PARTITIONED BY (k STRING) {ACID}")
    tables.sql(f"INSERT INTO {made} VALUES (1, 'one', 'a'), (NULL, 'nobody', 'a'), (1, 'one', NULL), (2, 'two', NULL)")
    declare_not_null(tables, made, "id")
    outcome = erase_once(
        spark, tmp_path, ["1"], {made: {"keys": {"id": "id"}, "partitions": "k IS NULL OR k = 'a'"}}, ["id"]
    )
    assert outcome.verdict.state.value == "erased", outcome.verdict
    assert tables.sql(f"SELECT id, v FROM {made} ORDER BY v") == [(None, "nobody"), (2, "two")]


@pytest.mark.beyond_the_gate("a table without partitions", but=["flat"])
@pytest.mark.parametrize("partitioned_by", ["", "PARTITIONED BY (k STRING)"], ids=["flat", "parts"])
def test_an_erasure_keeps_null_of_another_engine_in_an_insert_only_table(
    spark: SparkSession, tables: Tables, tmp_path: Path, partitioned_by: str
) -> None:
    kind = "TBLPROPERTIES ('transactional'='true', 'transactional_properties'='insert_only')"
    key = "" if partitioned_by else ", k STRING"
    made = new(tables, "made", f"(id INT, v STRING, n INT{key}) {partitioned_by} STORED AS ORC {kind}")
    tables.sql(f"INSERT INTO {made} VALUES (1, 'one', 1, 'a'), (2, NULL, 2, 'a'), (3, 'three', NULL, 'a')")
    declare_not_null(tables, made, "id", "v", "n")
    outcome = erase_once(spark, tmp_path, ["1"], {made: {"keys": {"id": "id"}}}, ["id"])
    assert outcome.verdict.state.value == "erased", outcome.verdict
    assert tables.sql(f"SELECT * FROM {made} ORDER BY id") == [(2, None, 2, "a"), (3, "three", None, "a")]


@pytest.mark.beyond_the_gate("full ACID tables; the other tests of the file", cells=["made"])
@pytest.mark.parametrize("origin", ["declared", "made"])
def test_columns_with_not_null_within_are_assigned(tables: Tables, origin: str) -> None:
    values = "named_struct('a', 1, 'b', 1) AS s, array(1) AS l, map('k', 1) AS m"
    if origin == "declared":
        made = new(
            tables, "made", f"(id INT, s STRUCT<a: INT NOT NULL, b: INT>, l ARRAY<INT>, m MAP<STRING, INT>) {ACID}"
        )
        tables.sql(f"INSERT INTO {made} SELECT 1, {values}")
    else:
        made = new(tables, "made", f"{ACID} AS SELECT 1 AS id, {values}")
    shown = f"SELECT id, s.a, s.b, l, m FROM {made} ORDER BY id"
    assert tables.sql(f"UPDATE {made} SET s.b = 5, l = array(2), m = map('k', 2)") == [(1,)]
    assert tables.sql(shown) == [(1, 1, 5, [2], {"k": 2})]
    assert tables.sql(f"UPDATE {made} SET s = named_struct('a', 3, 'b', 4)") == [(1,)]
    assert tables.sql(shown) == [(1, 3, 4, [2], {"k": 2})]
    source = (
        "(SELECT id, named_struct('a', 6, 'b', 7) AS s, array(8) AS l, map('k', 9) AS m FROM VALUES (1), (2) AS v(id))"
    )
    merge = f"MERGE INTO {made} t USING {source} u ON t.id = u.id WHEN MATCHED THEN UPDATE SET"
    assert tables.sql(f"{merge} * WHEN NOT MATCHED THEN INSERT *") == [(2, 1, 0, 1)]
    assert tables.sql(shown) == [(1, 6, 7, [8], {"k": 9}), (2, 6, 7, [8], {"k": 9})]
    assert tables.sql(f"{merge} s.a = u.id, l = array(u.id)") == [(2, 2, 0, 0)]
    assert tables.sql(shown) == [(1, 1, 7, [1], {"k": 9}), (2, 2, 7, [2], {"k": 9})]
