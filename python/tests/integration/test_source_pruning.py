"""A MERGE reads and locks only those partitions of its target that rows of its source can match."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from pyspark import TaskContext
from pyspark.sql import SparkSession
from pyspark.sql.functions import udf

import hive_acid
from integration.conftest import Tables
from support.drivers import wait_until

DAYS = 12
UPDATE = "WHEN MATCHED THEN UPDATE SET v = 'new'"
INSERT = "WHEN NOT MATCHED THEN INSERT (id, v, day, h) VALUES (s.id, 'ins', s.day, s.h)"
DELETE_REST = "WHEN NOT MATCHED BY SOURCE AND t.id = 40 THEN DELETE"
LIMIT = "spark.hiveacid.merge.pruningMaxSourceBytes"
EXCLUDED_RULES = "spark.sql.adaptive.optimizer.excludedRules"


def fill(tables: Tables) -> None:
    """Makes `d`, with a file in each of 12 days and in the partition of NULL; `s` has rows of two days and of NULL."""
    tables.create("d", "id INT, v STRING", "PARTITIONED BY (day DATE, h INT)")
    day = f"date_add(DATE '2024-01-01', CAST(id % {DAYS} AS INT))"
    tables.sql(f"INSERT INTO d SELECT id, 'old', {day}, CAST(id % 2 AS INT) FROM range(60)")
    tables.sql("INSERT INTO d VALUES (100, 'old', NULL, 0)")
    tables.sql("CREATE TABLE s (id INT, day DATE, h INT) STORED AS PARQUET")
    rows = "(1, DATE '2024-01-02', 1), (2, DATE '2024-01-03', 0), (999, DATE '2024-01-03', 0), (100, NULL, 0)"
    tables.sql(f"INSERT INTO s VALUES {rows}")


@pytest.fixture
def target(tables: Tables) -> Tables:
    fill(tables)
    return tables


@pytest.fixture
def both_sides_are_read(spark: SparkSession) -> Iterator[None]:
    """Spark leaves the target out if it has found the source empty first, which is a matter of time."""
    spark.conf.set(EXCLUDED_RULES, "org.apache.spark.sql.execution.adaptive.AQEPropagateEmptyRelation")
    yield
    spark.conf.unset(EXCLUDED_RULES)
    spark.conf.unset(LIMIT)


def facts(tables: Tables, statement: str) -> Mapping[str, Sequence[str]]:
    """Of a dry run, by item."""
    found: dict[str, list[str]] = {}
    for item, value in tables.sql(f"EXPLAIN ACID {statement}"):
        found.setdefault(item, []).append(value)
    return found


@pytest.mark.beyond_the_gate(
    "four conditions; the Scala tests",
    but=[
        "t.day = s.day-WHEN MATCHED THEN UPDATE SET v = 'new'-s-2-12",
        "t.day = s.day-* WHEN NOT MATCHED BY SOURCE AND t.id = 40 THEN DELETE-s-13-13",
    ],
)
@pytest.mark.parametrize(
    "on, clauses, source, files, files_unpruned",
    [
        # the partition of NULL equals nothing
        ("t.day = s.day", UPDATE, "s", 2, 12),
        ("s.day = t.day AND t.h = s.h", f"{UPDATE} {INSERT}", "s", 2, 12),
        ("t.day = s.day", INSERT, "s", 2, 12),
        ("t.day = s.day", "WHEN MATCHED THEN DELETE", "s", 2, 12),
        ("t.day <=> s.day", f"{UPDATE} {INSERT}", "s", 3, 13),
        ("date_add(t.day, 1) = s.day", UPDATE, "s", 2, 12),
        ("CAST(t.day AS STRING) = CAST(s.day AS STRING)", UPDATE, "s", 2, 12),
        ("t.h = CAST(s.h AS BIGINT)", f"{UPDATE} {INSERT}", "s", 13, 13),
        ("t.day = to_date(s.text)", UPDATE, "(SELECT id, CAST(day AS STRING) AS text FROM s WHERE id = 1)", 1, 12),
        ("t.day = s.day", UPDATE, "(SELECT * FROM s LIMIT 10)", 2, 12),
        ("t.day = s.day", f"{UPDATE} {INSERT}", "(SELECT * FROM s WHERE id > 2000)", 0, 12),
        # it cannot be told, or all rows of the target count
        ("t.day >= s.day", UPDATE, "s", 12, 12),
        ("t.day = s.day", UPDATE, "(SELECT * FROM s WHERE rand() < 2)", 12, 12),
        ("t.day = s.day", f"{UPDATE} {DELETE_REST}", "s", 13, 13),
        ("t.day = s.day", DELETE_REST, "s", 13, 13),
    ],
)
@pytest.mark.usefixtures("both_sides_are_read")
def test_partitions_that_no_source_row_can_match_are_not_read(
    filled: Tables, spark: SparkSession, on: str, clauses: str, source: str, files: int, files_unpruned: int
) -> None:
    statement = f"MERGE INTO d t USING {source} s ON ({on}) AND t.id = s.id {clauses}"
    pruned = facts(filled, statement)
    spark.conf.set(LIMIT, 0)
    whole = facts(filled, statement)
    assert [pruned["files read"], whole["files read"]] == [[str(files)], [str(files_unpruned)]]
    for kind in ("rows inserted", "rows updated", "rows deleted", "partition written"):
        assert pruned.get(kind) == whole.get(kind)


def test_only_the_partitions_that_are_read_are_locked_where_no_row_comes_from_elsewhere(filled: Tables) -> None:
    found = facts(filled, f"MERGE INTO d t USING s ON t.day = s.day AND t.id = s.id {UPDATE}")
    assert [lock.rsplit(" ", 1)[1] for lock in found["lock"]] == ["day=2024-01-02/h=1", "day=2024-01-03/h=0"]


def test_a_cached_source_is_asked_for_its_values_too(filled: Tables, spark: SparkSession) -> None:
    spark.table(f"{filled.database}.s").cache()
    try:
        found = facts(filled, f"MERGE INTO d t USING s ON t.day = s.day AND t.id = s.id {UPDATE}")
    finally:
        spark.catalog.clearCache()
    assert found["files read"] == ["2"]
    assert [lock.rsplit(" ", 1)[1] for lock in found["lock"]] == ["day=2024-01-02/h=1", "day=2024-01-03/h=0"]


def test_a_target_with_a_column_of_type_char_is_pruned_by_others(tables: Tables) -> None:
    tables.create("c", "id INT, v CHAR(3)", "PARTITIONED BY (day INT)")
    tables.sql("INSERT INTO c SELECT id, 'old', id FROM range(4)")
    found = facts(tables, "MERGE INTO c t USING (SELECT 2 AS id) s ON t.day = s.id AND t.v = 'old' " + UPDATE)
    assert (found["files read"], found["rows updated"]) == (["1"], ["1"])
    assert [lock.rsplit(" ", 1)[1] for lock in found["lock"]] == ["day=2"]


def test_the_rows_are_those_of_the_whole_merge(target: Tables) -> None:
    assert target.sql(f"MERGE INTO d t USING s ON t.day <=> s.day AND t.id = s.id {UPDATE} {INSERT}") == [(4, 3, 0, 1)]
    assert target.sql("SELECT id, v FROM d WHERE v <> 'old' ORDER BY id") == [
        *((1, "new"), (2, "new"), (100, "new"), (999, "ins")),
    ]
    assert target.sql("SELECT count(*) FROM d") == [(62,)]


def test_a_value_that_fails_where_the_merge_would_not_ask_for_it_fails_nothing(target: Tables) -> None:
    source = "(SELECT -1 AS id, 'no day' AS text UNION ALL SELECT 1, '2024-01-02')"
    on = "t.day = CAST(s.text AS DATE) AND s.id > 0 AND t.id = s.id"
    assert target.sql(f"MERGE INTO d t USING {source} s ON {on} {UPDATE}") == [(1, 1, 0, 0)]


def test_a_source_with_other_rows_when_it_is_read_again_is_merged_with_the_whole_target(
    target: Tables, spark: SparkSession, tmp_path: Path
) -> None:
    reads = tmp_path / "reads"

    def drift(_: int) -> str:
        day = "2024-01-02" if reads.exists() else "2024-01-05"
        reads.touch()
        return day

    spark.udf.register("drift", udf(drift, "STRING"))
    source = "(SELECT id, CAST(drift(id) AS DATE) AS day, h FROM s WHERE id = 1)"
    assert target.sql(f"MERGE INTO d t USING {source} s ON t.day = s.day AND t.id = s.id {UPDATE} {INSERT}") == [
        (1, 1, 0, 0)
    ]
    assert target.sql("SELECT count(*), count_if(v = 'new') FROM d WHERE id = 1") == [(1, 1)]
    wait_until(lambda: not target.open_transactions(), "all transactions have ended")  # the metastore has its own


@pytest.mark.beyond_the_gate("a short one; two conditions of a long one")
def test_what_statements_of_one_transaction_have_written_is_merged(target: Tables, spark: SparkSession) -> None:
    with hive_acid.transaction(spark):
        target.sql("INSERT INTO d VALUES (500, 'own', DATE '2030-01-01', 1)")
        source = "(SELECT 500 AS id, DATE '2030-01-01' AS day, 1 AS h)"
        target.sql(f"MERGE INTO d t USING {source} s ON t.day = s.day AND t.id = s.id {UPDATE} {INSERT}")
    assert target.sql("SELECT v FROM d WHERE id = 500") == [("new",)]


MANY = 20_000
"""More values than are held one by one."""
ROWS = """
    SELECT CAST(id AS INT) AS id, CAST(if(id % 10 = 3, NULL, id) AS INT) AS n, concat('name ', id) AS name,
    CAST(id / 8 AS DECIMAL(20, 3)) AS price, date_add(DATE '1900-01-01', CAST(id AS INT)) AS since,
    timestamp_seconds(id) AS at, CAST(id % 3 AS INT) AS p
