"""Rows of another metastore: read, inserted, changed, merged in both directions, by SQL and by DataFrames."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql.functions import col

from hive_acid.spark_lines import is_before
from support.other_metastore import ACID, CATALOG, INSERT_ONLY, Other
from support.polling import eventually

from .conftest import Tables, refusal


def test_rows_of_both_metastores_are_read_by_one_query(tables: Tables, lake: Other) -> None:
    lake.sql(f"CREATE TABLE t (id INT, name STRING) {ACID}")
    lake.sql("INSERT INTO t VALUES (1, 'theirs'), (2, 'theirs too'), (3, 'gone')")
    lake.sql("DELETE FROM t WHERE id = 3")
    tables.create("t")
    tables.sql("INSERT INTO t VALUES (2, 'ours'), (3, 'ours too')")
    t = tables.in_catalog(CATALOG, "t")
    assert sorted(tables.sql(f"SELECT * FROM {t}")) == [(1, "theirs"), (2, "theirs too")]
    assert tables.sql(f"SELECT a.name, b.name FROM {t} a JOIN t b ON a.id = b.id") == [("theirs too", "ours")]
    assert tables.sql(f"SELECT id FROM t WHERE id NOT IN (SELECT id FROM {t})") == [(3,)]
    assert tables.sql(f"SELECT count(*) FROM {t} WHERE id > 1") == [(1,)]
    assert eventually(lambda: not lake.open()), lake.open()


@pytest.mark.beyond_the_gate(
    "rows that are read, inserted, changed and merged in both directions, DataFrames, refusals and wrong "
    "options in `integration/test_catalog_*.py`",
    but=["full ACID"],
)
@pytest.mark.parametrize("storage", [ACID, INSERT_ONLY], ids=["full ACID", "insert-only"])
def test_what_is_inserted_is_read_in_the_other_metastore(tables: Tables, lake: Other, storage: str) -> None:
    lake.sql(f"CREATE TABLE t (id INT, name STRING) PARTITIONED BY (day DATE) {storage}")
    t = tables.in_catalog(CATALOG, "t")
    tables.sql(f"INSERT INTO {t} VALUES (1, 'a', DATE'2026-01-01'), (2, 'b', DATE'2026-01-02')")
    tables.sql(f"INSERT INTO {t} PARTITION (day = DATE'2026-01-03') (name, id) VALUES ('c', 3)")
    tables.sql(f"INSERT INTO IDENTIFIER('{t}') BY NAME SELECT DATE'2026-01-01' AS day, 'd' AS name, 4 AS id")
    rows = "SELECT id, name, CAST(day AS STRING) FROM t ORDER BY id"
    expected = [(1, "a", "2026-01-01"), (2, "b", "2026-01-02"), (3, "c", "2026-01-03"), (4, "d", "2026-01-01")]
    assert lake.sql(rows) == expected
    tables.sql(f"INSERT OVERWRITE {t} SELECT 5, 'e', DATE'2026-01-01'")
    assert lake.sql(rows) == [*expected[1:3], (5, "e", "2026-01-01")]
    tables.sql(f"TRUNCATE TABLE {t} PARTITION (day = DATE'2026-01-02')")
    assert [id_ for id_, *_ in lake.sql(rows)] == [3, 5]
    tables.sql(f"TRUNCATE TABLE {t}")
    assert lake.sql(rows) == []
    assert eventually(lambda: not lake.open()), lake.open()


def test_rows_are_changed_in_the_other_metastore(tables: Tables, lake: Other) -> None:
    lake.sql(f"CREATE TABLE t (id INT, name STRING) CLUSTERED BY (id) INTO 2 BUCKETS {ACID}")
    t = tables.in_catalog(CATALOG, "t")
    tables.sql(f"INSERT INTO {t} SELECT id, concat('row ', id) FROM range(10)")
    assert tables.sql(f"DELETE FROM {t} WHERE id IN (1, 2)") == [(2,)]
    assert tables.sql(f"UPDATE {t} SET name = 'changed' WHERE id = 3") == [(1,)]
    found = lake.sql("SELECT * FROM t ORDER BY id")
    assert found == [(i, "changed" if i == 3 else f"row {i}") for i in range(10) if i not in (1, 2)]
    assert lake.sql("SELECT count(*) FROM t WHERE id % 2 = 1 AND id > 4") == [(3,)]


def test_merge_goes_from_either_metastore_to_the_other(tables: Tables, lake: Other) -> None:
    """Both tables have one name, so that nobody can take one for the other unnoticed."""
    lake.sql(f"CREATE TABLE t (id INT, name STRING) {ACID}")
    lake.sql("INSERT INTO t VALUES (1, 'theirs'), (2, 'theirs')")
    tables.create("t")
    tables.sql("INSERT INTO t VALUES (2, 'ours'), (3, 'ours')")
    merge = (
        "MERGE INTO {} t USING {} s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET name = concat(t.name, ' and ', s.name) WHEN NOT MATCHED THEN INSERT *"
    )
    tables.sql(merge.format(tables.in_catalog(CATALOG, "t"), "t"))
    theirs = [(1, "theirs"), (2, "theirs and ours"), (3, "ours")]
    assert lake.sql("SELECT * FROM t ORDER BY id") == theirs
    assert sorted(tables.sql("SELECT * FROM t")) == [(2, "ours"), (3, "ours")]
    tables.sql(merge.format("t", tables.in_catalog(CATALOG, "t")))
    ours = [(1, "theirs"), (2, "ours and theirs and ours"), (3, "ours and ours")]
    assert sorted(tables.sql("SELECT * FROM t")) == ours
    assert lake.sql("SELECT * FROM t ORDER BY id") == theirs
    assert eventually(lambda: not lake.open()), lake.open()
    assert tables.open_transactions() == []


@pytest.mark.beyond_the_gate(
    "tables made, dropped, read, inserted, changed, merged and compacted there: the other tests of "
    "`integration/test_catalog_*.py`"
)
def test_dataframes_are_written_to_the_other_metastore(tables: Tables, lake: Other) -> None:
    lake.sql(f"CREATE TABLE t (id INT, name STRING) PARTITIONED BY (p INT) {ACID}")
    t = tables.in_catalog(CATALOG, "t")

    def frame(*rows: tuple[int, str, int]) -> Any:
        return tables.spark.createDataFrame(list(rows), "id INT, name STRING, p INT")

    def found() -> list[tuple[Any, ...]]:
        return lake.sql("SELECT * FROM t ORDER BY id")

    frame((1, "a", 1)).writeTo(t).append()
    frame((2, "b", 2)).select("p", "name", "id").write.mode("append").saveAsTable(t)
    frame((3, "c", 3)).write.insertInto(t)
    assert found() == [(1, "a", 1), (2, "b", 2), (3, "c", 3)]
    frame((4, "d", 1)).write.insertInto(t, overwrite=True)
    assert found() == [(2, "b", 2), (3, "c", 3), (4, "d", 1)]
    frame((5, "e", 2)).writeTo(t).overwritePartitions()
    assert found() == [(3, "c", 3), (4, "d", 1), (5, "e", 2)]
    frame((6, "f", 3)).writeTo(t).overwrite(col("p") == 3)
    assert found() == [(4, "d", 1), (5, "e", 2), (6, "f", 3)]
    frame((7, "g", 7)).createOrReplaceTempView("news")
    tables.sql(f"INSERT INTO {t} REPLACE WHERE p = 7 SELECT * FROM news")
    assert found()[-1] == (7, "g", 7)


@pytest.mark.beyond_the_gate(
    "their rows, definitions, compactions and refusals: the other tests of `integration/test_catalog_*.py`"
)
def test_partitions_are_shown_as_an_application_of_that_metastore_shows_them(tables: Tables, lake: Other) -> None:
    lake.sql(f"CREATE TABLE t (id INT) PARTITIONED BY (day STRING, hour INT) {ACID}")
    t = tables.in_catalog(CATALOG, "t")
    assert tables.sql(f"SHOW PARTITIONS {t}") == []
    tables.sql(f"INSERT INTO {t} VALUES (1, 'mon', 1), (2, 'tue', 1), (3, 'a/b c', 2), (4, NULL, 1), (5, 'mon', NULL)")
    for clause in (
        "",
        "(day = 'mon')",
        "(HOUR = 1)",
        "(hour = 1, day = 'tue')",
        "(day = 'a/b c')",
        "(day = 'sun')",
        "(day = NULL)",
    ):
        text = f"PARTITION {clause}" if clause else ""
        assert tables.sql(f"SHOW PARTITIONS {t} {text}") == lake.sql(f"SHOW PARTITIONS t {text}")
    assert len(tables.sql(f"SHOW PARTITIONS {t}")) == 5
    named = "_LEGACY_ERROR_TEMP_1231" if is_before("4.0") else "PARTITIONS_NOT_FOUND"
    assert refusal(tables, f"SHOW PARTITIONS {t} PARTITION (id = 1)") == named


@pytest.mark.beyond_the_gate(
    "their rows, definitions, compactions and refusals: the other tests of `integration/test_catalog_*.py`"
)
def test_the_catalog_can_be_the_current_one(tables: Tables, lake: Other) -> None:
    lake.sql(f"CREATE TABLE t (id INT, name STRING COMMENT 'of somebody', c CHAR(3)) {ACID}")
    lake.sql("CREATE TABLE plain (id INT) STORED AS TEXTFILE")
    tables.sql(f"USE {CATALOG}.{tables.database}")
    try:
        tables.sql("INSERT INTO t VALUES (1, 'a', 'x')")
        assert tables.sql("SELECT * FROM t WHERE c = 'x'") == [(1, "a", "x  ")]
        assert tables.sql("SHOW TABLES") == [(tables.database, "plain", False), (tables.database, "t", False)]
        listed = tables.spark.catalog.listTables(f"{CATALOG}.{tables.database}")
        assert {table.name for table in listed} == {"plain", "t"}
        assert (tables.database,) in tables.sql("SHOW DATABASES")
        described = tables.sql("DESCRIBE TABLE t")
        assert described[:3] == [("id", "int", None), ("name", "string", "of somebody"), ("c", "char(3)", None)]
    finally:
        tables.sql(f"USE spark_catalog.{tables.database}")
    assert lake.sql("SELECT * FROM t") == [(1, "a", "x  ")]


@pytest.mark.beyond_the_gate(
    "rows that are read, inserted, changed and merged in both directions, DataFrames, refusals and wrong "
    "options in `integration/test_catalog_*.py`"
)
def test_a_cache_of_the_table_shows_what_was_written(tables: Tables, lake: Other) -> None:
    lake.sql(f"CREATE TABLE t (id INT) {ACID}")
    t = tables.in_catalog(CATALOG, "t")
    tables.sql(f"CACHE TABLE cached AS SELECT * FROM {t}")
    tables.sql(f"INSERT INTO {t} VALUES (1)")
    assert tables.sql("SELECT * FROM cached") == [(1,)]


@pytest.mark.beyond_the_gate(
    "rows that are read, inserted, changed and merged in both directions, DataFrames, refusals and wrong "
    "options in `integration/test_catalog_*.py`"
)
def test_an_rdd_keeps_its_snapshot_until_nobody_reads_it(tables: Tables, lake: Other) -> None:
    lake.sql(f"CREATE TABLE t (id INT) {ACID}")
    tables.create("t", "id INT")
    t = tables.in_catalog(CATALOG, "t")
    tables.sql(f"INSERT INTO {t} VALUES (1)")
    tables.sql("INSERT INTO t VALUES (1)")
    rows = tables.spark.sql(f"SELECT a.id FROM {t} a JOIN t b ON a.id = b.id").rdd
    assert rows.map(tuple).collect() == [(1,)]
    tables.sql(f"INSERT INTO {t} VALUES (1)")
    assert rows.map(tuple).collect() == [(1,)]
    tables.sql(f"TRUNCATE TABLE {t}")  # it need not wait for a snapshot that nobody is reading
    assert eventually(lambda: not lake.open()), lake.open()


@pytest.mark.beyond_the_gate(
    "rows that are read, inserted, changed and merged in both directions, DataFrames, refusals and wrong "
    "options in `integration/test_catalog_*.py`"
)
def test_a_dry_run_tells_of_the_other_metastore(tables: Tables, lake: Other) -> None:
    lake.sql(f"CREATE TABLE t (id INT) {ACID}")
    t = tables.in_catalog(CATALOG, "t")
    tables.sql(f"INSERT INTO {t} VALUES (1), (2)")
    facts = dict(tables.sql(f"EXPLAIN ACID DELETE FROM {t} WHERE id = 1"))
    assert facts["rows deleted"] == "1"
    assert lake.sql("SELECT count(*) FROM t") == [(2,)]


@pytest.mark.beyond_the_gate(
    "their rows, definitions, compactions and refusals: the other tests of `integration/test_catalog_*.py`"
)
def test_a_cached_table_shows_what_the_session_writes(tables: Tables, lake: Other) -> None:
    lake.sql(f"CREATE TABLE t (id INT, name STRING) {ACID}")
    lake.sql("INSERT INTO t VALUES (1, 'theirs')")
    tables.create("t")
    tables.sql("INSERT INTO t VALUES (2, 'ours')")
    t = tables.in_catalog(CATALOG, "t")
    tables.sql(f"CACHE TABLE {t}")
    try:
        assert tables.sql(f"SELECT * FROM {t}") == [(1, "theirs")]
        assert tables.sql("SELECT * FROM t") == [(2, "ours")]
        tables.sql(f"INSERT INTO {t} VALUES (3, 'new')")
        assert sorted(tables.sql(f"SELECT * FROM {t}")) == [(1, "theirs"), (3, "new")]
        tables.sql(f"DELETE FROM {t}")
        assert tables.sql(f"SELECT * FROM {t}") == []
        assert tables.sql("SELECT * FROM t") == [(2, "ours")]
    finally:
        tables.sql(f"UNCACHE TABLE {t}")
