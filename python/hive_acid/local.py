"""The embedded metastore, by the name that users import it by. The wing `hive_acid_local` has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hive_acid.errors import LocalMetastoreError
    from hive_acid_local import EmbeddedMetastore

__all__ = ["EmbeddedMetastore", "LocalMetastoreError"]


def __getattr__(name: str) -> Any:
    """The names of `__all__`, imported when they are first used: their modules import PySpark.

    Raises HIVE_ACID_CONFIGURATION.EXTRA_MISSING for the metastore if the wing is not installed.
    """
    if name == "EmbeddedMetastore":
        from hive_acid.wings import load_wing

        return load_wing("hive_acid_local", f"{__name__}.{name}").EmbeddedMetastore
    if name == "LocalMetastoreError":
        from hive_acid.errors import LocalMetastoreError

        return LocalMetastoreError
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
