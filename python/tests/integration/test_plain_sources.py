"""Plain tables of Hive as sources: Spark reads them by its own ORC and Parquet readers, in every statement."""

from __future__ import annotations

from decimal import Decimal

import pytest

from integration.conftest import Tables

STATEMENTS = {
    "INSERT": "INSERT INTO t SELECT * FROM plain",
    "UPDATE": "UPDATE t SET amount = 0 WHERE id IN (SELECT id FROM plain)",
    "DELETE": "DELETE FROM t WHERE id IN (SELECT id FROM plain)",
    "MERGE": "MERGE INTO t USING plain s ON t.id = s.id WHEN MATCHED THEN UPDATE SET amount = s.amount "
    "WHEN NOT MATCHED THEN INSERT *",
    "MERGE with a query": "MERGE INTO t USING (SELECT id, max(amount) AS amount FROM plain GROUP BY id) s "
    "ON t.id = s.id WHEN MATCHED AND s.amount > 1 THEN DELETE "
    "WHEN NOT MATCHED THEN INSERT *",
    "REPLACE WHERE": "INSERT INTO t REPLACE WHERE id < 10 SELECT * FROM plain",
}


@pytest.mark.beyond_the_gate("three statements", but=["INSERT-ORC", "MERGE-PARQUET", "DELETE-PARQUET"])
@pytest.mark.parametrize("form", ["ORC", "PARQUET"])
@pytest.mark.parametrize("statement", STATEMENTS.values(), ids=STATEMENTS)
def test_a_plain_source_is_read_by_sparks_own_reader(tables: Tables, form: str, statement: str) -> None:
    tables.sql("CREATE TABLE t (id INT, amount DECIMAL(10,2)) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
    tables.sql(f"CREATE TABLE plain (id INT, amount DECIMAL(10,2)) STORED AS {form}")
    ((plan,),) = tables.sql(f"EXPLAIN EXTENDED {statement}")
    assert f"FileScan {form.lower()}" in plan or f"Relation spark_catalog.{tables.database}.plain" in plan
    assert "HiveTableRelation" not in plan.partition("== Analyzed")[2]


def test_a_merge_takes_decimals_from_parquet(tables: Tables) -> None:
    tables.sql("CREATE TABLE t (id INT, amount DECIMAL(10,2)) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
    tables.sql("CREATE TABLE plain (id INT, amount DECIMAL(10,2)) STORED AS PARQUET")
    tables.sql("INSERT INTO t VALUES (1, 1.25), (2, 2.5)")
    tables.sql("INSERT INTO plain VALUES (2, 20.5), (3, 30.75)")
    tables.sql(STATEMENTS["MERGE"])
    expected = [(1, Decimal("1.25")), (2, Decimal("20.50")), (3, Decimal("30.75"))]
    assert tables.sql("SELECT * FROM t ORDER BY id") == expected
