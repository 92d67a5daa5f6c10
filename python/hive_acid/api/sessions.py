"""Spark sessions that know transactional tables, and their transactions. Importing this imports PySpark."""

from hive_acid import configure
from hive_acid.bridge.throwables import find_condition_of
from hive_acid.session.embedded import start_embedded
from hive_acid.session.session import Attachment, attach, find_session_uris
from hive_acid.session.setup_settings import DBT_PACKAGE, find_program_settings, format_arguments
from hive_acid.session.storage_session import job_session, storage_session, warehouse_session
from hive_acid.spark_lines import is_before
from hive_acid.user.transaction import AcidTransaction

__all__ = [
    "DBT_PACKAGE",
    "AcidTransaction",
    "Attachment",
    "attach",
    "configure",
    "find_condition_of",
    "find_program_settings",
    "find_session_uris",
    "format_arguments",
    "is_before",
    "job_session",
    "start_embedded",
    "storage_session",
    "warehouse_session",
]
