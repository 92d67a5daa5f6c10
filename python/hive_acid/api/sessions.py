"""Spark sessions that know transactional tables. Importing this imports PySpark."""

from hive_acid import configure
from hive_acid.spark.embedded import start_embedded
from hive_acid.spark.lines import is_before
from hive_acid.spark.session import find_session_uris
from hive_acid.spark.storage_session import storage_session, warehouse_session, worker_session
from hive_acid.spark.throwables import find_condition_of

__all__ = [
    "configure",
    "find_condition_of",
    "find_session_uris",
    "is_before",
    "start_embedded",
    "storage_session",
    "warehouse_session",
    "worker_session",
]
