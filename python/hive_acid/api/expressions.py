"""Expressions of SQL, taken apart. Importing this imports sqlglot."""

from hive_acid.sql.literals import blank_names, find_literals

__all__ = [
    "blank_names",
    "find_literals",
]
