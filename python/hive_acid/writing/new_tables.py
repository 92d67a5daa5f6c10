"""The tables and columns that Hive takes, and shows as they are."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hive_acid.errors import Refusal, build_refusal
from hive_acid.wire.new_tables import NewColumn, NewTable
from hive_acid.writing.buckets import build_sorted_refusal
from hive_acid.writing.table_rules import find_partition_column_fault

_VIRTUAL_COLUMNS = frozenset({"row__id", "row__is__deleted", "input__file__name", "block__offset__inside__file"})
"""Hive gives them to every table, and shows them in place of a column of the same name.

VirtualColumn.getRegistry and SemanticAnalyzer.genTablePlan, 3.1.3 to 4.1.0. Fields of structs have names of their own.
"""
_FIELD_PUNCTUATION = frozenset("_. $")
"""Beside letters and digits (TypeInfoUtils.TypeInfoParser.isTypeChar of 3.1.3 and 4.1.0)."""
_ATOM = re.compile(
    r"boolean|tinyint|smallint|int|bigint|float|double|binary|date|timestamp|string|(?:var)?char\(\d+\)"
    r"|decimal\(\d+,\d+\)"
)
_COLLATED = re.compile(r"string collate .*")
"""A collation is Spark's alone: Hive has STRING there."""


def find_new_table_fault(new: NewTable) -> Refusal | None:
    """Why Hive would not take the table, or nobody could write rows into it as they are; None if all is well."""
    if new.is_external:
        return Refusal("HIVE_ACID_UNSUPPORTED_TABLE.EXTERNAL")
    if not new.columns:
        return Refusal("HIVE_ACID_UNSUPPORTED_TABLE.NO_DATA_COLUMNS")
    columns = (*new.columns, *new.partition_columns)
    if refusal := find_new_column_fault(columns, has_collations=new.has_collations):
        return refusal
    if refusal := find_partition_column_fault(new.partition_columns):
        return refusal
    if new.is_orc and (refusal := find_orc_name_fault(column.name for column in new.columns)):
        return refusal
    return build_sorted_refusal(new.sort_columns) if new.sort_columns else None


def find_new_column_fault(columns: Iterable[NewColumn], *, has_collations: bool = True) -> Refusal | None:
    """Why Hive has no such column, or would show something else in its place; None if it has them all."""
    for column in columns:
        if column.name.lower() in _VIRTUAL_COLUMNS:
            return build_refusal("HIVE_ACID_UNSUPPORTED_TABLE.VIRTUAL_COLUMN", column=column.name)
        if not all(_ATOM.fullmatch(atom) or (has_collations and _COLLATED.fullmatch(atom)) for atom in column.atoms):
            return build_refusal("HIVE_ACID_UNSUPPORTED_TABLE.COLUMN_TYPE", column=column.name, type=column.type)
        for field in column.fields:
            if not _is_field_name(field):
                return build_refusal("HIVE_ACID_UNSUPPORTED_TABLE.FIELD_NAME", column=column.name, field=field)
    return None


def find_orc_name_fault(columns: Iterable[str]) -> Refusal | None:
    """Why nobody could read such a column from a file of ORC; None if all can be read.

    ORC's reader ends a name at its backtick (OrcUtils.convertTypeFromProtobuf), and the column would be NULL.
    """
    cut = next((column for column in columns if "`" in column), None)
    return build_refusal("HIVE_ACID_UNSUPPORTED_TABLE.BACKTICK_COLUMN", column=cut) if cut else None


def _is_field_name(name: str) -> bool:
    return name != "" and all(letter.isalnum() or letter in _FIELD_PUNCTUATION for letter in name)
