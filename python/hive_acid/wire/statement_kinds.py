"""The statements that write, and what may be asked of each: the table that both halves read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cache

from hive_acid.wire.kind_table import load_kind_table


@dataclass(frozen=True)
class StatementTraits:
    """A row of the table. `title`: as in SQL, for messages.

    `counts`: the numbers of rows in its result, in order. `changes_rows`: it deletes or changes rows one by one, and so
    needs their IDs. `keeps_values`: what it reads of the target is written back. `replaces`: it writes a base.
    `has_source`: rows of another table decide which of the target's are changed. `is_union`: its query is a union of
    deletes and of new rows.
    """

    title: str
    counts: tuple[str, ...]
    changes_rows: bool
    keeps_values: bool
    replaces: bool
    has_source: bool
    is_union: bool


class StatementKind(Enum):
    """The statements that write, by their keys in the table."""

    INSERT = "insert"
    UPDATE = "update"
    DELETE = "delete"
    MERGE = "merge"
    OVERWRITE = "overwrite"
    TRUNCATE = "truncate"
    REPLACE = "replace"

    @property
    def traits(self) -> StatementTraits:
        """Its row of the table."""
        return load_statement_kinds()[self.value]

    @property
    def changes_rows(self) -> bool:
        return self.traits.changes_rows

    @property
    def replaces(self) -> bool:
        return self.traits.replaces

    @property
    def title(self) -> str:
        """As in SQL, for messages."""
        return self.traits.title


@cache
def load_statement_kinds() -> Mapping[str, StatementTraits]:
    """The table, by the kinds' keys."""
    return load_kind_table("statement_kinds.json", StatementTraits)
