"""Which changes of a column are made: those after which older files show the same values."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hive_acid.errors import HiveAcidError
from hive_acid.model.table import Column, TableDescription
from hive_acid.wire.statements import ColumnChange
from hive_acid.writing.column_changes import check_column_change
from support.statements import build_table

_ORC = "org.apache.hadoop.hive.ql.io.orc.OrcInputFormat"
TABLE = build_table(columns=(Column("a", "int"), Column("b", "string")), input_format=_ORC)
PARQUET = replace(TABLE, input_format="org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat")
TEXT = replace(TABLE, input_format="org.apache.hadoop.mapred.TextInputFormat")


def refusal(
    change: ColumnChange, table: TableDescription = TABLE, *, by_position: bool = True, has_constraints: bool = False
) -> str | None:
    """The sub-condition, None if the change is admitted."""
    try:
        check_column_change(change, table, by_position=by_position, has_constraints=has_constraints)
    except HiveAcidError as refused:
        return refused.getCondition().removeprefix("HIVE_ACID_UNSUPPORTED_STATEMENT.")
    return None


def test_a_name_changes_where_files_have_columns_by_position() -> None:
    change = ColumnChange("A", new_name="c")
    assert refusal(change) is None
    assert refusal(change, by_position=False) == "COLUMN_BY_NAME"
    assert refusal(change, PARQUET) == "COLUMN_BY_NAME"
    assert refusal(ColumnChange("a", new_name="A"), by_position=False) is None, "it is the same name"


def test_a_change_names_a_column_that_is_there_and_a_name_that_is_free() -> None:
    parts = replace(TABLE, partition_columns=(Column("p", "string"),))
    assert refusal(ColumnChange("p", new_name="q"), parts) == "COLUMN_UNKNOWN"
    assert refusal(ColumnChange("a", new_name="B"), parts) == "COLUMN_EXISTS"
    assert refusal(ColumnChange("a", new_name="p"), parts) == "COLUMN_EXISTS"


@pytest.mark.parametrize("change", [ColumnChange("a", new_name="c"), ColumnChange("a", new_type="bigint")], ids=str)
def test_columns_that_buckets_order_or_constraints_go_by_stay(change: ColumnChange) -> None:
    assert refusal(change, replace(TABLE, bucket_columns=("A",), bucket_count=2)) == "COLUMN_BOUND"
    assert refusal(change, replace(TABLE, sort_columns=("a",))) == "COLUMN_BOUND"
    assert refusal(change, replace(TABLE, bucket_columns=("b",), bucket_count=2)) is None
    assert refusal(change, has_constraints=True) == "COLUMN_BOUND"


BY_ALL = [
    *(("tinyint", "smallint"), ("smallint", "bigint"), ("int", "bigint"), ("float", "double")),
    *(("char(3)", "char(5)"), ("varchar(3)", "string"), ("char(3)", "string")),
]
BY_ORC = [
    *(("decimal(5,2)", "decimal(8,2)"), ("decimal(5,2)", "decimal(6,3)"), ("decimal(5,2)", "string")),
    *(("bigint", "string"), ("double", "string"), ("date", "string")),
]
BY_NONE = [
    *(("bigint", "int"), ("double", "float"), ("int", "double"), ("int", "decimal(20,0)"), ("string", "varchar(9)")),
    *(("varchar(5)", "varchar(3)"), ("char(3)", "varchar(5)"), ("decimal(5,2)", "decimal(5,3)")),
    *(("decimal(5,2)", "decimal(9,1)"), ("timestamp", "string"), ("string", "int"), ("boolean", "string")),
    *(("date", "timestamp"), ("binary", "string"), ("array<int>", "array<bigint>")),
]


@pytest.mark.parametrize(
    ("types", "formats"),
    [
        *((pair, "ORC PARQUET") for pair in BY_ALL),
        *((pair, "ORC") for pair in BY_ORC),
        *((pair, "") for pair in BY_NONE),
    ],
    ids=str,
)
def test_types_widen_as_far_as_the_format_is_read(types: tuple[str, str], formats: str) -> None:
    old, new = types
    changed = ColumnChange("a", new_type=new)
    tables = [replace(table, columns=(Column("a", old),)) for table in (TABLE, PARQUET, TEXT)]
    admitted = [
        str(table.file_format.value) for table in tables if table.file_format and refusal(changed, table) is None
    ]
    assert admitted == formats.split()
