"""Where the surroundings of a process say that a metastore is."""

from hive_acid.hive_site import find_metastore_uris

__all__ = ["find_metastore_uris"]
