"""Errors with a condition and a SQLSTATE. Importing this imports PySpark's errors."""

from hive_acid.errors import (
    HiveAcidError,
    LocalMetastoreError,
    MetastoreUnavailable,
    SnapshotUnavailable,
    StatementCancelled,
    StorageError,
    build_error,
    condition_of,
    find_retryable,
)

__all__ = [
    "HiveAcidError",
    "LocalMetastoreError",
    "MetastoreUnavailable",
    "SnapshotUnavailable",
    "StatementCancelled",
    "StorageError",
    "build_error",
    "condition_of",
    "find_retryable",
]
