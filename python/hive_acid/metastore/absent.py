"""The metastore of a session that has none, but for catalogs with metastores of their own."""

from __future__ import annotations

from typing import Any

from hive_acid.errors import build_error


class AbsentMetastore:
    """Stands for a `Metastore`: what is asked of it raises HIVE_ACID_CONFIGURATION."""

    def __getattr__(self, name: str) -> Any:
        raise build_error("HIVE_ACID_CONFIGURATION.SESSION_WITHOUT_METASTORE")

    def config_value(self, name: str, default: str) -> str:
        """It has no settings."""
        return default

    def close(self) -> None:
        """Nothing is open."""