"""
CHANGES = """
    WHEN MATCHED AND s.id % 2 = 0 THEN UPDATE SET v = 'new' WHEN MATCHED THEN DELETE
    WHEN NOT MATCHED THEN INSERT (id, n, name, price, since, at, v, p)
    VALUES (s.id, s.n, s.name, s.price, s.since, s.at, 'ins', s.p)
"""


@pytest.fixture
def long_tables(tables: Tables) -> Tables:
    """Two targets for 30,000 rows, and `more`, a source of 20,000, half of them known."""
    columns = "id INT, n INT, name STRING, price DECIMAL(20, 3), since DATE, at TIMESTAMP, v STRING"
    for table in ("pruned", "whole"):
        tables.create(table, columns, "PARTITIONED BY (p INT)")
    tables.sql(f"CREATE TABLE more STORED AS PARQUET AS {ROWS} FROM range(20000, {20000 + MANY})")
    return tables


@pytest.mark.beyond_the_gate(
    "two types of the compared columns, two conditions of ON with a long source; `formats/orc/FilterSuite`",
    but=["t.id = s.id"],
)
@pytest.mark.parametrize(
    "on",
    [
        "t.id = s.id",
        "t.n = s.n",
        "t.n <=> s.n AND t.id = s.id",
        "t.name = s.name",
        "upper(s.name) = t.name AND t.id = s.id",
        "t.price = s.price AND t.since = s.since",
        "CAST(t.id AS BIGINT) = s.id + 0L AND t.at = s.at",
        "t.p = s.p AND t.name = s.name",
    ],
)
def test_rows_that_no_row_of_a_long_source_can_match_are_not_shuffled(
    long_tables: Tables, spark: SparkSession, on: str
) -> None:
    """The source's values are known by their hashes. The outcome is that of a MERGE that reads everything."""
    counts = []
    for table, limit in (("pruned", 1 << 30), ("whole", 0)):
        long_tables.sql(f"INSERT OVERWRITE {table} BY NAME {ROWS}, 'old' AS v FROM range(30000)")
        spark.conf.set(LIMIT, limit)
        counts += long_tables.sql(f"MERGE INTO {table} t USING more s ON {on} {CHANGES}")
        assert ("among those of the source" in last_plans(spark)) == (limit > 0)
    spark.conf.unset(LIMIT)
    assert counts[0] == counts[1]
    for one, other in (("pruned", "whole"), ("whole", "pruned")):
        assert long_tables.sql(f"SELECT * FROM {one} EXCEPT ALL SELECT * FROM {other}") == []


