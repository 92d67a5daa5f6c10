"""Real Hive, and Spark with this package, on one metastore: each reads and changes what the other wrote."""

from typing import Any

import pytest
from pyspark.sql import SparkSession

import hive_acid
from interop.all_types import COLUMNS, HIVE_ROW, SPARK_ROW, VALUES
from interop.hive_engine import HiveEngine
from interop.hive_table import HiveTable, acid_table
from interop.releases import OF_4

pytestmark = pytest.mark.interop


def rows(spark: SparkSession, query: str) -> list[tuple[Any, ...]]:
    """The rows of a query in Spark, as tuples."""
    return [tuple(row) for row in spark.sql(query).collect()]


def check_all_read(hive_table: HiveTable, spark: SparkSession, expected: list[tuple[int, str | None]]) -> None:
    """Hive's row reader, Hive's vectorised reader and Spark all return these rows of (id, name)."""
    hive_table.check_rows("id", expected)
    assert rows(spark, f"SELECT * FROM {hive_table.name} ORDER BY id") == expected


def test_hive_reads_every_type_that_spark_wrote(hive: HiveEngine, spark: SparkSession) -> None:
    table = acid_table(hive, "types_of_spark", COLUMNS)
    spark.sql(f"INSERT INTO types_of_spark SELECT {VALUES}")
    assert table.rows_plain() == [HIVE_ROW]
    assert table.rows_vectorised("id") == [HIVE_ROW]


def test_spark_reads_every_type_that_hive_wrote(hive: HiveEngine, spark: SparkSession) -> None:
    acid_table(hive, "types_of_hive", COLUMNS)
    hive.sql(f"INSERT INTO types_of_hive SELECT {VALUES}")
    wall_clock = "date_format(ts, 'yyyy-MM-dd HH:mm:ss.SS')"
    others = ", ".join(name for name in spark.table("types_of_hive").columns if name != "ts")
    expected = tuple(value for value in SPARK_ROW if value != SPARK_ROW[13])
    assert rows(spark, f"SELECT {others} FROM types_of_hive") == [expected]
    assert rows(spark, f"SELECT {wall_clock} FROM types_of_hive") == [("1969-07-20 20:17:40.25",)]


@OF_4
def test_hive_deletes_from_and_compacts_what_spark_wrote(hive: HiveEngine, spark: SparkSession) -> None:
    table = acid_table(hive, "made_by_spark", "id INT, name STRING")
    spark.sql("INSERT INTO made_by_spark VALUES (1, 'one'), (2, 'two'), (3, NULL), (4, 'four')")
    spark.sql("INSERT INTO made_by_spark SELECT CAST(id AS INT), 'many' FROM range(5, 9)")
    spark.sql("DELETE FROM made_by_spark WHERE id IN (1, 7)")
    check_all_read(table, spark, [(2, "two"), (3, None), (4, "four"), (5, "many"), (6, "many"), (8, "many")])
    table.delete("name = 'many' AND id < 6")
    check_all_read(table, spark, [(2, "two"), (3, None), (4, "four"), (6, "many"), (8, "many")])
    before = table.row_ids("id")
    table.compact_major()
    (base,) = table.files()
    assert base.startswith("base_0000004")
    check_all_read(table, spark, [(2, "two"), (3, None), (4, "four"), (6, "many"), (8, "many")])
    assert table.row_ids("id") == table.row_ids("id", vectorised=True) == before
    spark.sql("DELETE FROM made_by_spark WHERE name = 'many'")
    check_all_read(table, spark, [(2, "two"), (3, None), (4, "four")])


@OF_4
def test_hive_reads_changes_and_compacts_what_spark_updated(hive: HiveEngine, spark: SparkSession) -> None:
    table = acid_table(hive, "updated_by_spark", "id INT, name STRING")
    table.insert("(1, 'one')", "(2, 'two')", "(3, 'three')")
    spark.sql("INSERT INTO updated_by_spark VALUES (4, 'four'), (5, 'five')")
    assert rows(spark, "UPDATE updated_by_spark SET name = upper(name) WHERE id IN (2, 4)") == [(2,)]
    check_all_read(table, spark, [(1, "one"), (2, "TWO"), (3, "three"), (4, "FOUR"), (5, "five")])
    hive.sql("UPDATE updated_by_spark SET name = concat(name, '!') WHERE name IN ('TWO', 'five')")
    spark.sql("UPDATE updated_by_spark SET id = id * 10 WHERE name LIKE '%!'")
    check_all_read(table, spark, [(1, "one"), (3, "three"), (4, "FOUR"), (20, "TWO!"), (50, "five!")])
    table.delete("id = 20")
    table.compact_major()
    check_all_read(table, spark, [(1, "one"), (3, "three"), (4, "FOUR"), (50, "five!")])
    spark.sql("UPDATE updated_by_spark SET name = 'last' WHERE id = 50")
    check_all_read(table, spark, [(1, "one"), (3, "three"), (4, "FOUR"), (50, "last")])


