"""Messages about what is in a catalog with a metastore of its own, and about what is made and dropped there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hive_acid.api.catalogs import DescribedColumn
from hive_acid.api.tables import TableName


@dataclass(frozen=True)
class DescribedTable:
    """A table as the metastore describes it, with everything that Spark's own Hive client would return.

    `kind` is the word of Hive's TableType. `created_s` is the time of its creation in seconds since 1970, 0 if it is
    not known. `columns` leave out the partition columns; `bucket_count` is 0 for a table without buckets. `location`
    and what follows are None where the metastore has none, as for views.
    """

    table: TableName
    kind: str
    owner: str
    created_s: int
    columns: tuple[DescribedColumn, ...]
    partition_columns: tuple[DescribedColumn, ...]
    bucket_columns: tuple[str, ...]
    bucket_count: int
    sort_columns: tuple[str, ...]
    location: str | None
    input_format: str | None
    output_format: str | None
    serde: str | None
    serde_properties: Mapping[str, str]
    properties: Mapping[str, str]


@dataclass(frozen=True)
class DescribedDatabase:
    """A database as the metastore describes it."""

    name: str
    comment: str | None
    location: str | None
    owner: str | None
    properties: Mapping[str, str]


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
