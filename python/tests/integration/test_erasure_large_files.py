"""A large file is searched in parts by several tasks, and each of its rows once."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import orc
from pyspark.sql import SparkSession

from hive_acid.model.table import TableName
from hive_acid_erasure.engine import FileFinding, Key, KeyedHashes, Matcher, PhysicalFile
from hive_acid_erasure.spark.erasure_engine import SparkErasureEngine
from integration.conftest import Tables
from support.erasure_calls import erase_once

SECRET = b"a secret that is nowhere to be seen"
KEY = Key(("name",))
INSERT_ONLY = "TBLPROPERTIES ('transactional'='true', 'transactional_properties'='insert_only')"
ROWS = 60_000
"""In blocks of about 10,000 rows."""


def write_blocks(path: Path, word: str, compression: str = "uncompressed") -> None:
    """A file of several stripes or row groups; the subject is in the first row, in the last and in one between."""
    names = [f"name {number * 7919 % ROWS:08d}" for number in range(ROWS)]
    for place in (0, ROWS // 2, ROWS - 1):
        names[place] = "Ada"
    table = pa.table({"id": pa.array(range(ROWS), pa.int32()), "name": names})
    if word == "ORC":
        orc.write_table(table, path, stripe_size=100_000, batch_size=1_000, compression=compression)
    else:
        pq.write_table(table, path, row_group_size=10_000, compression="none", use_dictionary=False)


def search(
    spark: SparkSession,
    table: TableName,
    path: Path,
    part_bytes: int,
    subject: str = "Ada",
    key: Key = KEY,
    partition: str = "",
) -> FileFinding:
    engine = SparkErasureEngine(spark, SECRET, part_bytes)
    matcher = Matcher(table, (KeyedHashes(key, engine.spell(table, key, [(subject,)])),))
    stat = path.stat()
    file = PhysicalFile(str(path), stat.st_size, stat.st_mtime_ns // 1_000_000, partition)
    (finding,) = engine.search(matcher, [file])
    return finding


@pytest.mark.beyond_the_gate(
    "insert-only tables of ORC; the other tests of the file, of full ACID tables",
    but=["TBLPROPERTIES ('transactional'='true', 'transactional_properties'='insert_only')-ORC"],
)
@pytest.mark.parametrize("word", ["ORC", "PARQUET"])
@pytest.mark.parametrize("properties", ["", INSERT_ONLY])
def test_parts_find_the_same_as_one_task(spark: SparkSession, tables: Tables, word: str, properties: str) -> None:
    tables.sql(f"CREATE TABLE t (id INT, name STRING) STORED AS {word} {properties}")
    table, path = TableName(tables.database, "t"), tables.location("t") / ".left"
    path.parent.mkdir(exist_ok=True)
    write_blocks(path, word)
    if word == "ORC":
        assert orc.ORCFile(path).nstripes > 3
    else:
        assert pq.ParquetFile(path).num_row_groups > 3
    whole = search(spark, table, path, path.stat().st_size)
    assert whole == FileFinding(str(path), ROWS, 3, in_statistics=True)
    for part_bytes in (path.stat().st_size - 1, 100_000, 33_333):
        assert search(spark, table, path, part_bytes) == whole, part_bytes
    assert search(spark, table, path, 50_000, "Bob") == FileFinding(str(path), ROWS, 0, in_statistics=False)


@pytest.mark.beyond_the_gate(
    "insert-only tables of ORC; the other tests of the file, of full ACID tables",
    but=["TBLPROPERTIES ('transactional'='true', 'transactional_properties'='insert_only')-ORC"],
)
@pytest.mark.parametrize("word", ["ORC", "PARQUET"])
@pytest.mark.parametrize("properties", ["", INSERT_ONLY])
def test_rows_are_counted_where_no_column_of_the_file_is_needed(
    spark: SparkSession, tables: Tables, word: str, properties: str
) -> None:
    tables.sql(f"CREATE TABLE t (id INT, name STRING) PARTITIONED BY (p INT) STORED AS {word} {properties}")
    table, path, key = TableName(tables.database, "t"), tables.location("t") / "p=7" / ".left", Key(("p",))
    path.parent.mkdir(parents=True, exist_ok=True)
    write_blocks(path, word)
    for part_bytes in (path.stat().st_size, 100_000):
        assert search(spark, table, path, part_bytes, "7", key, "p=7").match_count == ROWS, part_bytes
        assert search(spark, table, path, part_bytes, "8", key, "p=7") == FileFinding(
            str(path), ROWS, 0, in_statistics=False
        )


def test_a_damaged_part_is_a_problem_of_the_file(spark: SparkSession, tables: Tables) -> None:
    table = tables.create("t")
    path = tables.location("t") / ".left"
    path.parent.mkdir(exist_ok=True)
    write_blocks(path, "ORC", "zlib")
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 4_000] = bytes(4_000)
    path.write_bytes(content)
    assert search(spark, table, path, 20_000).problem


def test_all_rows_of_large_files_of_full_acid_tables_are_read(spark: SparkSession, tables: Tables) -> None:
    table = tables.create("t")
    tables.sql("INSERT INTO t SELECT /*+ COALESCE(1) */ id, concat('Ada', id) FROM range(200000)")
    path = next(tables.location("t").glob("delta_*/bucket_*"))
    for part_bytes in (path.stat().st_size, 20_000):
        assert search(spark, table, path, part_bytes, "Ada777") == FileFinding(
            str(path), 200_000, 1, in_statistics=False
        )


@pytest.mark.beyond_the_gate("`unit/erasure/test_cross_check.py`; large files made by pyarrow, in memory")
def test_the_second_reader_reads_a_file_of_any_size(spark: SparkSession, tables: Tables, tmp_path: Path) -> None:
    tables.create("t", "id INT, ssn STRING, noise STRING")
    tables.sql("INSERT INTO t SELECT /*+ COALESCE(1) */ id, id, sha2(string(id), 256) FROM range(600000)")
    assert max(path.stat().st_size for path in tables.location("t").glob("delta_*/bucket_*")) > 16 << 20
    named = {f"{tables.database}.t": {"keys": {"ssn": "ssn"}}}
    outcome = erase_once(spark, tmp_path, ["5"], named, ["ssn"])
    assert outcome.verdict.state.value == "erased"
    assert outcome.certificate is not None
    compared = outcome.certificate.payload["tables"][0]["cross_check"]
    assert (compared["files"], compared["not_checked"]) == (1, [])
    assert compared["rows"] == 600_000 - 1
