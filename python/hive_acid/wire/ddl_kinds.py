"""Kinds of statements that alter tables, not their rows."""

from __future__ import annotations

from enum import Enum


class DdlKind(Enum):
    """Statements that alter tables, by their names in SQL."""

    ADD_PARTITION = "ADD PARTITION"
    DROP_PARTITION = "DROP PARTITION"
    RENAME_PARTITION = "RENAME PARTITION"
    ALTER_COLUMNS = "ADD or CHANGE COLUMNS"
    RENAME_TABLE = "RENAME TABLE"
    SET_PROPERTIES = "SET TBLPROPERTIES"
    CONVERT = "CONVERT"
    ANALYZE = "ANALYZE"
    DROP_TABLE = "DROP TABLE"
    DROP_DATABASE = "DROP DATABASE"

    @property
    def alters_description(self) -> bool:
        """True if it stores the description of a table anew beside writers, which it may have read before they did."""
        return self in (DdlKind.SET_PROPERTIES, DdlKind.ANALYZE)

    @property
    def takes_partitions_away(self) -> bool:
        """True if partitions are gone afterwards that a snapshot from before would read; see `find_late_change`."""
        return self in (DdlKind.DROP_PARTITION, DdlKind.RENAME_PARTITION)
