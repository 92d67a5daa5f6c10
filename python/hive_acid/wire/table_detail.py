"""A table as the engine's catalog knows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hive_acid.model.table import TableName
from hive_acid.wire.catalogs import CatalogRequest


@dataclass(frozen=True)
class TableDetail:
    """`location` is None if the catalog has none; `created_at_ms` is in milliseconds since 1970.

    `catalog` is None for the session's own, else the one with a metastore of its own.
    """

    name: TableName
    owner: str
    created_at_ms: int
    location: str | None
    num_buckets: int
    partition_columns: tuple[str, ...]
    bucket_columns: tuple[str, ...]
    properties: Mapping[str, str]
    catalog: CatalogRequest | None
