"""Statements that a catalog with a metastore of its own does not do, and options that are wrong."""

from __future__ import annotations

import pytest
from pyspark.errors import PySparkException

import hive_acid
from hive_acid.metastore.types import LockKind, OperationKind
from hive_acid.model.table import TableName
from hive_acid.spark_lines import is_before
from support.other_metastore import ACID, CATALOG, INSERT_ONLY, Other
from support.polling import eventually
from support.spark_lines import raised_in_tasks

from .conftest import Tables, refusal

NOT_OURS = "HIVE_ACID_UNSUPPORTED_TABLE.OWN_CATALOG"
NOT_ALTERED_HERE = "HIVE_ACID_UNSUPPORTED_STATEMENT.OWN_CATALOG"
REFUSED = {
    "SELECT * FROM {plain}": NOT_OURS,
    "INSERT INTO {plain} VALUES (1)": NOT_OURS,
    "DELETE FROM {plain}": NOT_OURS,
    "MERGE INTO {t} t USING {plain} s ON t.id = s.id WHEN MATCHED THEN DELETE": NOT_OURS,
    "TRUNCATE TABLE {plain}": NOT_OURS,
    "DROP TABLE {plain}": NOT_OURS,
    "ALTER DATABASE lake.{database} SET DBPROPERTIES ('a'='b')": NOT_ALTERED_HERE,
    "SELECT * FROM {view}": "HIVE_ACID_UNSUPPORTED_TABLE.VIEW",
    "SELECT * FROM {text}": "HIVE_ACID_UNSUPPORTED_TABLE.SERDE_IN_OWN_CATALOG",
    "SELECT * FROM {t} VERSION AS OF 1": "UNSUPPORTED_FEATURE.TIME_TRAVEL",
    "SELECT * FROM {t} TIMESTAMP AS OF '2026-01-01'": "UNSUPPORTED_FEATURE.TIME_TRAVEL",
    "SELECT * FROM {missing}": "TABLE_OR_VIEW_NOT_FOUND",
    "DELETE FROM {missing}": "TABLE_OR_VIEW_NOT_FOUND",
    "CREATE OR REPLACE TABLE {t} AS SELECT 1 AS id": "HIVE_ACID_UNSUPPORTED_STATEMENT.REPLACE_TABLE",
    "ALTER TABLE {t} ADD COLUMNS (more INT)": NOT_ALTERED_HERE,
    "ALTER TABLE {t} RENAME TO {missing}": NOT_ALTERED_HERE,
    "ALTER TABLE {t} SET TBLPROPERTIES ('a'='b')": NOT_ALTERED_HERE,
    "COMMENT ON TABLE {t} IS 'something'": NOT_ALTERED_HERE,
    "ANALYZE TABLES IN lake.{database} COMPUTE STATISTICS": NOT_ALTERED_HERE,
    "CREATE INDEX i ON TABLE {t} (id)": NOT_ALTERED_HERE,
    "DROP INDEX i ON TABLE {t}": NOT_ALTERED_HERE,
    "SHOW PARTITIONS {t}": "INVALID_PARTITION_OPERATION.PARTITION_SCHEMA_IS_EMPTY",
    "SHOW PARTITIONS {plain}": NOT_OURS,
}
SINCE_4_2 = {
    "CREATE VIEW {missing} AS SELECT 1 AS one": NOT_ALTERED_HERE,
    "CREATE TABLE {missing} LIKE {t}": NOT_ALTERED_HERE,
    "CREATE TABLE spark_catalog.{database}.missing LIKE {t}": NOT_ALTERED_HERE,
}
"""What earlier lines refuse by names of Spark's, or do not parse."""


def test_what_the_catalog_does_not_do_is_refused_and_changes_nothing(tables: Tables, lake: Other) -> None:
    lake.sql(f"CREATE TABLE t (id INT) {ACID}")
    lake.sql("INSERT INTO t VALUES (1)")
    lake.sql("CREATE TABLE plain (id INT) STORED AS ORC")
    lake.sql("CREATE VIEW view AS SELECT * FROM plain")
    lake.sql("CREATE TABLE text (id INT) " + INSERT_ONLY.replace("PARQUET", "TEXTFILE"))
    names = {name: tables.in_catalog(CATALOG, name) for name in ("t", "plain", "view", "text", "missing")}
    refused = REFUSED if is_before("4.2") else REFUSED | SINCE_4_2
    found = {text: refusal(tables, text.format(**names, database=tables.database)) for text in refused}
    assert found == refused
    assert lake.sql("SHOW TABLES LIKE 'missing'") == []
    assert lake.sql("SELECT * FROM t") == [(1,)]
    assert eventually(lambda: not lake.open()), lake.open()


