"""Files in which no row can meet a statement's conditions are not opened: damage in them does not show."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyarrow import orc
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from hive_acid.errors import condition_of
from integration.conftest import Tables

PUSHDOWN, LIMIT = "spark.sql.orc.filterPushdown", "spark.hiveacid.merge.pruningMaxSourceBytes"
UPSERT = "WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v)"


@pytest.fixture
def damaged(tables: Tables, spark: SparkSession) -> Iterator[Tables]:
    """`t` has 100 rows in each of three files and one of NULL in a fourth. That from 200 on cannot be decoded."""
    tables.create("t", "id BIGINT, v STRING")
    for first in (0, 100, 200):
        tables.sql(f"INSERT INTO t SELECT id, 'old' FROM range({first}, {first + 100}, 1, 1)")
    tables.sql("INSERT INTO t VALUES (NULL, 'old')")
    (file,) = [path for path in sorted(tables.location("t").rglob("bucket_*")) if "delta_0000003" in str(path)]
    file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
    content, end = file.read_bytes(), orc.ORCFile(file).content_length
    file.write_bytes(content[:3] + b"\xff" * (end - 3) + content[end:])
    yield tables
    for setting in (PUSHDOWN, LIMIT):
        spark.conf.unset(setting)


def assert_damage_is_found(tables: Tables, statement: str) -> None:
    with pytest.raises(PySparkException) as caught:
        tables.sql(statement)
    assert condition_of(caught.value) == "HIVE_ACID_CORRUPT_FILE.UNREADABLE"


@pytest.mark.beyond_the_gate(
    "a SELECT and a DELETE; two sources of a MERGE",
    but=["SELECT v FROM t WHERE id = 5", "DELETE FROM t WHERE id IN (5, 7)"],
)
@pytest.mark.parametrize(
    "statement",
    [
        "SELECT v FROM t WHERE id = 5",
        "UPDATE t SET v = 'new' WHERE id BETWEEN 5 AND 150",
        "DELETE FROM t WHERE id IN (5, 7)",
        "DELETE FROM t WHERE id IS NULL",
    ],
)
def test_a_file_that_the_condition_excludes_is_opened_only_without_pushdown(
    damaged: Tables, spark: SparkSession, statement: str
) -> None:
    assert_damage_is_found(damaged, statement.split("WHERE", maxsplit=1)[0] + "WHERE id = 250")
    spark.conf.set(PUSHDOWN, "false")
    assert_damage_is_found(damaged, statement)
    spark.conf.set(PUSHDOWN, "true")
    damaged.sql(statement)


@pytest.mark.beyond_the_gate(
    "a SELECT and a DELETE; two sources of a MERGE",
    but=[
        "t.id = s.id-VALUES (5, 'a'), (7000, 'b') AS s(id, v)-affected0",
        "t.id <=> s.id-VALUES (NULL, 'a'), (150, 'b') AS s(id, v)-affected2",
    ],
)
@pytest.mark.parametrize(
    "on, source, affected",
    [
        ("t.id = s.id", "VALUES (5, 'a'), (7000, 'b') AS s(id, v)", (2, 1, 0, 1)),
        ("s.id = t.id AND s.v <> t.v", "VALUES (5L, 'a') AS s(id, v)", (1, 1, 0, 0)),
        ("t.id <=> s.id", "VALUES (NULL, 'a'), (150, 'b') AS s(id, v)", (2, 2, 0, 0)),
        ("t.id = s.id", "(SELECT * FROM VALUES (NULL, 'a'), (NULL, 'b') AS w(id, v)) AS s", (2, 0, 0, 2)),
    ],
)
def test_a_merge_opens_only_the_files_that_may_hold_keys_of_its_small_source(
    damaged: Tables, spark: SparkSession, on: str, source: str, affected: tuple[int, ...]
) -> None:
    merge = f"MERGE INTO t USING (SELECT CAST(id AS BIGINT) AS id, v FROM {source}) s ON {on} {UPSERT}"
    spark.conf.set(LIMIT, 0)
    assert_damage_is_found(damaged, merge)
    spark.conf.unset(LIMIT)
    assert damaged.sql(merge) == [affected]


def test_a_merge_that_changes_what_its_source_lacks_reads_all(damaged: Tables) -> None:
    source = "(SELECT 5L AS id, 'a' AS v)"
    assert_damage_is_found(
        damaged, f"MERGE INTO t USING {source} s ON t.id = s.id WHEN NOT MATCHED BY SOURCE THEN DELETE"
    )


@pytest.mark.beyond_the_gate(
    "two types of the compared columns, two conditions of ON with a long source; `formats/orc/FilterSuite`",
    but=["INT-{n}"],
)
@pytest.mark.parametrize(
    "column, key",
    [
        ("INT", "{n}"),
        ("STRING", "concat('k', {n})"),
        ("VARCHAR(9)", "concat('k', {n})"),
        ("CHAR(9)", "concat('k', {n})"),
        ("DECIMAL(12,2)", "CAST({n} AS DECIMAL(12,2))"),
        ("DOUBLE", "CAST({n} AS DOUBLE)"),
        ("DATE", "date_add(DATE '1580-01-01', CAST({n} AS INT))"),
        ("TIMESTAMP", "timestamp_seconds({n} * 86400)"),
    ],
)
def test_a_merge_has_the_same_rows_whether_files_are_left_out_or_not(
    tables: Tables, spark: SparkSession, column: str, key: str
) -> None:
    source = f"(SELECT {key.format(n='id')} AS id, 'new' AS v FROM range(40, 160, 30) UNION ALL SELECT NULL, 'none')"
    rows = []
    for name, limit in (("pruned", str(1 << 30)), ("whole", "0")):
        tables.create(name, f"id {column}, v STRING")
        for first in (0, 50, 100):
            values = f"SELECT {key.format(n='id')}, 'old' FROM range({first}, {first + 50}, 1, 1)"
            tables.sql(f"INSERT INTO {name} {values}")
        spark.conf.set(LIMIT, limit)
        merged = tables.sql(f"MERGE INTO {name} t USING {source} s ON t.id = s.id {UPSERT}")
        rows.append((merged, sorted(tables.sql(f"SELECT CAST(id AS STRING), v FROM {name}"), key=str)))
    spark.conf.unset(LIMIT)
    assert rows[0] == rows[1]
    matched = 0 if column.startswith("CHAR") else 4  # the table's are padded
    assert rows[0][0] == [(5, matched, 0, 5 - matched)]