@pytest.mark.parametrize("partitioned_by", ["", "d INT"], ids=["flat", "partitioned"])
def test_hive_reads_changes_and_compacts_what_spark_merged(
    hive: HiveEngine, spark: SparkSession, partitioned_by: str
) -> None:
    name = f"merged_by_spark_{'parts' if partitioned_by else 'flat'}"
    columns = "id INT, name STRING" if partitioned_by else "id INT, name STRING, d INT"
    table = acid_table(hive, name, columns, partitioned_by=partitioned_by)
    table.insert("(1, 'one', 1)", "(2, 'two', 0)", "(3, 'three', 1)")
    upsert = (
        f"MERGE INTO {name} t USING (SELECT id, upper(name) AS name, d FROM VALUES {{}} AS v(id, name, d)) s "
        "ON t.id = s.id WHEN MATCHED AND s.name = 'GONE' THEN DELETE "
        "WHEN MATCHED THEN UPDATE SET name = concat(t.name, s.name), d = s.d WHEN NOT MATCHED THEN INSERT *"
    )
    merged = rows(
        spark, upsert.format("(1, 'gone', 1), (2, 'moves', 1), (3, 'stays', 1), (4, 'new', 2), (5, 'new', 0)")
    )
    assert merged == [(5, 2, 1, 2)]
    everything = [(2, "twoMOVES", 1), (3, "threeSTAYS", 1), (4, "NEW", 2), (5, "NEW", 0)]
    check_all_read(table, spark, everything)
    hive.sql(f"UPDATE {name} SET name = concat(name, '!') WHERE id IN (2, 4)")
    hive.sql(f"DELETE FROM {name} WHERE id = 3")
    assert rows(spark, upsert.format("(2, 'back', 0), (4, 'gone', 0), (6, 'new', 1)")) == [(3, 1, 1, 1)]
    everything = [(2, "twoMOVES!BACK", 0), (5, "NEW", 0), (6, "NEW", 1)]
    check_all_read(table, spark, everything)
    for partition in ("d=0", "d=1") if partitioned_by else (None,):
        table.compact_major(partition)
    check_all_read(table, spark, everything)
    assert rows(spark, upsert.format("(2, 'gone', 0), (5, '', 7)")) == [(2, 1, 1, 0)]
    check_all_read(table, spark, [(5, "NEW", 7), (6, "NEW", 1)])


def test_hive_reads_and_compacts_what_spark_overwrote(hive: HiveEngine, spark: SparkSession) -> None:
    table = acid_table(hive, "overwritten_by_spark", "id INT, name STRING")
    table.insert("(1, 'one')", "(2, 'two')")
    assert rows(spark, "INSERT OVERWRITE overwritten_by_spark SELECT id + 10, name FROM overwritten_by_spark") == [(2,)]
    check_all_read(table, spark, [(11, "one"), (12, "two")])
    hive.sql("UPDATE overwritten_by_spark SET name = 'TWO' WHERE id = 12")
    spark.sql("INSERT INTO overwritten_by_spark VALUES (3, 'three')")
    table.compact_major()
    check_all_read(table, spark, [(3, "three"), (11, "one"), (12, "TWO")])
    spark.sql("INSERT OVERWRITE overwritten_by_spark SELECT * FROM overwritten_by_spark WHERE false")
    check_all_read(table, spark, [])
    table.insert("(4, 'four')")
    spark.sql("UPDATE overwritten_by_spark SET name = 'FOUR'")
    table.compact_major()
    check_all_read(table, spark, [(4, "FOUR")])


@OF_4
def test_spark_overwrites_what_hive_overwrote_and_truncated(hive: HiveEngine, spark: SparkSession) -> None:
    table = acid_table(hive, "overwritten_by_hive", "id INT, name STRING")
    spark.sql("INSERT INTO overwritten_by_hive VALUES (1, 'one'), (2, 'two')")
    hive.sql("INSERT OVERWRITE TABLE overwritten_by_hive SELECT id + 10, name FROM overwritten_by_hive")
    check_all_read(table, spark, [(11, "one"), (12, "two")])
    spark.sql("INSERT OVERWRITE overwritten_by_hive SELECT id + 10, name FROM overwritten_by_hive WHERE id = 12")
    check_all_read(table, spark, [(22, "two")])
    hive.sql("TRUNCATE TABLE overwritten_by_hive")
    check_all_read(table, spark, [])
    spark.sql("INSERT INTO overwritten_by_hive VALUES (3, 'three')")
    spark.sql("TRUNCATE TABLE overwritten_by_hive")
    check_all_read(table, spark, [])


