"""A table as the engine's catalog knows it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hive_acid.model.table import TableName


@dataclass(frozen=True)
class TableDetail:
    """`location` is None if the catalog has none; `created_at_ms` is in milliseconds since 1970."""

    name: TableName
    owner: str
    created_at_ms: int
    location: str | None
    num_buckets: int
    partition_columns: tuple[str, ...]
    bucket_columns: tuple[str, ...]
    properties: Mapping[str, str]
