"""The Python half of a catalog that has a metastore of its own."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import SparkSession

from hive_acid.api.catalogs import Cancellation, CatalogRequest, CatalogSide
from hive_acid.api.connections import HiveSetting
from hive_acid_catalogs.catalog_metastore import CatalogMetastore
from hive_acid_catalogs.options import configured_for, find_uris, hive_setting_of


class ForeignSide(CatalogSide):
    """All that answers for the tables of the catalog; its client also makes and drops them."""

    client = CatalogMetastore
    metastore: CatalogMetastore


def build_side(
    session: SparkSession,
    asked: CatalogRequest,
    hive_setting: HiveSetting,
    configured: Mapping[str, str],
    cancellation: Cancellation,
) -> ForeignSide:
    """The side of the catalog; `hive_setting` and `configured` are what the session has.

    Raises HIVE_ACID_CONFIGURATION for options that are wrong.
    """
    of_catalog = hive_setting_of(asked, hive_setting), configured_for(asked, configured)
    return ForeignSide(session, find_uris(asked), *of_catalog, cancellation, asked=asked)
