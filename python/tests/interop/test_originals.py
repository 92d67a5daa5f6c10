"""Files without ACID columns in full ACID tables: Hive and Spark number their rows alike and change them in turn."""

from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from interop.hive_engine import HiveEngine, HiveError
from interop.hive_table import HiveTable, RowId, acid_table
from support.raw_files import ORIGINALS, write_raw_file, write_raw_files

pytestmark = pytest.mark.interop

COLUMNS = "id INT, name STRING"


@pytest.fixture(scope="module", autouse=True)
def input_format(hive: HiveEngine) -> None:
    """Without it Hive's MapReduce engine refuses originals ("Must use HiveInputFormat to read ACID tables")."""
    hive.sql("SET hive.input.format=org.apache.hadoop.hive.ql.io.HiveInputFormat")


def plain_table(hive: HiveEngine, name: str) -> HiveTable:
    """A new table of Hive that is not transactional."""
    hive.sql(f"CREATE TABLE {name} ({COLUMNS}) STORED AS ORC TBLPROPERTIES ('transactional'='false')")
    return HiveTable(hive, name)


def convert(table: HiveTable) -> None:
    """Hive 4 has made an external table of it."""
    table.engine.sql(f"ALTER TABLE {table.name} SET TBLPROPERTIES ('EXTERNAL'='FALSE', 'transactional'='true')")


def rows(spark: SparkSession, table: HiveTable) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in spark.sql(f"SELECT * FROM {table.name} ORDER BY id").collect()]


def check_same(spark: SparkSession, table: HiveTable, expected: list[tuple[int, str]]) -> None:
    """Both of Hive's readers and Spark return these rows, and the same row ID for each."""
    assert rows(spark, table) == expected
    table.check_rows("id", expected)
    found = spark.sql(f"SELECT id, ROW__ID FROM {table.name}").collect()
    ids = {(row[0],): RowId(*row[1]) for row in found}
    assert ids == table.row_ids("id") == table.row_ids("id", vectorised=True)


def compact_minor(table: HiveTable) -> None:
    """With deletes in one bucket only: of several Hive 3.1.3 copies all into each file, and then fails on them."""
    table.compact("minor", may_be_refused=True)  # Hive 4 finds nothing to do where there are originals alone


def test_originals_of_every_name_have_hives_row_ids_and_are_changed_by_both(
    hive: HiveEngine, spark: SparkSession
) -> None:
    table = plain_table(hive, "converted")
    # the vectorised reader of 4.1.0 takes the folder of any original for a delta, and fails on its name
    files = {name: rows for name, rows in ORIGINALS.items() if hive.version == "3.1.3" or "/" not in name}
    expected = write_raw_files(table.location(), files)
    convert(table)
    check_same(spark, table, expected)
    spark.sql("DELETE FROM converted WHERE id % 3 = 0")
    spark.sql("UPDATE converted SET name = upper(name) WHERE id % 3 = 1")
    expected = [(i, name.upper() if i % 3 == 1 else name) for i, name in expected if i % 3]
    check_same(spark, table, expected)
    hive.sql("UPDATE converted SET name = 'of hive' WHERE id % 5 = 0")
    table.delete("id % 7 = 0")
    expected = [(i, name if i % 5 else "of hive") for i, name in expected if i % 7]
    check_same(spark, table, expected)
    spark.sql(
        "MERGE INTO converted t USING (SELECT * FROM VALUES (8, 'merged'), (11, NULL), (900, 'new') AS v(id, name)) s "
        "ON t.id = s.id WHEN MATCHED AND s.name IS NULL THEN DELETE WHEN MATCHED THEN UPDATE SET name = s.name "
        "WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, s.name)"
    )
    expected = [(i, "merged" if i == 8 else name) for i, name in expected if i != 11] + [(900, "new")]
    check_same(spark, table, expected)
    if hive.version != "3.1.3":
        compact_minor(table)
    assert any(not name.startswith(("base", "delta", "delete")) for name in table.files()), "the originals stay"
    check_same(spark, table, expected)
    spark.sql("DELETE FROM converted WHERE id = 8")
    expected = [row for row in expected if row[0] != 8]
    table.compact_major()
    assert {name.split("/")[0].split("_")[0] for name in table.files()} == {"base"}
    check_same(spark, table, expected)


def test_originals_in_folders_have_hives_row_ids_and_survive_its_compaction(
    hive: HiveEngine, spark: SparkSession
) -> None:
    table = plain_table(hive, "in_folders")
    expected = write_raw_files(table.location(), ORIGINALS)
    convert(table)
    found = spark.sql("SELECT id, ROW__ID FROM in_folders").collect()
    assert {(row[0],): RowId(*row[1]) for row in found} == table.row_ids("id")
    spark.sql("DELETE FROM in_folders WHERE id % 3 = 0")
    spark.sql("UPDATE in_folders SET name = 'x' WHERE id % 3 = 1")
    expected = [(i, "x" if i % 3 == 1 else name) for i, name in expected if i % 3]
    assert rows(spark, table) == sorted(table.rows_plain()) == expected
    table.compact_major()
    check_same(spark, table, expected)


