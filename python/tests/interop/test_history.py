"""Notes for the history lie where Hive reads, changes, compacts and cleans; and what is known of Hive's own writes."""

from typing import Any

import pytest
from pyspark.sql import Row, SparkSession

from hive_acid import AcidTable
from hive_acid.model.names import HISTORY_FILE
from interop.hive_engine import HiveEngine
from interop.hive_table import HiveTable, acid_table
from interop.releases import OF_4, cases_of_releases

pytestmark = pytest.mark.interop

INSERT_ONLY = "TBLPROPERTIES ('transactional'='true', 'transactional_properties'='insert_only')"


def history(spark: SparkSession, name: str) -> list[Row]:
    return AcidTable.forName(spark, name).history().collect()


def statements(spark: SparkSession, name: str) -> list[tuple[int, str | None, str]]:
    """Write ID, operation and application of each entry."""
    return [(row.writeId, row.operation, row.application) for row in history(spark, name)]


def notes(table: HiveTable) -> list[str]:
    """The folders with notes."""
    return sorted(path.parent.name for path in table.location().rglob(HISTORY_FILE))


def check_rows(table: HiveTable, spark: SparkSession, expected: list[tuple[Any, ...]]) -> None:
    """Hive's row reader, its vectorised one, its count, which is no number that it had stored, and Spark agree."""
    table.check_rows("id", expected)
    table.engine.sql("SET hive.compute.query.using.stats=false")
    assert table.engine.sql(f"SELECT count(*) FROM {table.name}").rows == [(len(expected),)]
    assert [tuple(row) for row in spark.sql(f"SELECT * FROM {table.name} ORDER BY id").collect()] == expected


@cases_of_releases(
    ("kind",), [("3.1.3", "major", ("major",)), *(("4.1.0", kind, (kind,)) for kind in ("minor", "major"))]
)
def test_hive_reads_changes_compacts_and_cleans_folders_with_notes(
    hive: HiveEngine, spark: SparkSession, kind: str
) -> None:
    name = f"noted_{kind}"
    table = acid_table(hive, name, "id INT, name STRING")
    spark.sql(f"INSERT INTO {name} VALUES (1, 'one'), (2, 'two'), (3, 'three')")
    spark.sql(f"UPDATE {name} SET name = 'TWO' WHERE id = 2")
    spark.sql(f"DELETE FROM {name} WHERE id = 3")
    assert len(notes(table)) == 3
    check_rows(table, spark, [(1, "one"), (2, "TWO")])
    hive.sql(f"UPDATE {name} SET name = concat(name, '!') WHERE id = 1")
    check_rows(table, spark, [(1, "one!"), (2, "TWO")])
    ours = spark.sparkContext.appName
    before = [(4, None, "unknown"), (3, "DELETE", ours), (2, "UPDATE", ours), (1, "INSERT", ours)]
    assert statements(spark, name) == before
    assert history(spark, name)[2].statement == f"UPDATE {name} SET name = ? WHERE id = ?"
    table.compact(kind)
    check_rows(table, spark, [(1, "one!"), (2, "TWO")])
    assert notes(table) == [], "the Cleaner has removed them with their folders"
    (compaction,) = history(spark, name)
    assert (compaction.firstWriteId, compaction.writeId, compaction.operation) == (1, 4, "COMPACTION")
    assert compaction.remark.startswith("write IDs 1 to 4 are folded into ")
    assert compaction.remark.endswith("by a compaction; the statements are not known")
    spark.sql(f"UPDATE {name} SET name = 'last' WHERE id = 2")
    check_rows(table, spark, [(1, "one!"), (2, "last")])
    assert statements(spark, name) == [(5, "UPDATE", ours), (4, "COMPACTION", "unknown")]


