"""Columns that get another name or type by statements of Spark: what older files show then, to every reader."""

from __future__ import annotations

from decimal import Decimal

import pytest
from pyarrow import orc
from pyspark.errors import PySparkException

from hive_acid.metastore.compaction_types import CompactionKind
from hive_acid.model.table import TableName
from integration.conftest import Compactions, Tables, refusal

OLD = [(1, "one", 0.25, Decimal("1.50")), (2, "two", 0.5, Decimal("2.50"))]
CHANGES = (
    "RENAME COLUMN name TO Label",
    "ALTER COLUMN id TYPE BIGINT",
    "CHANGE COLUMN label label STRING COMMENT 'what it is called'",
    "ALTER COLUMN price TYPE DOUBLE",
    "ALTER COLUMN tax TYPE DECIMAL(9,3)",
)


def test_older_files_show_their_rows_and_take_statements(tables: Tables, compactions: Compactions) -> None:
    tables.create("t", "id INT, name VARCHAR(5), price FLOAT, tax DECIMAL(5,2)", "PARTITIONED BY (p INT)")
    tables.sql("INSERT INTO t VALUES (1, 'one', 0.25, 1.5, 7), (2, 'two', 0.5, 2.5, 7)")
    frame = tables.spark.table("t")
    tables.sql("ALTER TABLE t ALTER COLUMN name COMMENT 'its name'")
    assert tables.sql("DESCRIBE t")[1] == ("name", "varchar(5)", "its name")
    for change in CHANGES:
        tables.sql(f"ALTER TABLE t {change}")
    with pytest.raises(PySparkException) as raised:
        frame.collect()
    assert raised.value.getCondition() == "HIVE_ACID_TABLE_CHANGED.COLUMNS"
    assert tables.sql("DESCRIBE t")[:2] == [("id", "bigint", None), ("Label", "string", "what it is called")]
    assert tables.sql("SELECT id, label, price, tax FROM t ORDER BY id") == OLD
    assert tables.sql("SELECT id FROM t WHERE label = 'one' AND price < 0.3") == [(1,)]
    tables.sql("INSERT INTO t VALUES (5000000000, 'longer than five', 0.1, 123456.125, 7)")
    tables.sql("UPDATE t SET label = 'first of all' WHERE label = 'one'")
    rows = [
        (1, "first of all", 0.25, Decimal("1.500")),
        (2, "two", 0.5, Decimal("2.500")),
        (5_000_000_000, "longer than five", 0.1, Decimal("123456.125")),
    ]
    assert tables.sql("SELECT id, label, price, tax FROM t ORDER BY id") == rows
    compactions.run(TableName(tables.database, "t"), CompactionKind.MAJOR, "p=7")
    assert tables.sql("SELECT id, label, price, tax FROM t ORDER BY id") == rows
    (base,) = tables.location("t").glob("p=7/base_*/bucket_*")
    values = [event["row"] for event in orc.read_table(base).to_pylist()]
    assert sorted(tuple(row.values()) for row in values) == rows
    assert list(values[0]) == ["id", "label", "price", "tax"]


@pytest.mark.parametrize(
    ("change", "condition"),
    [
        ("RENAME COLUMN name TO ID", "COLUMN_EXISTS"),
        ("RENAME COLUMN other TO name", "COLUMN_UNKNOWN"),
        ("ALTER COLUMN id TYPE TINYINT", "COLUMN_TYPE"),
        ("DROP COLUMN name", "COLUMN_REMOVAL"),
    ],
)
def test_what_would_show_other_values_is_refused_and_changes_nothing(
    tables: Tables, change: str, condition: str
) -> None:
    name = tables.create("t")
    before = tables.client.table(name)
    assert refusal(tables, f"ALTER TABLE t {change}") == f"HIVE_ACID_UNSUPPORTED_STATEMENT.{condition}"
    assert tables.client.table(name) == before and tables.open_transactions() == []
