"""The statements that alter tables, not their rows, and what may be asked of each: the table that both halves read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache

from hive_acid.wire.kind_table import load_kind_table


@dataclass(frozen=True)
class DdlTraits:
    """A row of the table. `title`: as in SQL, for messages.

    `alters_description`: it stores the description of a table anew beside writers, which it may have read before they
    did. `takes_partitions_away`: partitions are gone afterwards that a snapshot from before would read; see
    `find_late_change`.
    """

    title: str
    alters_description: bool
    takes_partitions_away: bool


class DdlKind(Enum):
    """The statements that alter tables, by their keys in the table."""

    ADD_PARTITION = "add_partition"
    DROP_PARTITION = "drop_partition"
    RENAME_PARTITION = "rename_partition"
    ALTER_COLUMNS = "alter_columns"
    RENAME_TABLE = "rename_table"
    SET_PROPERTIES = "set_properties"
    CONVERT = "convert"
    CONVERT_TO_INSERT_ONLY = "convert_to_insert_only"
    ANALYZE = "analyze"
    DROP_TABLE = "drop_table"
    DROP_DATABASE = "drop_database"

    @property
    def traits(self) -> DdlTraits:
        """Its row of the table."""
        return load_ddl_kinds()[self.value]

    @property
    def title(self) -> str:
        """As in SQL, for messages."""
        return self.traits.title


@cache
def load_ddl_kinds() -> Mapping[str, DdlTraits]:
    """The table, by the kinds' keys."""
    return load_kind_table("ddl_kinds.json", DdlTraits)
