"""Messages about drops in a catalog with a metastore of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hive_acid.api.tables import TableName


@dataclass(frozen=True)
class DropTableRequest:
    """A transactional table that is to be dropped; `purges`: without a trash.

    `is_locked`: the statement that asks holds the locks for it.
    """

    table: TableName
    purges: bool
    is_locked: bool
    settings: Mapping[str, str]


@dataclass(frozen=True)
class DropDatabaseRequest:
    """A database that is to be dropped; `cascades`: with the tables in it."""

    name: str
    cascades: bool
    settings: Mapping[str, str]
