"""Settings of the environment and of a metastore: its address, and how Hive writes a duration."""

from hive_acid.config import ALLOW_NON_ATOMIC_RENAME as ALLOW_NON_ATOMIC_RENAME
from hive_acid.config import COLUMNS_BY_POSITION as COLUMNS_BY_POSITION
from hive_acid.config import METASTORE_CA_FILE as METASTORE_CA_FILE
from hive_acid.config import METASTORE_CONNECT_TIMEOUT_MS as METASTORE_CONNECT_TIMEOUT_MS
from hive_acid.config import METASTORE_TIMEOUT_MS as METASTORE_TIMEOUT_MS
from hive_acid.config import METASTORE_URIS as METASTORE_URIS
from hive_acid.config import Settings as Settings
from hive_acid.hive_settings import parse_duration_ms as parse_duration_ms
from hive_acid.hive_site import find_metastore_uris as find_metastore_uris
from hive_acid.hive_site import read_settings as read_settings
from hive_acid.metastore.server_settings import find_server_value as find_server_value