def test_hive_reads_and_compacts_buckets_whose_changes_were_split(hive: HiveEngine, spark: SparkSession) -> None:
    """One bucket's deletes and new versions lie under several statement IDs of one write ID."""
    table = acid_table(hive, "split_by_spark", "id INT, name STRING")
    table.insert(*(f"({n}, 'old')" for n in range(40)))
    spark.sql("INSERT INTO split_by_spark SELECT /*+ COALESCE(1) */ int(id), 'old' FROM range(40, 20000)")
    spark.conf.set("spark.sql.adaptive.advisoryPartitionSizeInBytes", "4096")
    try:
        assert rows(spark, "UPDATE split_by_spark SET name = 'new'") == [(20000,)]
        split = {name.split("/")[0] for name in table.files() if name.startswith("delete_delta_0000003")}
        assert len(split) > 1
        assert rows(spark, "DELETE FROM split_by_spark WHERE id >= 5") == [(19995,)]
    finally:
        spark.conf.unset("spark.sql.adaptive.advisoryPartitionSizeInBytes")
    left = [(n, "new") for n in range(5)]
    check_all_read(table, spark, left)
    table.compact_major()
    check_all_read(table, spark, left)


@OF_4
def test_hive_reads_changes_and_compacts_new_versions_of_many_buckets_in_one(
    hive: HiveEngine, spark: SparkSession
) -> None:
    table = acid_table(hive, "many_buckets", "id INT, name STRING")
    spark.sql(
        "INSERT INTO many_buckets SELECT explode(array(int(id))), '' FROM range(0, 60, 1, 4)"
    )  # not known to be few
    expected = dict.fromkeys(range(60), "")

    def update(engine: HiveEngine | SparkSession, divisor: int, below: int) -> None:
        mark = "h" if isinstance(engine, HiveEngine) else "s"
        engine.sql(f"UPDATE many_buckets SET name = concat(name, '{mark}') WHERE id % {divisor} < {below}")
        expected.update({n: name + mark for n, name in expected.items() if n % divisor < below})
        check_all_read(table, spark, sorted(expected.items()))

    for turn in range(3):
        update(spark, 3, turn + 1)
        update(hive, 5, 4 - turn)
    files = [name.split("/")[0] for name in table.files()]
    assert [files.count(f"delta_{of_spark:07}_{of_spark:07}_0001") for of_spark in (2, 4, 6)] == [1, 1, 1]
    assert files.count("delete_delta_0000002_0000002_0000") == 4
    spark.sql("DELETE FROM many_buckets WHERE id > 40")
    expected = {n: name for n, name in expected.items() if n <= 40}
    update(spark, 2, 1)
    table.compact_major()
    update(hive, 7, 1)
    update(spark, 2, 2)


def test_hive_reads_changes_and_compacts_what_one_transaction_of_spark_did(
    hive: HiveEngine, spark: SparkSession
) -> None:
    """Inserts, updates and deletes of the same rows, all under one write ID."""
    table = acid_table(hive, "one_transaction", "id INT, name STRING")
    table.insert("(1, 'one')", "(2, 'two')")
    with hive_acid.transaction(spark):
        spark.sql("INSERT INTO one_transaction VALUES (3, 'three'), (4, 'four'), (5, 'five')")
        assert rows(spark, "UPDATE one_transaction SET name = upper(name) WHERE id IN (1, 3)") == [(2,)]
        assert rows(spark, "UPDATE one_transaction SET name = concat(name, '!') WHERE id = 3") == [(1,)]
        assert rows(spark, "DELETE FROM one_transaction WHERE id IN (2, 4)") == [(2,)]
        spark.sql("INSERT INTO one_transaction VALUES (6, 'six')")
    check_all_read(table, spark, [(1, "ONE"), (3, "THREE!"), (5, "five"), (6, "six")])
    hive.sql("UPDATE one_transaction SET name = 'hive' WHERE id = 3")
    check_all_read(table, spark, [(1, "ONE"), (3, "hive"), (5, "five"), (6, "six")])
    table.compact_major()
    check_all_read(table, spark, [(1, "ONE"), (3, "hive"), (5, "five"), (6, "six")])


