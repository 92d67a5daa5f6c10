"""Tables and columns that are to be made."""

from __future__ import annotations

from dataclasses import dataclass

from hive_acid.model.table import TableName


@dataclass(frozen=True)
class NewColumn:
    """A column as Spark knows it: `type` is its text, `atoms` the types in it that hold no others.

    `fields` are the names of the fields of all structs in it.
    """

    name: str
    type: str
    atoms: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()


@dataclass(frozen=True)
class NewTable:
    """A transactional table that is to be made.

    `location` is that of its LOCATION clause, `usual_location` the one that Spark would give it without; each None if
    there is none. `has_collations` if a collated STRING may become a STRING of Hive.
    """

    table: TableName
    is_external: bool
    is_insert_only: bool
    is_orc: bool
    columns: tuple[NewColumn, ...]
    partition_columns: tuple[NewColumn, ...]
    sort_columns: tuple[str, ...]
    location: str | None
    usual_location: str | None
    has_collations: bool