@pytest.mark.beyond_the_gate(
    "rows that are read, inserted, changed and merged in both directions, DataFrames, refusals and wrong "
    "options in `integration/test_catalog_*.py`",
    but=["INSERT INTO t SELECT * FROM {}"],
)
@pytest.mark.parametrize(
    "statement", ["INSERT INTO {} VALUES (1)", "SELECT * FROM {}", "INSERT INTO t SELECT * FROM {}"]
)
def test_a_transaction_of_several_statements_is_of_one_metastore(tables: Tables, lake: Other, statement: str) -> None:
    lake.sql(f"CREATE TABLE t (id INT) {ACID}")
    tables.create("t", "id INT")
    with pytest.raises(PySparkException) as caught, hive_acid.transaction(tables.spark):
        tables.sql("INSERT INTO t VALUES (1)")
        tables.sql(statement.format(tables.in_catalog(CATALOG, "t")))
    assert caught.value.getCondition() == "HIVE_ACID_UNSUPPORTED_STATEMENT.IN_TRANSACTION"
    assert tables.sql("SELECT * FROM t") == []
    assert lake.sql("SELECT * FROM t") == []


FAILING = (
    "INSERT INTO {theirs} SELECT int(raise_error('on purpose')) FROM {ours}",
    "INSERT INTO {ours} SELECT int(raise_error('on purpose')) FROM {theirs}",
    "UPDATE {theirs} SET id = int(raise_error('on purpose')) WHERE id IN (SELECT id FROM {ours})",
    "MERGE INTO {ours} t USING {theirs} s ON t.id = s.id "
    "WHEN MATCHED THEN UPDATE SET id = int(raise_error('on purpose'))",
)


@pytest.mark.beyond_the_gate(
    "an INSERT into the other one", but=["INSERT INTO {theirs} SELECT int(raise_error('on purpose')) FROM {ours}"]
)
@pytest.mark.parametrize("statement", FAILING)
def test_a_statement_that_fails_leaves_nothing_in_either_metastore(tables: Tables, lake: Other, statement: str) -> None:
    lake.sql(f"CREATE TABLE t (id INT) {ACID}")
    lake.sql("INSERT INTO t VALUES (1)")
    tables.create("t", "id INT")
    tables.sql("INSERT INTO t VALUES (1)")
    files = tables.files("t")
    failure = refusal(tables, statement.format(ours="t", theirs=tables.in_catalog(CATALOG, "t")))
    assert failure == raised_in_tasks("USER_RAISED_EXCEPTION")
    assert lake.sql("SELECT * FROM t") == tables.sql("SELECT * FROM t") == [(1,)]
    assert tables.files("t") == files
    assert eventually(lambda: not lake.open()), lake.open()
    assert eventually(lambda: not tables.open_transactions()), tables.open_transactions()


@pytest.mark.beyond_the_gate(
    "their rows, definitions, compactions and refusals: the other tests of `integration/test_catalog_*.py`"
)
def test_a_lock_of_the_other_metastore_is_waited_for_as_long_as_the_session_says(tables: Tables, lake: Other) -> None:
    lake.sql(f"CREATE TABLE t (id INT) {ACID}")
    lake.sql("INSERT INTO t VALUES (1)")
    name = TableName(tables.database, "t")
    with lake.locked(name, LockKind.EXCLUSIVE, OperationKind.UPDATE), tables.short_waits():
        assert refusal(tables, f"DELETE FROM {tables.in_catalog(CATALOG, 't')}") == "HIVE_ACID_LOCK_TIMEOUT"
        assert refusal(tables, f"SELECT * FROM {tables.in_catalog(CATALOG, 't')}") == "HIVE_ACID_LOCK_TIMEOUT"
    assert tables.sql(f"DELETE FROM {tables.in_catalog(CATALOG, 't')}") == [(1,)]
    assert eventually(lambda: not lake.open()), lake.open()


OPTIONS = {
    "HIVE_ACID_CONFIGURATION.CATALOG_WITHOUT_METASTORE": {},
    "HIVE_ACID_CONFIGURATION.CATALOG_OPTION": {"uri": "thrift://127.0.0.1:1"},
    "HIVE_ACID_CONFIGURATION.NOT_A_FLAG": {
        "hive.metastore.uris": "thrift://127.0.0.1:1",
        "metastore.use.SSL": "perhaps",
    },
    "HIVE_ACID_METASTORE_UNAVAILABLE": {
        "hive.metastore.uris": "thrift://127.0.0.1:1",
        "spark.hiveacid.metastore.connectTimeoutMs": "0",
    },
}


@pytest.mark.parametrize("condition", OPTIONS)
def test_wrong_options_have_an_error_that_says_which(tables: Tables, condition: str) -> None:
    name = f"wrong_{condition.rpartition('.')[2].lower()}"
    tables.spark.conf.set(f"spark.sql.catalog.{name}", "hiveacid.Catalog")
    for option, value in OPTIONS[condition].items():
        tables.spark.conf.set(f"spark.sql.catalog.{name}.{option}", value)
    assert refusal(tables, f"SELECT * FROM {name}.db.t") == condition
