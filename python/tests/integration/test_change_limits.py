"""A statement that changes more rows than the session allows leaves rows and files as they were."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.errors import AnalysisException, PySparkException

import hive_acid

FLAT = {
    "UPDATE flat SET name = 'x' WHERE id <= 3": 3,
    "DELETE FROM flat WHERE id > 2": 2,
    "MERGE INTO flat USING (VALUES (1), (2), (3), (9) AS v(k)) ON id = k WHEN MATCHED AND k = 1 THEN DELETE "
    "WHEN MATCHED THEN UPDATE SET name = 'm' WHEN NOT MATCHED THEN INSERT (id) VALUES (k)": 3,
    "INSERT INTO flat REPLACE WHERE id > 2 VALUES (7, 'x'), (8, 'x'), (9, 'x')": 2,
    "TRUNCATE TABLE flat": 4,
    "INSERT OVERWRITE flat VALUES (1, 'x')": 4,
    "INSERT OVERWRITE flat SELECT * FROM flat WHERE false": 4,
}
PARTS = {
    "UPDATE parts SET name = 'x' WHERE id <= 3": 3,
    "UPDATE parts SET d = d + 1": 4,
    "DELETE FROM parts WHERE d = 1": 2,
    "MERGE INTO parts USING (VALUES (1), (2), (9) AS v(k)) ON id = k WHEN MATCHED THEN DELETE "
    "WHEN NOT MATCHED THEN INSERT (id, d) VALUES (k, 1)": 2,
    "INSERT INTO parts REPLACE WHERE d = 1 VALUES (7, 'x', 1)": 2,
    "TRUNCATE TABLE parts": 4,
    "TRUNCATE TABLE parts PARTITION (d = 1)": 2,
    "INSERT OVERWRITE parts VALUES (1, 'x', 1), (1, 'x', 8)": 2,
    "INSERT OVERWRITE parts PARTITION (d = 3) SELECT 1, 'x'": 1,
}
"""How many of the four rows each statement changes or removes."""


@pytest.fixture
def limited(tables: Any) -> Iterator[Any]:
    """`flat` and `parts` with four rows each, one of five deleted; limits are taken back afterwards."""
    tables.create("flat")
    tables.create("parts", more="PARTITIONED BY (d INT)")
    tables.sql("INSERT INTO flat VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd'), (0, 'gone')")
    tables.sql("INSERT INTO parts VALUES (1, 'a', 1), (2, 'b', 1), (3, 'c', 2), (4, 'd', 3), (0, 'gone', 1)")
    tables.sql("DELETE FROM flat WHERE id = 0")
    tables.sql("DELETE FROM parts WHERE id = 0")
    yield tables
    for key in ("maxRows", "maxPercent"):
        tables.sql(f"RESET spark.hiveacid.guard.{key}")


def state(tables: Any, table: str) -> tuple[Any, ...]:
    """Rows and everything in the table's folder, but for folders of partitions, which an abort may leave."""
    found = sorted(path for path in tables.location(table).rglob("*") if not path.name.startswith("d="))
    return sorted(tables.sql(f"SELECT *, ROW__ID FROM {table}")), found


def expect_refusal(tables: Any, statement: str, rows: int) -> str:
    """What was allowed."""
    with pytest.raises(AnalysisException) as caught:
        tables.sql(statement)
    assert (caught.value.getCondition(), caught.value.getSqlState()) == ("HIVE_ACID_TOO_MANY_ROWS", "54000")
    parameters = caught.value.getMessageParameters() or {}
    assert parameters["rows"] == str(rows)
    return str(parameters["allowed"])


@pytest.mark.parametrize(
    ("table", "statements"), [pytest.param("flat", FLAT, marks=pytest.mark.slow), ("parts", PARTS)]
)
def test_what_changes_too_many_rows_changes_none(limited: Any, table: str, statements: dict[str, int]) -> None:
    before = state(limited, table)
    for statement, rows in statements.items():
        limited.sql(f"SET spark.hiveacid.guard.maxRows = {rows - 1}")
        assert expect_refusal(limited, statement, rows) == str(rows - 1)
        limited.sql("RESET spark.hiveacid.guard.maxRows")
        limited.sql(f"SET spark.hiveacid.guard.maxPercent = {rows * 25 - 1}")
        assert expect_refusal(limited, statement, rows) == f"{rows * 25 - 1} % of the 4 rows it had"
        limited.sql(f"SET spark.hiveacid.guard.maxPercent = {rows * 25}")
        assert hive_acid.dry_run(limited.spark, statement).rows.lost == rows
        limited.sql("RESET spark.hiveacid.guard.maxPercent")
    assert state(limited, table) == before
    last = next(iter(statements))
    limited.sql(f"SET spark.hiveacid.guard.maxRows = {statements[last]}")
    assert limited.sql(last)[0][0] == statements[last], "the next statement works"


def test_new_rows_are_not_limited(limited: Any) -> None:
    limited.sql("SET spark.hiveacid.guard.maxRows = 0")
    limited.sql("SET spark.hiveacid.guard.maxPercent = 0")
    assert limited.sql("INSERT INTO flat SELECT id + 10, name FROM flat") == [(4,)]
    assert limited.sql("INSERT OVERWRITE parts PARTITION (d = 7) VALUES (7, 'new')") == [(1,)]
    assert expect_refusal(limited, "DELETE FROM flat WHERE id = 1", 1) == "0"


def test_in_a_transaction_each_statement_is_judged_by_itself(limited: Any) -> None:
    limited.sql("SET spark.hiveacid.guard.maxPercent = 50")
    before = state(limited, "flat")
    with hive_acid.transaction(limited.spark):
        assert limited.sql("DELETE FROM flat WHERE id = 1") == [(1,)]
        assert limited.sql("INSERT INTO flat VALUES (5, 'e')") == [(1,)]
        assert limited.sql("UPDATE flat SET name = 'x' WHERE id IN (4, 5)") == [(2,)]
    assert len(limited.sql("SELECT * FROM flat")) == 4
    between = state(limited, "flat")
    assert between != before
    with pytest.raises(PySparkException), hive_acid.transaction(limited.spark):
        assert limited.sql("DELETE FROM flat WHERE id = 2") == [(1,)]
        assert expect_refusal(limited, "DELETE FROM flat WHERE id IN (3, 4)", 2) == "50 % of the 3 rows it had"
    assert state(limited, "flat") == between


def test_of_several_inserts_an_overwrite_is_judged(limited: Any) -> None:
    limited.sql("SET spark.hiveacid.guard.maxRows = 3")
    before = state(limited, "flat"), state(limited, "parts")
    both = "FROM flat f INSERT INTO parts SELECT f.id, f.name, 4 INSERT OVERWRITE flat SELECT f.id, f.name"
    assert expect_refusal(limited, both, 4) == "3"
    assert (state(limited, "flat"), state(limited, "parts")) == before
