"""A table that is no more what a plan was made for."""

from __future__ import annotations

from hive_acid.errors import build_error
from hive_acid.model.table import TableDescription
from hive_acid.model.table_identity import AnalysedTable, find_change, find_zoned_column


def refuse_changed(analysed: AnalysedTable, table: TableDescription) -> None:
    """Raises HIVE_ACID_TABLE_CHANGED if there is another table behind the name by now, or it was altered.

    Raises HIVE_ACID_UNSUPPORTED_TABLE for a column whose type the engine's catalog takes for another one.
    """
    if change := find_change(analysed, table):
        if zoned := find_zoned_column(analysed, table):
            condition = "HIVE_ACID_UNSUPPORTED_TABLE.COLUMN_TYPE"
            if zoned in table.partition_columns:
                condition = "HIVE_ACID_UNSUPPORTED_TABLE.PARTITION_COLUMN_TYPE"
            raise build_error(condition, operation="Access", table=table.name, column=zoned.name, type=zoned.type)
        raise change.build_error(table=table.name)
