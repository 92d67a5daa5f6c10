"""The settings of a catalog that has a metastore of its own: its options, and what the session has besides."""

from __future__ import annotations

from collections.abc import Mapping

from hive_acid.api.catalogs import CatalogRequest
from hive_acid.api.conditions import build_error
from hive_acid.api.connections import HiveSetting
from hive_acid.api.settings import (
    METASTORE_CA_FILE,
    METASTORE_CONNECT_TIMEOUT_MS,
    METASTORE_TIMEOUT_MS,
    METASTORE_URIS,
)

_OURS = (
    METASTORE_TIMEOUT_MS.key,
    METASTORE_CONNECT_TIMEOUT_MS.key,
    METASTORE_CA_FILE.key,
)
"""Our settings of a connection; all others are the session's."""
_HIVE = "hive."
_OF_HIVE = (_HIVE, "metastore.", "hadoop.")


def find_uris(asked: CatalogRequest) -> str:
    """The addresses of the catalog's metastore.

    Raises HIVE_ACID_CONFIGURATION for options that are none, and without an address.
    """
    named = {"catalog": asked.name, "known": ", ".join(_OURS)}
    for option in asked.options:
        if not option.startswith(_OF_HIVE) and option not in _OURS:
            raise build_error("HIVE_ACID_CONFIGURATION.CATALOG_OPTION", **{**named, "option": option})
    uris = next(filter(None, map(asked.options.get, METASTORE_URIS.hive_names)), None)
    if uris is None:
        raise build_error("HIVE_ACID_CONFIGURATION.CATALOG_WITHOUT_METASTORE", catalog=asked.name)
    return uris


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
    inherited = {key: value for key, value in of_session.items() if key != METASTORE_URIS.key}
    return {**inherited, **own}
