"""New tables and columns: those that Hive has, and shows as they are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hive_acid.errors import Refusal
from hive_acid.model.table import TableName
from hive_acid.wire.new_tables import NewColumn, NewTable
from hive_acid.writing.new_tables import find_new_column_fault, find_new_table_fault

ID, DAY = NewColumn("id", "int", ("int",)), NewColumn("day", "string", ("string",))
NEW = NewTable(
    TableName("db", "t"),
    is_external=False,
    is_insert_only=False,
    is_orc=True,
    columns=(ID,),
    partition_columns=(DAY,),
    sort_columns=(),
    location=None,
    usual_location="file:/w/t",
    has_collations=True,
)


def condition(refusal: Refusal | None) -> str | None:
    return refusal and refusal.condition.rpartition(".")[2]


def test_a_table_of_hives_own_types_is_taken() -> None:
    assert find_new_table_fault(NEW) is None


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"is_external": True}, "EXTERNAL"),
        ({"columns": ()}, "NO_DATA_COLUMNS"),
        ({"partition_columns": (NewColumn("d", "array<int>", ("int",)),)}, "PARTITION_COLUMN_TYPE"),
        ({"partition_columns": (NewColumn("d", "binary", ("binary",)),)}, "PARTITION_COLUMN_TYPE"),
        ({"partition_columns": (NewColumn("_d", "int", ("int",)),)}, "HIDDEN_PARTITION_COLUMN"),
        ({"sort_columns": ("id",)}, "SORTED_BY"),
        ({"columns": (NewColumn("a`b", "int", ("int",)),)}, "BACKTICK_COLUMN"),
        ({"columns": (NewColumn("a`b", "int", ("int",)),), "is_orc": False}, None),
    ],
)
def test_a_table_that_nobody_could_use_is_refused_before_it_is_made(
    change: dict[str, Any], expected: str | None
) -> None:
    assert condition(find_new_table_fault(replace(NEW, **change))) == expected


ATOMS = [
    *("boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "binary", "date", "timestamp", "string"),
    *("char(3)", "varchar(30)", "decimal(10,2)"),
]


def test_the_types_of_hive_are_taken_in_any_depth() -> None:
    assert find_new_column_fault([NewColumn("c", "struct<…>", tuple(ATOMS), ("a", "b c", "d.e", "$f", "ä9"))]) is None


@pytest.mark.parametrize(
    "atom", ["timestamp_ntz", "void", "interval day to second", "variant", "time(6)", "geometry(0)"]
)
def test_a_type_that_hive_does_not_have_is_refused_in_any_depth(atom: str) -> None:
    assert condition(find_new_column_fault([ID, NewColumn("c", "map<…>", ("int", atom))])) == "COLUMN_TYPE"


def test_a_collation_is_sparks_alone_where_spark_keeps_it() -> None:
    collated = NewColumn("c", "string collate UNICODE", ("string collate UNICODE",))
    assert find_new_column_fault([collated]) is None
    assert condition(find_new_column_fault([collated], has_collations=False)) == "COLUMN_TYPE"


@pytest.mark.parametrize("name", ["ROW__ID", "row__is__deleted", "INPUT__FILE__NAME", "block__offset__inside__file"])
def test_a_column_in_place_of_which_hive_shows_its_own_is_refused(name: str) -> None:
    assert condition(find_new_column_fault([replace(ID, name=name)])) == "VIRTUAL_COLUMN"
    assert find_new_column_fault([replace(ID, fields=(name,))]) is None


@pytest.mark.parametrize("field", ["a-b", "a`b", "a:b", "a,b", ""])
def test_a_field_that_hives_parser_of_types_cannot_name_is_refused(field: str) -> None:
    assert condition(find_new_column_fault([replace(ID, fields=("a", field))])) == "FIELD_NAME"
