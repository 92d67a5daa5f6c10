"""Settings of the surroundings and of a metastore: where one is, and how Hive writes a duration."""

from hive_acid.config import ALLOW_NON_ATOMIC_RENAME, COLUMNS_BY_POSITION, Settings
from hive_acid.hive_site import find_metastore_uris
from hive_acid.hive_times import parse_duration_ms
from hive_acid.metastore.server_settings import find_server_value

__all__ = [
    "ALLOW_NON_ATOMIC_RENAME",
    "COLUMNS_BY_POSITION",
    "Settings",
    "find_metastore_uris",
    "find_server_value",
    "parse_duration_ms",
]
