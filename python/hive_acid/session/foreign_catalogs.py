"""Catalogs of a session that have metastores of their own."""

from __future__ import annotations

import threading
from collections.abc import Callable

from hive_acid.bridge.python_api import PythonApi
from hive_acid.session.catalog_side import CatalogSide
from hive_acid.wire.catalogs import CatalogRequest


class ForeignCatalogs:
    """The Python halves of such catalogs, each made when it is first asked about.

    Sessions may have catalogs of one name with other options: these are others.
    """

    def __init__(
        self,
        build_side: Callable[[CatalogRequest], CatalogSide],
        build_catalog_api: Callable[[CatalogSide], PythonApi],
    ) -> None:
        self._build_side = build_side
        self._build_api = build_catalog_api
        self._guard = threading.Lock()
        self._made: dict[tuple[str, frozenset[tuple[str, str]]], tuple[CatalogSide, PythonApi]] = {}

    def python_api(self, asked: CatalogRequest) -> PythonApi:
        """The one that answers for the catalog. Raises HIVE_ACID_CONFIGURATION for options that are wrong."""
        return self._find(asked)[1]

    def side(self, asked: CatalogRequest) -> CatalogSide:
        """Metastore and storage of the catalog. Raises HIVE_ACID_CONFIGURATION for options that are wrong."""
        return self._find(asked)[0]

    def _find(self, asked: CatalogRequest) -> tuple[CatalogSide, PythonApi]:
        key = (asked.name, frozenset(asked.options.items()))
        with self._guard:
            if key not in self._made:
                side = self._build_side(asked)
                self._made[key] = (side, self._build_api(side))
            return self._made[key]

    def close(self) -> None:
        """Ends read transactions and connections of all."""
        with self._guard:
            sides = [side for side, _ in self._made.values()]
            self._made.clear()
        for side in sides:
            side.close()
