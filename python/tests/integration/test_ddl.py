"""Statements that alter tables, beside what the golden files and isolation specs show of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.errors import PySparkException

import hive_acid
from hive_acid.metastore.types import LockComponent, LockKind, OperationKind
from hive_acid.model.table import TableName
from integration.conftest import Tables
from support.polling import eventually

ALTERATIONS = {
    "add-partition": "ALTER TABLE parts ADD PARTITION (d = 'new')",
    "drop-partition": "ALTER TABLE parts DROP PARTITION (d = 'a')",
    "rename-partition": "ALTER TABLE parts PARTITION (d = 'a') RENAME TO PARTITION (d = 'new')",
    "add-columns": "ALTER TABLE parts ADD COLUMNS (more INT)",
    "change-column": "ALTER TABLE parts ALTER COLUMN name COMMENT 'x'",
    "rename-column": "ALTER TABLE parts RENAME COLUMN name TO other",
    "widen-column": "ALTER TABLE parts ALTER COLUMN id TYPE BIGINT",
    "rename": "ALTER TABLE parts RENAME TO other",
    "set": "ALTER TABLE parts SET TBLPROPERTIES ('note' = 'x')",
    "unset": "ALTER TABLE parts UNSET TBLPROPERTIES ('note')",
    "comment": "COMMENT ON TABLE parts IS 'x'",
    "analyze": "ANALYZE TABLE parts COMPUTE STATISTICS",
    "analyze-all": "ANALYZE TABLES COMPUTE STATISTICS",
    "drop": "DROP TABLE parts",
}


@pytest.fixture
def parts(tables: Tables) -> TableName:
    name = tables.create("parts", more="PARTITIONED BY (d STRING)")
    tables.sql("INSERT INTO parts VALUES (1, 'one', 'a'), (2, 'two', 'b')")
    return name


def test_within_a_transaction_they_are_refused_and_change_nothing(tables: Tables, parts: TableName) -> None:
    before = tables.client.table(parts)
    with hive_acid.transaction(tables.spark):
        for statement in ALTERATIONS.values():
            with pytest.raises(PySparkException) as raised:
                tables.sql(statement)
            assert raised.value.getCondition() == "HIVE_ACID_UNSUPPORTED_STATEMENT.IN_TRANSACTION", statement
    assert tables.client.table(parts) == before
    assert tables.sql("SELECT * FROM parts ORDER BY id") == [(1, "one", "a"), (2, "two", "b")]


@pytest.mark.beyond_the_gate("`unit/execution/test_ddl.py`; one statement", but=["add-columns"])
@pytest.mark.parametrize("kind", ["add-columns", "drop", "drop-partition", "rename"])
def test_somebody_elses_lock_is_waited_for_and_named(tables: Tables, parts: TableName, kind: str) -> None:
    client = tables.client
    txn_id = client.open_transaction("somebody", "elsewhere", "their tool")
    client.lock(
        txn_id,
        [LockComponent(parts, LockKind.SHARED_READ, OperationKind.SELECT)],
        "somebody",
        "elsewhere",
        "their tool",
    )
    tables.sql("SET spark.hiveacid.lock.timeoutMs = 300")
    try:
        with pytest.raises(PySparkException, match="somebody on elsewhere") as raised:
            tables.sql(ALTERATIONS[kind])
    finally:
        tables.sql("RESET spark.hiveacid.lock.timeoutMs")
    assert (raised.value.getCondition(), raised.value.getSqlState()) == ("HIVE_ACID_LOCK_TIMEOUT", "57033")
    assert [lock.txn_id for lock in client.held_locks(parts)] == [txn_id]
    client.abort(txn_id)
    tables.sql(ALTERATIONS[kind])
    assert eventually(lambda: tables.open_transactions() == [])


def test_a_new_partition_may_lie_elsewhere_if_there_are_no_files(
    tables: Tables, parts: TableName, tmp_path: Path
) -> None:
    full, empty = tmp_path / "full", tmp_path / "empty"
    tables.spark.range(3).selectExpr("int(id) AS id", "'x' AS name").write.orc(str(full))
    with pytest.raises(PySparkException, match="INSERT their rows instead") as raised:
        tables.sql(f"ALTER TABLE parts ADD PARTITION (d = 'f') LOCATION '{full}'")
    assert raised.value.getCondition() == "HIVE_ACID_UNSUPPORTED_TABLE.LOCATION_HAS_FILES"
    tables.sql(f"ALTER TABLE parts ADD PARTITION (d = 'e') LOCATION '{empty}'")
    tables.sql("INSERT INTO parts VALUES (3, 'three', 'e')")
    tables.sql("UPDATE parts SET name = upper(name) WHERE d = 'e'")
    assert tables.sql("SELECT * FROM parts ORDER BY id") == [(1, "one", "a"), (2, "two", "b"), (3, "THREE", "e")]
    assert list(empty.rglob("bucket_*")) and tables.sql("SHOW PARTITIONS parts") == [("d=a",), ("d=b",), ("d=e",)]


def test_every_transactional_table_of_a_dropped_database_is_locked(tables: Tables) -> None:
    other = f"{tables.database}_other"
    tables.sql(f"CREATE DATABASE {other}")
    names = []
    for table in ("one", "two"):
        tables.sql(f"CREATE TABLE {other}.{table} (id INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
        names.append(TableName(other, table))
    client = tables.client
    txn_id = client.open_transaction("somebody", "elsewhere", "their tool")
    asked = [LockComponent(names[1], LockKind.SHARED_READ, OperationKind.SELECT)]
    client.lock(txn_id, asked, "somebody", "elsewhere", "their tool")
    tables.sql("SET spark.hiveacid.lock.timeoutMs = 300")
    try:
        with pytest.raises(PySparkException, match="somebody on elsewhere"):
            tables.sql(f"DROP DATABASE {other} CASCADE")
    finally:
        tables.sql("RESET spark.hiveacid.lock.timeoutMs")
    assert [row[1] for row in tables.sql(f"SHOW TABLES IN {other}") if not row[2]] == ["one", "two"]
    client.abort(txn_id)
    tables.sql(f"DROP DATABASE {other} CASCADE")
    assert (other,) not in tables.sql("SHOW DATABASES")


@pytest.mark.beyond_the_gate(
    "`unit/execution/test_ddl.py`; one statement",
    but=["CREATE TABLE t (id INT) STORED AS ORC LOCATION '{place}' TBLPROPERTIES ('transactional'='true')"],
)
@pytest.mark.parametrize(
    "create",
    [
        "CREATE TABLE t (id INT) STORED AS ORC LOCATION '{place}' TBLPROPERTIES ('transactional'='true')",
        "CREATE TRANSACTIONAL TABLE t (id INT) STORED AS ORC LOCATION '{place}'",
        "CREATE TABLE t STORED AS ORC LOCATION '{place}' TBLPROPERTIES ('transactional'='true') AS SELECT 1 AS id",
        "CREATE TABLE t LIKE source LOCATION '{place}' TBLPROPERTIES ('transactional'='true')",
    ],
)
def test_a_transactional_table_with_a_location_lies_there_and_is_managed(
    tables: Tables, tmp_path: Path, create: str
) -> None:
    tables.create("source", "id INT")
    place = tmp_path / "there"
    tables.sql(create.format(place=place))
    tables.sql("INSERT INTO t VALUES (2)")
    tables.sql("UPDATE t SET id = 3 WHERE id = 2")
    assert max(tables.sql("SELECT id FROM t")) == (3,)
    assert tables.location("t") == place
    assert not [row for row in tables.sql("SHOW TBLPROPERTIES t") if row[0].startswith("hiveacid")]
    tables.sql("DROP TABLE t")
    assert not place.exists()


def test_a_location_with_files_is_not_taken_over(tables: Tables, tmp_path: Path) -> None:
    tables.create("old", "id INT")
    tables.sql("INSERT INTO old VALUES (1)")
    place = tables.location("old")
    with pytest.raises(PySparkException) as refused:
        tables.sql(f"CREATE TABLE t (id INT) STORED AS ORC LOCATION '{place}' TBLPROPERTIES ('transactional'='true')")
    assert refused.value.getCondition() == "LOCATION_ALREADY_EXISTS"
    assert tables.sql("SELECT * FROM old") == [(1,)]


@pytest.mark.parametrize(
    "create, operation, sub",
    [
        ("CREATE EXTERNAL TABLE t (id INT) STORED AS ORC LOCATION '{place}'", "CREATE EXTERNAL TABLE", "EXTERNAL"),
        ("CREATE TABLE t (id INT) STORED AS PARQUET", "CREATE TABLE", "FULL_ACID_FORMAT"),
        ("CREATE TABLE t (id INT) STORED AS TEXTFILE LOCATION '{place}'", "CREATE TABLE", "FULL_ACID_FORMAT"),
    ],
)
def test_what_cannot_be_transactional_in_hive_is_refused_by_name(
    tables: Tables, tmp_path: Path, create: str, operation: str, sub: str
) -> None:
    with pytest.raises(PySparkException) as refused:
        tables.sql(create.format(place=tmp_path / "there") + " TBLPROPERTIES ('transactional'='true')")
    assert refused.value.getCondition() == f"HIVE_ACID_UNSUPPORTED_TABLE.{sub}"
    assert refused.value.getMessageParameters()["operation"] == operation
    assert tables.sql("SHOW TABLES LIKE 't'") == []
