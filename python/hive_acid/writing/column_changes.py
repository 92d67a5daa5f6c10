"""The columns of a table that may get another name or type, so that every engine reads its older files as before."""

from __future__ import annotations

import re

from hive_acid.errors import HiveAcidError, build_error
from hive_acid.model.table import FileFormat, TableDescription
from hive_acid.wire.statements import ColumnChange

_NUMBERS = ("tinyint", "smallint", "int", "bigint", "float", "double")
_SIZED = re.compile(r"(char|varchar|decimal)\((\d+)(?:,(\d+))?\)")


def check_column_change(
    change: ColumnChange, table: TableDescription, *, by_position: bool, has_constraints: bool
) -> None:
    """Refuses a change after which older rows would show other values, or none.

    `by_position`: columns of ORC files are found by their places, here and in Hive of the metastore's line.
    Raises HIVE_ACID_UNSUPPORTED_STATEMENT.
    """
    stored = next((column for column in table.columns if column.name == change.column.lower()), None)
    if stored is None:
        known = ", ".join(column.name for column in table.columns)
        raise _refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.COLUMN_UNKNOWN", change, table, columns=known)
    if has_constraints or stored.name in {name.lower() for name in (*table.bucket_columns, *table.sort_columns)}:
        raise _refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.COLUMN_BOUND", change, table)
    is_orc = table.file_format is FileFormat.ORC
    name = (change.new_name or stored.name).lower()
    if name != stored.name:
        if name in {column.name for column in (*table.columns, *table.partition_columns)}:
            raise _refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.COLUMN_EXISTS", change, table, name=name)
        if not (by_position and is_orc):
            raise _refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.COLUMN_BY_NAME", change, table)
    new = change.new_type or stored.type
    is_read = is_orc or table.file_format is FileFormat.PARQUET
    if new != stored.type and not (is_read and _widens(stored.type, new, is_orc)):
        raise _refusal("HIVE_ACID_UNSUPPORTED_STATEMENT.COLUMN_TYPE", change, table, old=stored.type, new=new)


def _widens(old: str, new: str, is_orc: bool) -> bool:
    """True if each value of the old type is one of the new type, and is read as such from older files of the format."""
    if (old in _NUMBERS[:4] and new in _NUMBERS[:4]) or (old, new) == ("float", "double"):
        return _NUMBERS.index(old) < _NUMBERS.index(new)
    was, becomes = _SIZED.fullmatch(old), _SIZED.fullmatch(new)
    is_text = was is not None and was[1] != "decimal"
    if new == "string":
        return is_text or (is_orc and (was is not None or old in (*_NUMBERS, "date")))
    if was is None or becomes is None or was[1] != becomes[1]:
        return False
    if is_text:
        return int(was[2]) <= int(becomes[2])
    digits, scale = int(becomes[2]) - int(was[2]), int(becomes[3]) - int(was[3])
    return is_orc and 0 <= scale <= digits


def _refusal(condition: str, change: ColumnChange, table: TableDescription, **more: str) -> HiveAcidError:
    return build_error(condition, operation=f"A change of column {change.column}", table=table.name, **more)
