"""Compactions, locks and transactions of another metastore, and `AcidTable` of its tables."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import Row
from pyspark.sql import functions as F  # noqa: N812 (its name everywhere)

from hive_acid import AcidTable
from hive_acid.metastore.types import LockKind, OperationKind, TransactionState
from hive_acid.model.table import TableName
from support.other_metastore import ACID, CATALOG, INSERT_ONLY, Other
from support.polling import eventually

from .conftest import Tables


def rows(tables: Tables, text: str) -> list[Row]:
    """Of a statement, with the names of its columns."""
    return tables.spark.sql(text).collect()


@pytest.fixture
def named(tables: Tables, lake: Other) -> str:
    """The name of a table of the other metastore; the session's own has one of the same name, with other columns."""
    lake.sql(f"CREATE TABLE t (id INT, name STRING) {ACID}")
    lake.sql("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    lake.sql("INSERT INTO t VALUES (3, 'c')")
    tables.create("t", "price DOUBLE, id INT, name STRING")
    tables.sql("INSERT INTO t VALUES (0.5, 0, 'ours')")
    return tables.in_catalog(CATALOG, "t")


@pytest.fixture
def at_home(tables: Tables, lake: Other) -> Iterator[None]:
    """The other metastore's catalog is the current one."""
    tables.sql(f"USE {CATALOG}.{tables.database}")
    yield
    tables.sql(f"USE spark_catalog.{tables.database}")


@pytest.mark.parametrize("kind", ["major", pytest.param("minor", marks=pytest.mark.slow)])
def test_a_table_is_compacted_in_its_own_metastore(tables: Tables, lake: Other, named: str, kind: str) -> None:
    tables.sql(f"DELETE FROM {named} WHERE id = 2")
    before = tables.files("t")
    (row,) = rows(tables, f"ALTER TABLE {named} COMPACT '{kind}' AND WAIT")
    assert (row.database, row.table, row.type, row.accepted) == (tables.database, "t", kind.upper(), True)
    (listed,) = rows(tables, f"SHOW COMPACTIONS {named}")
    assert (listed.compactionid, listed.type) == (row.compaction_id, kind.upper())
    assert listed.state in ("ready for cleaning", "succeeded")
    assert tables.sql("SHOW COMPACTIONS t") == []
    assert lake.sql("SELECT * FROM t ORDER BY id") == [(1, "a"), (3, "c")]
    assert sorted(tables.sql(f"SELECT * FROM {named}")) == [(1, "a"), (3, "c")]
    assert tables.files("t") == before
    assert eventually(lambda: not lake.open()), lake.open()


@pytest.mark.beyond_the_gate(
    "major compactions; `unit/compaction`; rows and definitions in `integration/test_catalog_*.py`"
)
@pytest.mark.parametrize("storage", [ACID, INSERT_ONLY], ids=["full ACID", "insert-only"])
def test_older_partitions_are_compacted_with_the_columns_of_now(tables: Tables, lake: Other, storage: str) -> None:
    """Also of types that Spark has no words for, beside a table of the same name that has other columns."""
    lake.sql(f"CREATE TABLE t (id INT, code CHAR(3)) PARTITIONED BY (k INT) {storage}")
    lake.sql("INSERT INTO t VALUES (1, 'a', 1), (2, 'b', 2)")
    lake.sql("ALTER TABLE t ADD COLUMNS (word VARCHAR(5))")
    lake.sql("INSERT INTO t VALUES (3, 'c', 'new', 1)")
    tables.create("t", "word INT")
    tables.sql(f"ALTER TABLE {tables.in_catalog(CATALOG, 't')} COMPACT 'major' AND WAIT")
    expected = [(1, "a  ", None, 1), (2, "b  ", None, 2), (3, "c  ", "new", 1)]
    assert lake.sql("SELECT * FROM t ORDER BY id") == expected
    assert sorted(map(tuple, tables.sql(f"SELECT * FROM {tables.in_catalog(CATALOG, 't')}"))) == expected


@pytest.mark.beyond_the_gate(
    "major compactions; `unit/compaction`; rows and definitions in `integration/test_catalog_*.py`"
)
def test_after_many_writes_a_compaction_is_asked_for_where_the_table_is(
    tables: Tables, lake: Other, named: str
) -> None:
    tables.sql("SET spark.hiveacid.compaction.afterWrite = true")
    try:
        for number in range(12):
            tables.sql(f"INSERT INTO {named} VALUES ({number}, 'more')")
    finally:
        tables.sql("RESET spark.hiveacid.compaction.afterWrite")
    assert [(found.tabname, found.state) for found in rows(tables, f"SHOW COMPACTIONS {named}")] == [("t", "initiated")]
    assert tables.sql("SHOW COMPACTIONS t") == []
    assert lake.sql("SELECT count(*) FROM t") == [(15,)]


@pytest.mark.beyond_the_gate(
    "major compactions; `unit/compaction`; rows and definitions in `integration/test_catalog_*.py`"
)
def test_partitions_are_compacted_as_the_clause_says(tables: Tables, lake: Other) -> None:
    lake.sql(f"CREATE TABLE p (id INT) PARTITIONED BY (k INT) {ACID}")
    lake.sql("INSERT INTO p VALUES (1, 1), (2, 2)")
    lake.sql("INSERT INTO p VALUES (3, 2)")  # one delta alone is nothing to compact
    p = tables.in_catalog(CATALOG, "p")
    (row,) = rows(tables, f"ALTER TABLE {p} PARTITION (k = '02') COMPACT 'major'")
    assert (row.partition, row.accepted) == ("k=2", True)
    assert [found.partname for found in rows(tables, f"SHOW COMPACTIONS {p}")] == ["k=2"]


def test_locks_and_transactions_are_those_of_the_metastore_of_the_table(
    tables: Tables, lake: Other, named: str
) -> None:
    name = TableName(tables.database, "t")
    with lake.locked(name, LockKind.SHARED_WRITE, OperationKind.UPDATE) as txn_id:
        (held,) = rows(tables, f"SHOW LOCKS {named}")
        assert (held.table, held.transaction_id, held.user) == ("t", txn_id, "somebody")
        assert tables.sql("SHOW LOCKS t") == []
    assert tables.sql(f"SHOW LOCKS {named}") == []


@pytest.mark.usefixtures("at_home")
def test_a_statement_without_a_table_asks_the_metastore_of_the_current_catalog(tables: Tables, lake: Other) -> None:
    txn_id = lake.client.open_transaction("somebody", "elsewhere", "their tool")
    assert (txn_id, "somebody") in [(row.txnid, row.user) for row in rows(tables, "SHOW TRANSACTIONS")]
    assert tables.sql(f"SHOW LOCKS DATABASE {tables.database}") == []
    ((aborted, state),) = tables.sql(f"ABORT TRANSACTIONS {txn_id}")
    assert (aborted, state) == (txn_id, "ABORTED")
    (info,) = [info for info in lake.client.transactions() if info.id == txn_id]
    assert info.state is TransactionState.ABORTED


@pytest.mark.beyond_the_gate(
    "tables made, dropped, read, inserted, changed, merged and compacted there: the other tests of "
    "`integration/test_catalog_*.py`",
    but=[
        "ALTER TABLE missing COMPACT 'major'-TABLE_OR_VIEW_NOT_FOUND",
        "SHOW COMPACTIONS DATABASE missing-SCHEMA_NOT_FOUND",
    ],
)
@pytest.mark.usefixtures("at_home")
@pytest.mark.parametrize(
    ("statement", "expected"),
    {
        "ALTER TABLE missing COMPACT 'major'": "TABLE_OR_VIEW_NOT_FOUND",
        "SHOW LOCKS missing": "TABLE_OR_VIEW_NOT_FOUND",
        "SHOW COMPACTIONS DATABASE missing": "SCHEMA_NOT_FOUND",
        "ALTER TABLE plain COMPACT 'major'": "HIVE_ACID_UNSUPPORTED_TABLE.NOT_TRANSACTIONAL",
    }.items(),
)
def test_what_is_not_there_is_not_looked_for_in_the_session_s_own_catalog(
    tables: Tables, lake: Other, statement: str, expected: str
) -> None:
    lake.sql("CREATE TABLE plain (id INT) STORED AS ORC")
    tables.sql(f"CREATE TABLE spark_catalog.{tables.database}.missing (id INT) {ACID}")
    with pytest.raises(PySparkException) as caught:
        tables.sql(statement)
    assert caught.value.getCondition() == expected


@pytest.mark.beyond_the_gate(
    "tables made, dropped, read, inserted, changed, merged and compacted there: the other tests of "
    "`integration/test_catalog_*.py`"
)
def test_an_acid_table_of_the_catalog_is_read_and_changed(tables: Tables, lake: Other, named: str) -> None:
    table = AcidTable.forName(tables.spark, named)
    assert table.delete(F.col("id") == 1).collect() == [(1,)]
    assert table.update("id = 2", {"name": "concat(name, '!')"}).collect() == [(1,)]
    source = tables.spark.createDataFrame([(3, "merged"), (4, "new")], "id INT, name STRING")
    merge = table.alias("o").merge(source.alias("n"), "o.id = n.id")
    assert merge.whenMatchedUpdateAll().whenNotMatchedInsertAll().execute().collect() == [(2, 1, 0, 1)]
    rows = [(2, "b!"), (3, "merged"), (4, "new")]
    assert lake.sql("SELECT * FROM t ORDER BY id") == sorted(map(tuple, table.toDF().collect())) == rows
    (compacted,) = table.compact(wait=True).collect()
    assert compacted.accepted
    table.truncate()
    assert lake.sql("SELECT * FROM t") == []
    assert tables.sql("SELECT * FROM t") == [(0.5, 0, "ours")]


@pytest.mark.beyond_the_gate(
    "their rows, definitions, compactions and refusals: the other tests of `integration/test_catalog_*.py`"
)
def test_an_acid_table_of_the_catalog_is_described_by_its_own_metastore(
    tables: Tables, lake: Other, named: str
) -> None:
    table = AcidTable.forName(tables.spark, named)
    table.delete("id = 1")
    (detail,) = table.detail().collect()
    assert (detail.name, detail.numDeltas, detail.numDeleteDeltas) == (f"{tables.database}.t", 2, 1)
    assert detail.location.endswith("/t")
    assert detail.location != str(tables.location("t"))
    assert [row.operation for row in table.history().collect()] == ["DELETE", "INSERT", "INSERT"]
    assert eventually(lambda: not lake.open()), lake.open()
