"""The settings of a catalog that has a metastore of its own: its options, and what the session has besides."""

from __future__ import annotations

from collections.abc import Mapping

from hive_acid import config
from hive_acid.errors import build_error
from hive_acid.metastore.catalog_names import DEFAULT_CATALOG
from hive_acid.transport import HiveSetting
from hive_acid.wire.catalogs import CatalogRequest

_OURS = (
    config.METASTORE_TIMEOUT_MS.key,
    config.METASTORE_CONNECT_TIMEOUT_MS.key,
    config.METASTORE_CA_FILE.key,
)
"""Our settings of a connection; all others are the session's."""
_HIVE = "hive."
_OF_HIVE = (_HIVE, "metastore.", "hadoop.")
_METASTORES_CATALOG = ("metastore.catalog.default", "hive.metastore.catalog.default")


def find_uris(asked: CatalogRequest) -> str:
    """The addresses of the catalog's metastore.

    Raises HIVE_ACID_CONFIGURATION for options that are none, and without an address.
    """
    named = {"catalog": asked.name, "known": ", ".join(_OURS)}
    for option in asked.options:
        if not option.startswith(_OF_HIVE) and option not in _OURS:
            raise build_error("HIVE_ACID_CONFIGURATION.CATALOG_OPTION", **{**named, "option": option})
    uris = next(filter(None, map(asked.options.get, config.METASTORE_URIS.hive_names)), None)
    if uris is None:
        raise build_error("HIVE_ACID_CONFIGURATION.CATALOG_WITHOUT_METASTORE", catalog=asked.name)
    return uris


def find_metastores_catalog(asked: CatalogRequest | None) -> str:
    """The metastore's own catalog that is meant: `hive` unless an option says another, or if it is Spark's own catalog.

    Settings of the session do not count, as Spark's client of the session's own metastore knows no catalogs.
    """
    options = asked.options if asked else {}
    named = next(filter(None, map(options.get, _METASTORES_CATALOG)), DEFAULT_CATALOG)
    return named.strip().lower()


def hive_setting_of(asked: CatalogRequest, of_session: HiveSetting) -> HiveSetting:
    """Hive's settings as the catalog has them: an option counts before what the session has, in either spelling."""

    def find(name: str) -> str | None:
        twin = name.removeprefix(_HIVE) if name.startswith(_HIVE) else f"{_HIVE}{name}"
        if name in asked.options:
            return asked.options[name]
        return None if twin in asked.options else of_session(name)

    return find


def configured_for(asked: CatalogRequest, of_session: Mapping[str, str]) -> dict[str, str]:
    """Settings of Spark's, and ours, as the catalog has them."""
    own = {(key if key in _OURS else f"spark.hadoop.{key}"): value for key, value in asked.options.items()}
    inherited = {key: value for key, value in of_session.items() if key != config.METASTORE_URIS.key}
    return {**inherited, **own}
