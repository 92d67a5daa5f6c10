"""What a statement does to the rows of a table, for an implementation that has nothing but queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from support.random_sql.tables import Column, TableSpec


@dataclass(frozen=True)
class Create:
    """A table without rows."""

    table: TableSpec


@dataclass(frozen=True)
class Drop:
    """Of the table."""

    table: str


@dataclass(frozen=True)
class AddColumns:
    """NULL in all rows."""

    table: str
    columns: tuple[Column, ...]


@dataclass(frozen=True)
class Insert:
    """Rows of a query, into these columns; others are NULL."""

    table: str
    columns: tuple[str, ...]
    query: str


@dataclass(frozen=True)
class Overwrite:
    """The same in place of rows: of all for which `replaced` is true, and that are in a partition that gets a row.

    The latter only if there are `by_partition` columns.
    """

    table: str
    columns: tuple[str, ...]
    query: str
    replaced: str = "true"
    by_partition: tuple[str, ...] = ()


@dataclass(frozen=True)
class Replace:
    """Rows for which the condition is true go; new ones must satisfy it."""

    table: str
    columns: tuple[str, ...]
    query: str
    condition: str


@dataclass(frozen=True)
class ReplaceMatches:
    """Rows (`t`) that a new one matches go: by equal columns `using`, or with a row of the query (`s`) by `on`.

    The query names its columns as the table does.
    """

    table: str
    columns: tuple[str, ...]
    query: str
    using: tuple[str, ...] = ()
    on: str = ""


@dataclass(frozen=True)
class Update:
    """`alias` is the table's name in the texts."""

    table: str
    alias: str
    assigned: Mapping[str, str]
    where: str


@dataclass(frozen=True)
class Delete:
    """Rows for which the condition is true; all of them are not counted where `counts` is False."""

    table: str
    alias: str
    where: str
    counts: bool = True


@dataclass(frozen=True)
class Matched:
    """`WHEN MATCHED AND condition THEN`: UPDATE, or DELETE where nothing is assigned."""

    condition: str
    assigned: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class NotMatched:
    """`WHEN NOT MATCHED AND condition THEN INSERT`."""

    condition: str
    values: Mapping[str, str]


@dataclass(frozen=True)
class Merge:
    """Of the query `source` (alias `s`) into the table (alias `t`)."""

    table: str
    source: str
    on: str
    matched: tuple[Matched, ...]
    not_matched: tuple[NotMatched, ...]
    by_source: tuple[Matched, ...]

    @property
    def needs_one_match(self) -> bool:
        """False where two rows that match one row do the same as one of them."""
        alone = len(self.matched) == 1 and self.matched[0] == Matched("true")
        return bool(self.matched) and not alone


Change = Insert | Overwrite | Replace | ReplaceMatches | Update | Delete | Merge
Effect = Create | Drop | AddColumns | Change
