"""Errors with a condition and a SQLSTATE. Importing this imports PySpark's errors."""

from hive_acid.errors import HiveAcidError as HiveAcidError
from hive_acid.errors import LocalMetastoreError as LocalMetastoreError
from hive_acid.errors import MetastoreUnavailable as MetastoreUnavailable
from hive_acid.errors import Refusal as Refusal
from hive_acid.errors import SnapshotUnavailable as SnapshotUnavailable
from hive_acid.errors import StatementCancelled as StatementCancelled
from hive_acid.errors import StorageError as StorageError
from hive_acid.errors import build_error as build_error
from hive_acid.errors import build_refusal as build_refusal
from hive_acid.errors import condition_of as condition_of
from hive_acid.errors import find_retryable as find_retryable
from hive_acid.errors.conditions import list_conditions as list_conditions
from hive_acid.older_python import add_note as add_note
