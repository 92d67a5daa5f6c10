"""Columns that Hive has changed since Spark made their table, whose properties hold Spark's schema: Hive's count."""

from __future__ import annotations

from decimal import Decimal

import pytest
from pyspark.errors import PySparkException

from hive_acid.metastore.compaction_types import CompactionKind
from hive_acid.model.table import TableName
from integration.conftest import Compactions, Tables
from support.altered_by_hive import alter
from support.spark_lines import FAILED_JOB

TYPES = {
    "v_s": ("VARCHAR(5)", "string"),
    "v_v": ("VARCHAR(5)", "varchar(10)"),
    "v_c": ("VARCHAR(5)", "char(10)"),
    "c_c": ("CHAR(3)", "char(6)"),
    "c_s": ("CHAR(3)", "string"),
    "s_v": ("STRING", "varchar(20)"),
    "s_c": ("STRING", "char(8)"),
    "ar": ("ARRAY<VARCHAR(3)>", "array<string>"),
    "st": ("STRUCT<A: VARCHAR(3), b: INT>", "struct<a:varchar(6),b:int>"),
    "ma": ("MAP<STRING, CHAR(2)>", "map<string,char(4)>"),
}
"""Types of columns as Spark made them, and as Hive has them now."""

OLD = "'abc', 'abc', 'abc', 'abc', 'abc', 'abc', 'abc', array('abc'), named_struct('a', 'abc', 'b', 1), map('k', 'v')"
NEW = (
    "'abcdefgh', 'abcdefgh', 'abcdefgh', 'abcdef', 'abcdefgh', 'abcdefgh', 'abcdefgh', "
    "array('abcdefgh'), named_struct('a', 'abcdef', 'b', 2), map('k', 'vwxy')"
)


@pytest.mark.parametrize("others", [{}, {"i_b": ("INT", "bigint"), "d_d": ("DECIMAL(5,2)", "decimal(8,2)")}], ids=str)
def test_statements_go_by_the_types_that_hive_has_given(
    tables: Tables, compactions: Compactions, others: dict[str, tuple[str, str]]
) -> None:
    types = TYPES | others
    tables.create("t", "id INT, " + ", ".join(f"{name} {old}" for name, (old, _) in types.items()))
    tables.sql(f"INSERT INTO t SELECT 1, {OLD}" + ", 1, 1.5" * bool(others))
    assert len(tables.sql("SELECT * FROM t")) == 1
    alter(tables, {"id": "int", **{name: new for name, (_, new) in types.items()}})
    large = ", 5000000000L, 123456.5" * bool(others)
    tables.sql(f"INSERT INTO t SELECT 2, {NEW}{large}")
    tables.sql("UPDATE t SET v_s = 'of any length', v_v = '1234567890', c_s = 'longer' WHERE id = 1")
    tables.sql("MERGE INTO t USING (SELECT 2 AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET s_v = 'merged'")
    tables.sql(f"INSERT INTO t SELECT 3, {NEW}{large}")
    tables.sql("DELETE FROM t WHERE id = 3")
    compactions.run(TableName(tables.database, "t"), CompactionKind.MAJOR)
    shown = tables.sql("SELECT id, v_s, v_v, trim(c_c), c_s, s_v, ar[0], st.a, trim(ma['k']) FROM t ORDER BY id")
    assert shown == [
        (1, "of any length", "1234567890", "abc", "longer", "abc", "abc", "abc", "v"),
        (2, "abcdefgh", "abcdefgh", "abcdef", "abcdefgh", "merged", "abcdefgh", "abcdef", "vwxy"),
    ]
    if others:
        wide = tables.sql("SELECT i_b, d_d FROM t ORDER BY id")
        assert wide == [(1, Decimal("1.50")), (5_000_000_000, Decimal("123456.50"))]
    for column in ("v_v", "v_c", "c_c", "s_v", "s_c"):
        with pytest.raises(FAILED_JOB, match=r"(?i)length|limit"):
            tables.sql(f"UPDATE t SET {column} = repeat('x', 21)")


def test_renamed_added_and_reordered_columns_are_those_of_hive(tables: Tables) -> None:
    tables.create("t", "id INT, a VARCHAR(5), b STRING")
    tables.sql("INSERT INTO t VALUES (1, 'a', 'b')")
    for columns in (
        {"id": "int", "other": "varchar(8)", "b": "string"},
        {"id": "int", "other": "varchar(8)", "b": "string", "c": "varchar(9)"},
    ):
        alter(tables, columns)
        tables.sql("UPDATE t SET other = '12345678' WHERE id = 1")
    tables.sql("UPDATE t SET c = '123456789'")
    assert tables.sql("SELECT id, other, b, c FROM t") == [(1, "12345678", "b", "123456789")]
    alter(tables, {"id": "int", "b": "string", "other": "varchar(8)", "c": "varchar(9)"})
    assert [row[0] for row in tables.sql("DESCRIBE t")] == ["id", "b", "other", "c"]
    assert len(tables.sql("SELECT * FROM t")) == 1


def test_a_partition_columns_type_is_that_of_hive(tables: Tables) -> None:
    tables.create("t", "id INT", "PARTITIONED BY (p VARCHAR(3))")
    tables.sql("INSERT INTO t VALUES (1, 'abc')")
    alter(tables, {"id": "int"}, {"p": "string"})
    tables.sql("INSERT INTO t VALUES (2, 'longer')")
    tables.sql("UPDATE t SET p = 'longest' WHERE p = 'abc'")
    assert tables.sql("SELECT id, p FROM t ORDER BY id") == [(1, "longest"), (2, "longer")]


def test_a_frame_that_was_made_before_is_told_to_be_made_again(tables: Tables) -> None:
    tables.create("t", "id INT, a VARCHAR(3)")
    tables.sql("INSERT INTO t VALUES (1, 'abc')")
    frame = tables.spark.table("t")
    alter(tables, {"id": "int", "a": "string"})
    with pytest.raises(PySparkException) as raised:
        frame.collect()
    assert raised.value.getCondition() == "HIVE_ACID_TABLE_CHANGED.COLUMNS"
    assert tables.sql("SELECT * FROM t") == [(1, "abc")]
