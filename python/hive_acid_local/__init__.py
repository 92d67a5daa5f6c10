"""The embedded metastore: a real Hive Metastore for one machine, fetched, started and stopped by one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hive_acid.api.conditions import LocalMetastoreError
    from hive_acid_local.metastore import EmbeddedMetastore

__all__ = ["EmbeddedMetastore", "LocalMetastoreError"]


def __getattr__(name: str) -> Any:
    """The names of `__all__`, imported when they are first used: their modules import PySpark.

    The supervisor of a metastore needs none, nor does the command line.
    """
    if name == "EmbeddedMetastore":
        from hive_acid_local.metastore import EmbeddedMetastore

        return EmbeddedMetastore
    if name == "LocalMetastoreError":
        from hive_acid.api.conditions import LocalMetastoreError

        return LocalMetastoreError
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
