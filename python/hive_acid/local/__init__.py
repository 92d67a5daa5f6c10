"""The embedded metastore: a real Hive Metastore for one machine, fetched, started and stopped by one call."""

from hive_acid.local.errors import LocalMetastoreError
from hive_acid.local.metastore import EmbeddedMetastore

__all__ = ["EmbeddedMetastore", "LocalMetastoreError"]
