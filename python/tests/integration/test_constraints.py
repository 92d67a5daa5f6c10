"""What the metastore says must hold of a table's rows, and what stands for values that are not given."""

from __future__ import annotations

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import functions as F  # noqa: N812 (its name everywhere)

from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.metastore.generated import ttypes
from hive_acid.model.table import TableConstraints, TableName
from integration.conftest import Tables

STATE = (True, False, False)  # enabled, not validated, not relied upon
ROWS = [(1, "one", 10), (2, "two", 20)]


def add(tables: Tables, method: str, request: type, constraint: object) -> None:
    client = tables.client
    assert isinstance(client, ThriftMetastore)
    client._change(method, request([constraint]))


def not_null(tables: Tables, table: TableName, column: str, enabled: bool = True) -> None:
    where = ("hive", table.database, table.table, column, f"nn_{table.database}_{column}")
    constraint = ttypes.SQLNotNullConstraint(*where, enabled, False, False)
    add(tables, "add_not_null_constraint", ttypes.AddNotNullConstraintRequest, constraint)


def default(tables: Tables, table: TableName, column: str, value: str) -> None:
    where = ("hive", table.database, table.table, column)
    constraint = ttypes.SQLDefaultConstraint(*where, value, f"d_{table.database}_{column}", *STATE)
    add(tables, "add_default_constraint", ttypes.AddDefaultConstraintRequest, constraint)


def check(tables: Tables, table: TableName, column: str, expression: str) -> None:
    where = ("hive", table.database, table.table, column)
    constraint = ttypes.SQLCheckConstraint(*where, expression, f"c_{table.database}_{column}", *STATE)
    add(tables, "add_check_constraint", ttypes.AddCheckConstraintRequest, constraint)


@pytest.fixture(params=[pytest.param("flat", marks=pytest.mark.slow), "parts"])
def table(tables: Tables, request: pytest.FixtureRequest) -> TableName:
    more = "PARTITIONED BY (n INT)" if request.param == "parts" else ""
    name = tables.create("t", f"id INT, name STRING{'' if more else ', n INT'}", more)
    tables.sql("INSERT INTO t VALUES (1, 'one', 10), (2, 'two', 20)")
    return name


BAD = {
    "insert": "INSERT INTO t VALUES (3, 'three', 30), (4, NULL, 30)",
    "insert-column-list": "INSERT INTO t (id, n) VALUES (3, 30)",
    "overwrite": "INSERT OVERWRITE t SELECT id, nullif(name, 'two'), n FROM t",
    "update": "UPDATE t SET name = nullif(name, 'two')",
    "update-moves": "UPDATE t SET name = nullif(name, 'two'), n = n + 1",
    "merge-update": "MERGE INTO t USING (SELECT 2 AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET name = NULL",
    "merge-insert": "MERGE INTO t USING (SELECT 3 AS id) s ON t.id = s.id "
    "WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (id, n) VALUES (s.id, 30)",
}


def test_a_null_where_none_may_be_ends_the_statement_and_changes_nothing(tables: Tables, table: TableName) -> None:
    not_null(tables, table, "name")
    files = tables.files("t")
    for statement in (*BAD.values(), *(f"EXPLAIN ACID {text}" for text in BAD.values())):
        with pytest.raises(PySparkException) as raised:
            tables.sql(statement)
        assert (raised.value.getCondition(), raised.value.getSqlState()) == ("HIVE_ACID_NULL_VALUE", "23502"), statement
        assert raised.value.getMessageParameters() == {"table": str(table), "column": "name"}
    assert tables.sql("SELECT * FROM t ORDER BY id") == ROWS
    assert tables.files("t") == files


def test_other_columns_may_be_null_and_rows_may_be_deleted(tables: Tables, table: TableName) -> None:
    not_null(tables, table, "name")
    assert tables.sql("INSERT INTO t VALUES (NULL, 'three', 30)") == [(1,)]
    assert tables.sql("UPDATE t SET id = NULL WHERE id = 1") == [(1,)]
    merge = "MERGE INTO t USING (SELECT 2 AS id) s ON t.id = s.id WHEN MATCHED THEN DELETE"
    assert tables.sql(merge) == [(1, 0, 1, 0)]
    assert tables.sql("DELETE FROM t WHERE name = 'one'") == [(1,)]
    assert tables.sql("SELECT * FROM t") == [(None, "three", 30)]


def test_a_constraint_that_is_not_enabled_is_none(tables: Tables, table: TableName) -> None:
    not_null(tables, table, "name", enabled=False)
    assert tables.client.constraints(table) == TableConstraints()
    assert tables.sql("INSERT INTO t VALUES (3, NULL, 30)") == [(1,)]


def test_check_constraints_are_hives_to_judge_so_new_rows_are_refused(tables: Tables, table: TableName) -> None:
    check(tables, table, "id", "id > 0")
    for statement in (BAD["insert"], BAD["update"], BAD["overwrite"], BAD["merge-insert"]):
        with pytest.raises(PySparkException, match="it has CHECK constraints") as raised:
            tables.sql(statement)
        assert raised.value.getCondition() == "HIVE_ACID_UNSUPPORTED_TABLE.CHECK_CONSTRAINTS"
    assert tables.sql("DELETE FROM t WHERE id = 1") == [(1,)]
    assert tables.sql("SELECT * FROM t") == ROWS[1:]
    assert tables.sql("TRUNCATE TABLE t") == []


def test_what_is_not_given_is_the_default(tables: Tables, table: TableName) -> None:
    default(tables, table, "name", "concat('no', ' name')")
    assert tables.sql("INSERT INTO t (id, n) VALUES (3, 30)") == [(1,)]
    assert tables.sql("INSERT INTO t VALUES (4, DEFAULT, 40), (5, NULL, 50)") == [(2,)]
    tables.spark.sql("SELECT 6 AS id, 60 AS n").writeTo("t").append()
    assert tables.sql("UPDATE t SET name = DEFAULT WHERE id = 1") == [(1,)]
    merge = (
        "MERGE INTO t USING (SELECT id FROM VALUES (2), (7) AS s(id)) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET name = DEFAULT WHEN NOT MATCHED THEN INSERT (id, n) VALUES (s.id, 70)"
    )
    assert tables.sql(merge) == [(2, 1, 0, 1)]
    named = [(n, None if n == 5 else "no name", n * 10) for n in range(1, 8)]
    assert tables.sql("SELECT * FROM t ORDER BY id") == named


def test_a_default_serves_a_column_without_null(tables: Tables, table: TableName) -> None:
    default(tables, table, "name", "'x'")
    not_null(tables, table, "name")
    assert tables.sql("INSERT INTO t (id, n) VALUES (3, 30)") == [(1,)]
    tables.spark.range(4, 6).select(F.col("id").cast("int"), (F.col("id") * 10).cast("int").alias("n")).writeTo(
        "t"
    ).append()
    assert tables.sql("SELECT id, name FROM t WHERE id > 2 ORDER BY id") == [(3, "x"), (4, "x"), (5, "x")]