@OF_4
def test_hive_reads_and_compacts_partitions_of_which_one_has_the_note(hive: HiveEngine, spark: SparkSession) -> None:
    table = acid_table(hive, "noted_parts", "id INT, name STRING", "d INT")
    spark.sql("INSERT INTO noted_parts VALUES (1, 'one', 1), (2, 'two', 2), (3, 'three', 3)")
    spark.sql("UPDATE noted_parts SET name = upper(name) WHERE d < 3")
    spark.sql("DELETE FROM noted_parts WHERE d = 2")
    check_rows(table, spark, [(1, "ONE", 1), (3, "three", 3)])
    partitions = [row.partitions for row in history(spark, "noted_parts")]
    assert partitions == [["d=2"], ["d=1", "d=2"], ["d=1", "d=2", "d=3"]]
    table.compact_major("d=1")
    check_rows(table, spark, [(1, "ONE", 1), (3, "three", 3)])
    found = history(spark, "noted_parts")
    assert [(row.writeId, row.operation, row.partitions) for row in found] == [
        (3, "DELETE", ["d=2"]),
        (2, "COMPACTION", ["d=1"]),
        (2, None, ["d=2"]),
        (1, None, ["d=2", "d=3"]),
    ], "the note was in the first partition, and went with its delta"


@OF_4
def test_hive_reads_overwrites_and_truncations_with_notes(hive: HiveEngine, spark: SparkSession) -> None:
    table = acid_table(hive, "noted_bases", "id INT, name STRING")
    table.insert("(1, 'one')", "(2, 'two')")
    spark.sql("INSERT OVERWRITE noted_bases SELECT id, 'new' FROM noted_bases")
    check_rows(table, spark, [(1, "new"), (2, "new")])
    spark.sql("TRUNCATE TABLE noted_bases")
    check_rows(table, spark, [])
    table.insert("(3, 'three')")
    table.compact_major()
    check_rows(table, spark, [(3, "three")])
    assert notes(table) == []


@OF_4
def test_hive_reads_what_a_compaction_of_ours_would_note(hive: HiveEngine, spark: SparkSession) -> None:
    table = acid_table(hive, "noted_compaction", "id INT, name STRING")
    spark.sql("INSERT INTO noted_compaction VALUES (1, 'one')")
    spark.sql("INSERT INTO noted_compaction VALUES (2, 'two')")
    (first,) = [path.read_text() for path in table.location().glob(f"delta_0000001*/{HISTORY_FILE}")]
    table.compact_major()
    (base,) = table.location().glob("base_*")
    (base / HISTORY_FILE).write_text(first)
    check_rows(table, spark, [(1, "one"), (2, "two")])
    hive.sql("DELETE FROM noted_compaction WHERE id = 2")
    table.compact_major()
    check_rows(table, spark, [(1, "one")])
    assert notes(table) == []


@pytest.mark.parametrize("form", ["ORC", "PARQUET"])
def test_hive_reads_and_changes_insert_only_tables_with_notes(hive: HiveEngine, spark: SparkSession, form: str) -> None:
    name = f"noted_only_{form}"
    hive.sql(f"CREATE TABLE {name} (id INT, name STRING) STORED AS {form} {INSERT_ONLY}")
    table = HiveTable(hive, name)
    spark.sql(f"INSERT INTO {name} VALUES (1, 'one')")
    hive.sql(f"INSERT INTO {name} VALUES (2, 'two')")
    spark.sql(f"INSERT INTO {name} SELECT 3, 'three'")
    assert len(notes(table)) == 2
    expected = [(1, "one"), (2, "two"), (3, "three")]
    assert sorted(table.rows_plain()) == hive.sql(f"SELECT * FROM {name} ORDER BY id").rows == expected
    assert hive.sql(f"SELECT count(*) FROM {name}").rows == [(3,)]
    ours = spark.sparkContext.appName
    assert statements(spark, name) == [(3, "INSERT", ours), (2, None, "unknown"), (1, "INSERT", ours)]
    if hive.version.startswith("4."):  # the engine of these tests cannot compact them in 3.1.3
        for kind in ("minor", "major"):
            table.compact(kind, may_be_refused=kind == "major")  # as there is but one folder left
            assert sorted(table.rows_plain()) == expected
            assert notes(table) == []