@OF_4
def test_hive_updates_and_merges_into_what_spark_wrote(hive: HiveEngine, spark: SparkSession) -> None:
    table = acid_table(hive, "changed_by_hive", "id INT, name STRING")
    spark.sql("INSERT INTO changed_by_hive VALUES (1, 'one'), (2, 'two'), (3, 'three')")
    spark.sql("DELETE FROM changed_by_hive WHERE id = 1")
    hive.sql("UPDATE changed_by_hive SET name = 'zwei' WHERE id = 2")
    check_all_read(table, spark, [(2, "zwei"), (3, "three")])
    spark.sql("DELETE FROM changed_by_hive WHERE name = 'zwei'")
    check_all_read(table, spark, [(3, "three")])


def test_spark_reads_and_deletes_what_hive_inserted_updated_and_deleted(hive: HiveEngine, spark: SparkSession) -> None:
    table = acid_table(hive, "made_by_hive", "id INT, name STRING")
    table.insert("(1, 'one')", "(2, 'two')", "(3, NULL)")
    table.insert("(4, 'four')", "(5, 'five')")
    hive.sql("UPDATE made_by_hive SET name = 'zwei' WHERE id = 2")
    table.delete("id = 4")
    check_all_read(table, spark, [(1, "one"), (2, "zwei"), (3, None), (5, "five")])
    assert rows(spark, "DELETE FROM made_by_hive WHERE name = 'zwei' OR id = 5") == [(2,)]
    check_all_read(table, spark, [(1, "one"), (3, None)])
    table.compact_major()
    check_all_read(table, spark, [(1, "one"), (3, None)])


def test_row_ids_are_the_same_for_hive_and_spark(hive: HiveEngine, spark: SparkSession) -> None:
    table = acid_table(hive, "row_ids", "id INT")
    table.insert("(1)", "(2)")
    spark.sql("INSERT INTO row_ids VALUES (3), (4)")
    hive.sql("UPDATE row_ids SET id = 5 WHERE id = 3")
    of_spark = {(row_id[0],): tuple(row_id[1]) for row_id in rows(spark, "SELECT id, ROW__ID FROM row_ids")}
    assert of_spark == table.row_ids("id") == table.row_ids("id", vectorised=True)


@OF_4
def test_partitions_that_one_engine_adds_are_seen_by_the_other(hive: HiveEngine, spark: SparkSession) -> None:
    table = acid_table(hive, "by_country", "id INT", partitioned_by="name STRING")
    table.insert("(1, 'at')", "(2, 'at')", "(3, 'ch')")
    check_all_read(table, spark, [(1, "at"), (2, "at"), (3, "ch")])
    assert rows(spark, "SELECT id FROM by_country WHERE name = 'ch'") == [(3,)]
    assert table.rows_vectorised("id", "id, name")[:1] == [(1, "at")]


@OF_4
def test_hive_reads_changes_and_compacts_partitions_that_spark_wrote(hive: HiveEngine, spark: SparkSession) -> None:
    table = acid_table(hive, "parts_of_spark", "id INT", partitioned_by="name STRING")
    table.insert("(1, 'at')")
    spark.sql("INSERT INTO parts_of_spark VALUES (2, 'at'), (3, 'ch'), (4, 'a/b c'), (5, NULL)")
    everything = [(1, "at"), (2, "at"), (3, "ch"), (4, "a/b c"), (5, "__HIVE_DEFAULT_PARTITION__")]
    assert table.rows_vectorised("id") == everything
    assert rows(spark, "SELECT * FROM parts_of_spark ORDER BY id")[:4] == everything[:4]
    assert rows(spark, "DELETE FROM parts_of_spark WHERE id IN (1, 3) OR name IS NULL") == [(3,)]
    assert rows(spark, "UPDATE parts_of_spark SET id = id * 10 WHERE name = 'a/b c'") == [(1,)]
    check_all_read(table, spark, [(2, "at"), (40, "a/b c")])
    hive.sql("UPDATE parts_of_spark SET id = 7 WHERE id = 40")
    table.insert("(8, 'ch')")
    check_all_read(table, spark, [(2, "at"), (7, "a/b c"), (8, "ch")])
    table.compact_major("name='at'")
    spark.sql("DELETE FROM parts_of_spark WHERE name = 'at'")
    check_all_read(table, spark, [(7, "a/b c"), (8, "ch")])


@OF_4
def test_hive_accepts_a_table_that_spark_created(hive: HiveEngine, spark: SparkSession) -> None:
    spark.sql("CREATE TABLE of_spark (id INT, name STRING) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
    table = HiveTable(hive, "of_spark")
    table.insert("(1, 'hive')")
    spark.sql("INSERT INTO of_spark VALUES (2, 'spark')")
    check_all_read(table, spark, [(1, "hive"), (2, "spark")])
    table.compact_major()
    check_all_read(table, spark, [(1, "hive"), (2, "spark")])