def last_plans(spark: SparkSession) -> str:
    """Of the executions of the last statement, as Spark's UI shows them."""
    store = spark._jsparkSession.sharedState().statusStore()
    shown = store.executionsList()
    plans = [shown.apply(i).physicalPlanDescription() for i in range(max(0, shown.size() - 4), shown.size())]
    return "\n".join(plans)


@pytest.mark.beyond_the_gate("a short one; two conditions of a long one")
def test_a_long_source_with_other_rows_when_it_is_read_again_is_merged_with_the_whole_target(
    long_tables: Tables, spark: SparkSession, tmp_path: Path
) -> None:
    """Values that the source had not, when its hashes were made, are matched all the same."""
    reads = tmp_path / "reads"
    long_tables.sql(f"INSERT OVERWRITE pruned BY NAME {ROWS}, 'old' AS v FROM range(30000)")

    def drift(number: int) -> int:
        if number != 20000:
            return number
        with reads.open("a") as file:
            file.write(f"{TaskContext.get().stageId()}\n")
        return 7 if len(set(reads.read_text().split())) > 2 else number  # the third stage that reads it

    spark.udf.register("drift", udf(drift, "INT"))
    source = "(SELECT drift(id) AS id FROM more)"
    ((_, updated, *_),) = long_tables.sql(f"MERGE INTO pruned t USING {source} s ON t.id = s.id {UPDATE}")
    assert len(set(reads.read_text().split())) > 3
    assert updated == 10000
    assert long_tables.sql("SELECT v FROM pruned WHERE id = 7") == [("new",)]
