"""Errors with a condition and a SQLSTATE. Importing this imports PySpark's errors."""

from hive_acid.errors import (
    HiveAcidError,
    LocalMetastoreError,
    MetastoreUnavailable,
    Refusal,
    SnapshotUnavailable,
    StatementCancelled,
    StorageError,
    build_error,
    build_refusal,
    condition_of,
    find_retryable,
)
from hive_acid.older_python import add_note

__all__ = [
    "HiveAcidError",
    "LocalMetastoreError",
    "MetastoreUnavailable",
    "Refusal",
    "SnapshotUnavailable",
    "StatementCancelled",
    "StorageError",
    "add_note",
    "build_error",
    "build_refusal",
    "condition_of",
    "find_retryable",
]
