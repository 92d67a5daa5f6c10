"""A table as the engine's catalog showed it when a plan was analysed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hive_acid.model.table import Column, TableName


@dataclass(frozen=True)
class AnalysedTable:
    """The table that `hive_acid.model.table_identity.AnalysedTable` is made of.

    `created_s` is the time of its creation in seconds since 1970, 0 if it is not known. `properties` are those that
    make it transactional, their keys in lower case. `columns` is None for tables whose columns come from a SerDe.
    """

    table: TableName
    created_s: int
    location: str
    input_format: str
    properties: Mapping[str, str]
    columns: tuple[Column, ...] | None
    partition_columns: tuple[Column, ...]
    bucket_columns: tuple[str, ...]
    bucket_count: int
