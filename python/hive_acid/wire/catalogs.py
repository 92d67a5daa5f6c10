"""Catalogs of a session that have metastores of their own, and columns as a metastore describes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class CatalogRequest:
    """A catalog of the session that has a metastore of its own.

    `options` are the settings `spark.sql.catalog.NAME.OPTION`, by option.
    """

    name: str
    options: Mapping[str, str]


@dataclass(frozen=True)
class DescribedColumn:
    """A column as the metastore describes it, its name in lower case and its type in Hive's spelling."""

    name: str
    type: str
    comment: str | None