def test_a_minor_compaction_of_originals_alone_hides_nothing(hive: HiveEngine, spark: SparkSession) -> None:
    table = plain_table(hive, "only_originals")
    expected = write_raw_files(table.location(), {"000000_0": 3, "000000_0_copy_1": 2})
    convert(table)
    compact_minor(table)
    check_same(spark, table, expected)
    spark.sql("DELETE FROM only_originals WHERE id = 1")
    spark.sql("DELETE FROM only_originals WHERE id = 4 OR name = 'name 2'")
    compact_minor(table)
    check_same(spark, table, [expected[0], expected[3]])
    table.compact_major()
    check_same(spark, table, [expected[0], expected[3]])


@pytest.mark.parametrize("statement", ["INSERT OVERWRITE {}", "INSERT INTO {} REPLACE WHERE id < 9"])
def test_replaced_originals_are_gone_in_hive(hive: HiveEngine, spark: SparkSession, statement: str) -> None:
    table = plain_table(hive, f"replaced_{statement.split()[1].lower()}")
    write_raw_files(table.location(), {"000000_0": 3, "000000_0_copy_1": 2})
    convert(table)
    spark.sql(statement.format(table.name) + " VALUES (1, 'one'), (2, 'two')")
    check_same(spark, table, [(1, "one"), (2, "two")])
    spark.sql(f"TRUNCATE TABLE {table.name}")
    assert rows(spark, table) == table.rows_plain() == []


@pytest.mark.parametrize("overwrite", ["", "OVERWRITE"])
def test_loaded_files_have_hives_row_ids(hive: HiveEngine, spark: SparkSession, overwrite: str, tmp_path: Path) -> None:
    table = acid_table(hive, f"loaded_{overwrite}1", COLUMNS)
    table.insert("(1000, 'before')")
    expected = write_raw_files(tmp_path, {"000000_0": 4, "000001_0": 3, "000002_0": 2})
    hive.sql(f"LOAD DATA LOCAL INPATH '{tmp_path}' {overwrite} INTO TABLE {table.name}")
    expected += [] if overwrite else [(1000, "before")]
    check_same(spark, table, expected)
    spark.sql(f"DELETE FROM {table.name} WHERE id % 3 = 0")
    spark.sql(f"UPDATE {table.name} SET name = 'x' WHERE id % 3 = 1")
    expected = [(i, "x" if i % 3 == 1 else name) for i, name in expected if i % 3]
    check_same(spark, table, expected)
    if hive.version != "3.1.3":
        compact_minor(table)
        check_same(spark, table, expected)
    table.compact_major()
    check_same(spark, table, expected)


def test_an_insert_only_table_that_became_full_acid(hive: HiveEngine, spark: SparkSession) -> None:
    """Hive 3.1 refuses that; 4.x leaves the files where they are (HIVE-26474)."""
    hive.sql(
        f"CREATE TABLE grown ({COLUMNS}) STORED AS ORC "
        "TBLPROPERTIES ('transactional'='true', 'transactional_properties'='insert_only')"
    )
    table = HiveTable(hive, "grown")
    table.insert("(1, 'a')", "(2, 'b')", "(3, 'c')")
    table.insert("(4, 'd')", "(5, 'e')")
    conversion = "ALTER TABLE grown SET TBLPROPERTIES ('transactional_properties'='default')"
    if hive.version == "3.1.3":
        with pytest.raises(HiveError, match="Cannot convert"):
            hive.sql(conversion)
        return
    hive.sql(conversion)
    check_same(spark, table, list(enumerate("abcde", 1)))
    spark.sql("DELETE FROM grown WHERE id IN (1, 5)")
    check_same(spark, table, [(2, "b"), (3, "c"), (4, "d")])


def test_a_file_of_another_name_is_refused_by_hive_and_by_spark_until_it_is_renamed(
    hive: HiveEngine, spark: SparkSession
) -> None:
    table = plain_table(hive, "left_behind")
    expected = write_raw_files(table.location(), {"000000_0": 3})
    convert(table)
    other = table.location() / "part-00000-c000.zlib.orc"
    write_raw_file(other, 3, 2)
    with pytest.raises(HiveError, match="out of range: -1"):
        table.rows_plain()
    with pytest.raises(HiveError):
        table.delete("id = 1")
    with pytest.raises(AnalysisException, match=r"part-00000-c000.zlib.orc.*rename it"):
        rows(spark, table)
    other.rename(table.location() / "000001_0")
    expected += [(3, "name 3"), (4, "name 4")]
    check_same(spark, table, expected)
    spark.sql("DELETE FROM left_behind WHERE id IN (0, 4)")
    check_same(spark, table, expected[1:4])
