"""Files are compressed as the table says where Hive of the release reads it: Hive and Spark read and change them."""

import pyarrow.parquet as pq
import pytest
from pyarrow import orc
from pyspark.sql import SparkSession

from interop.hive_engine import HiveEngine
from interop.hive_table import HiveTable

pytestmark = pytest.mark.interop

KEYS = {"ORC": "orc.compress", "PARQUET": "parquet.compression"}
DEFAULTS_OF_HIVE_3 = {"ORC": "ZLIB", "PARQUET": "SNAPPY"}
TAKEN = {("4.1.0", form, word) for form, word in (("ORC", "ZSTD"), ("ORC", "LZ4"), ("PARQUET", "ZSTD"))}
ROWS = 3000


def find_compressions(table: HiveTable, form: str) -> set[str]:
    """What the files of the table, Hive's and ours, are compressed with."""
    paths = [table.location() / file for file in table.files() if "_orc_acid_version" not in file]
    if form == "ORC":
        return {orc.ORCFile(path).compression.upper() for path in paths}
    return {pq.read_metadata(path).row_group(0).column(0).compression for path in paths}


def build_rows(change: str = "") -> list[tuple[int, str]]:
    """The rows of a table from 1 on, the even ones changed."""
    return [(number, f"row {number}{'' if number % 2 else change}") for number in range(1, ROWS + 1)]


def fill(hive: HiveEngine, spark: SparkSession, name: str, form: str, properties: str) -> HiveTable:
    """A new table with the rows, both made by Spark."""
    spark.sql(
        f"CREATE TABLE {name} (id INT, name STRING) STORED AS {form} "
        f"TBLPROPERTIES ('transactional'='true', {properties})"
    )
    spark.sql(f"INSERT INTO {name} SELECT CAST(id AS INT), concat('row ', id) FROM range(1, {ROWS + 1})")
    return HiveTable(hive, name)


@pytest.mark.parametrize("word", ["ZSTD", "LZ4"])
def test_a_full_acid_table_may_ask_for_what_hive_of_the_release_reads(
    hive: HiveEngine, spark: SparkSession, word: str
) -> None:
    name = f"acid_{word}"
    table = fill(hive, spark, name, "ORC", f"'orc.compress'='{word}'")
    spark.sql(f"UPDATE {name} SET name = concat(name, '!') WHERE id % 2 = 0")
    table.check_rows("id", build_rows("!"))
    if (hive.version, "ORC", word) not in TAKEN:  # nor does Hive itself write such a table
        assert find_compressions(table, "ORC") == {DEFAULTS_OF_HIVE_3["ORC"]}
        return
    assert find_compressions(table, "ORC") == {word}

    hive.sql(f"UPDATE {name} SET name = concat(name, '?') WHERE id % 2 = 0")
    assert [tuple(row) for row in spark.table(name).orderBy("id").collect()] == build_rows("!?")
    assert spark.sql(f"DELETE FROM {name} WHERE id > 10").collect()[0][0] == ROWS - 10
    spark.sql(f"ALTER TABLE {name} COMPACT 'major' AND WAIT")
    hive.sql("!cleaner")
    table.check_rows("id", build_rows("!?")[:10])
    hive.sql(f"DELETE FROM {name} WHERE id = 1")
    table.compact_major()
    assert [tuple(row) for row in spark.table(name).orderBy("id").collect()] == build_rows("!?")[1:10]


@pytest.mark.parametrize(("form", "word"), [("ORC", "ZSTD"), ("ORC", "LZ4"), ("PARQUET", "ZSTD")])
def test_an_insert_only_table_may_ask_for_what_hive_of_the_release_reads(
    hive: HiveEngine, spark: SparkSession, form: str, word: str
) -> None:
    name = f"flat_{form}_{word}"
    table = fill(hive, spark, name, form, f"'transactional_properties'='insert_only', '{KEYS[form]}'='{word}'")
    assert find_compressions(table, form) == {word if (hive.version, form, word) in TAKEN else DEFAULTS_OF_HIVE_3[form]}
    assert sorted(table.rows_plain()) == build_rows()
    assert hive.sql(f"SELECT * FROM {name} ORDER BY id").rows == build_rows()
