"""Spark sessions that know transactional tables, and their transactions. Importing this imports PySpark."""

from hive_acid import configure as configure
from hive_acid.bridge.throwables import find_condition_of as find_condition_of
from hive_acid.session.embedded import start_embedded as start_embedded
from hive_acid.session.job_session import job_session as job_session
from hive_acid.session.session import Attachment as Attachment
from hive_acid.session.session import attach as attach
from hive_acid.session.session import find_session_uris as find_session_uris
from hive_acid.session.setup_settings import DBT_PACKAGE as DBT_PACKAGE
from hive_acid.session.setup_settings import find_program_settings as find_program_settings
from hive_acid.session.setup_settings import format_arguments as format_arguments
from hive_acid.spark_lines import is_before as is_before
from hive_acid.user.transaction import AcidTransaction as AcidTransaction
