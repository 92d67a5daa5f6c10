"""No statement and no compaction puts the mask of encrypted columns, or their values in clear, in their place."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from hive_acid.metastore.compaction_types import CompactionKind
from hive_acid.model.table import TableName
from integration.conftest import Compactions, Tables, refusal
from support.encrypted_files import KeyStore, encrypt_parquet, encrypt_rows, make_key_store
from support.erasure_calls import erase_once

STORED = "HIVE_ACID_UNSUPPORTED_LAYOUT.ENCRYPTED_COLUMNS"
MASKED = "HIVE_ACID_UNSUPPORTED_LAYOUT.MASKED_COLUMNS"
VALUES = "SELECT * FROM VALUES (1, 'Ada'), (2, 'Bob') AS t (id, name)"
INSERT_ONLY = "'transactional'='true', 'transactional_properties'='insert_only'"
MAJOR, MINOR, REBALANCE = CompactionKind.MAJOR, CompactionKind.MINOR, CompactionKind.REBALANCE


@pytest.fixture
def store(spark: SparkSession) -> KeyStore:
    return make_key_store(spark)


@pytest.fixture
def full(tables: Tables, store: KeyStore) -> TableName:
    """A table of which one of two files holds the names encrypted."""
    table = tables.create("t")
    tables.sql(f"INSERT INTO t {VALUES}")
    (file,) = tables.location("t").glob("delta_*/bucket_00000")
    encrypt_rows(store, file, VALUES, "name", write_id=1)
    tables.sql("INSERT INTO t VALUES (3, 'Cyd')")
    return table


@pytest.fixture
def insert_only(tables: Tables, store: KeyStore) -> TableName:
    tables.sql(f"CREATE TABLE t (id INT, name STRING) STORED AS ORC TBLPROPERTIES ({INSERT_ONLY})")
    tables.sql(f"INSERT INTO t {VALUES}")
    (file,) = tables.location("t").glob("delta_*/0*")
    encrypt_rows(store, file, VALUES, "name")
    tables.sql("INSERT INTO t VALUES (3, 'Cyd')")
    return TableName(tables.database, "t")


def contents(tables: Tables) -> dict[str, str]:
    """The visible files, and what they hold."""
    root = tables.location("t")
    return {name: hashlib.sha256((root / name).read_bytes()).hexdigest() for name in tables.files("t")}


def names(tables: Tables) -> list[str | None]:
    return [name for _, name in sorted(tables.sql("SELECT id, name FROM t"))]


def test_a_query_shows_the_values_with_the_key_and_the_mask_without_it(
    tables: Tables, full: TableName, store: KeyStore
) -> None:
    assert names(tables) == [None, None, "Cyd"]
    with store.known():
        assert names(tables) == ["Ada", "Bob", "Cyd"]


@pytest.mark.beyond_the_gate("the compaction 'major', which reads files as the others do", but=["CompactionKind.MAJOR"])
@pytest.mark.parametrize("kind", [MAJOR, MINOR, REBALANCE])
def test_a_compaction_keeps_the_encrypted_file(
    tables: Tables, full: TableName, store: KeyStore, compactions: Compactions, kind: CompactionKind
) -> None:
    before = contents(tables)
    refuse_compaction(compactions, full, kind)
    with store.known():
        refuse_compaction(compactions, full, kind)
        assert names(tables) == ["Ada", "Bob", "Cyd"]
    assert contents(tables) == before


def refuse_compaction(compactions: Compactions, table: TableName, kind: CompactionKind) -> None:
    with pytest.raises(AnalysisException, match=r"delta_0000001_.*its columns name are encrypted") as caught:
        compactions.run(table, kind, buckets=2 if kind is REBALANCE else None)
    assert caught.value.getCondition() == STORED
    assert STORED in (compactions.last(table).error or "")


@pytest.mark.beyond_the_gate("UPDATE, DELETE and INSERT OVERWRITE", cells=["MERGE*", "INSERT INTO t REPLACE*"])
@pytest.mark.parametrize(
    ("statement", "condition"),
    [
        ("UPDATE t SET id = 7 WHERE id = 1", STORED),
        ("MERGE INTO t USING (SELECT 1 AS k) s ON id = k WHEN MATCHED THEN UPDATE SET id = 7", STORED),
        ("INSERT OVERWRITE t SELECT * FROM t", STORED),
        ("INSERT INTO t REPLACE WHERE id < 3 SELECT id, name FROM t WHERE id < 3", STORED),
        ("DELETE FROM t WHERE name IS NULL", MASKED),
        ("MERGE INTO t USING (SELECT 1 AS k) s ON id = k WHEN MATCHED AND name IS NULL THEN DELETE", STORED),
    ],
)
def test_a_statement_that_would_lose_the_values_is_refused(
    tables: Tables, full: TableName, statement: str, condition: str
) -> None:
    before = contents(tables)
    assert refusal(tables, statement) == condition
    assert contents(tables) == before
    assert not tables.open_transactions()


def test_what_writes_no_encrypted_value_again_goes_on(tables: Tables, full: TableName, store: KeyStore) -> None:
    with store.known():
        tables.sql("DELETE FROM t WHERE name = 'Ada'")
        assert names(tables) == ["Bob", "Cyd"]
    tables.sql("UPDATE t SET name = 'Dee' WHERE id = 2")
    tables.sql("DELETE FROM t WHERE id = 3")
    assert names(tables) == ["Dee"]


@pytest.mark.beyond_the_gate("the compaction, and `unit/erasure` for what an erasure makes of one that fails")
def test_an_erasure_loses_no_encrypted_value_of_others(
    tables: Tables, full: TableName, store: KeyStore, spark: SparkSession, tmp_path: Path
) -> None:
    outcome = erase_once(spark, tmp_path, ["1"], {str(full): {"keys": {"who": "id"}}}, ["who"])
    assert outcome.verdict.state.value == "pending"
    details = {place.kind.value: place.detail for place in outcome.verdict.places}
    assert STORED in details["not-compacted"]
    assert "rows" in details, "the file with the row is still there"
    with store.known():
        assert names(tables) == ["Bob", "Cyd"]


def test_a_table_without_row_ids_keeps_the_encrypted_file(
    tables: Tables, insert_only: TableName, store: KeyStore, compactions: Compactions
) -> None:
    before = contents(tables)
    assert refusal(tables, "INSERT OVERWRITE t SELECT * FROM t WHERE id <> 1") == STORED
    refuse_compaction(compactions, insert_only, MAJOR)
    assert contents(tables) == before
    tables.sql("INSERT INTO t SELECT id + 10, 'new' FROM t")
    with store.known():
        assert names(tables)[:2] == ["Ada", "Bob"]


@pytest.mark.beyond_the_gate("the same of ORC")
def test_a_parquet_file_with_encrypted_columns_is_kept(tables: Tables, compactions: Compactions) -> None:
    tables.sql(f"CREATE TABLE t (id INT, name STRING) STORED AS PARQUET TBLPROPERTIES ({INSERT_ONLY})")
    tables.sql(f"INSERT INTO t {VALUES}")
    (file,) = tables.location("t").glob("delta_*/0*")
    encrypt_parquet(file, pa.table({"id": pa.array([1, 2], pa.int32()), "name": ["Ada", "Bob"]}), ["name"])
    tables.sql("INSERT INTO t VALUES (3, 'Cyd')")
    before = contents(tables)
    assert tables.sql("SELECT id FROM t ORDER BY id") == [(1,), (2,), (3,)]
    assert refusal(tables, "INSERT OVERWRITE t SELECT * FROM t WHERE id <> 1") == STORED
    refuse_compaction(compactions, TableName(tables.database, "t"), MAJOR)
    assert contents(tables) == before
