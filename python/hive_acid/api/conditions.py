"""Errors with a condition and a SQLSTATE. Importing this imports PySpark's errors."""

from hive_acid.errors import (
    HiveAcidError,
    LocalMetastoreError,
    MetastoreUnavailable,
    SnapshotUnavailable,
    build_error,
    condition_of,
)

__all__ = [
    "HiveAcidError",
    "LocalMetastoreError",
    "MetastoreUnavailable",
    "SnapshotUnavailable",
    "build_error",
    "condition_of",
]
