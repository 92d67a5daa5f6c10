"""Errors with a condition and a SQLSTATE. Importing this imports PySpark's errors."""

from hive_acid.errors import HiveAcidError, condition_of

__all__ = ["HiveAcidError", "condition_of"]
