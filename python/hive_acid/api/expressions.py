"""Expressions of SQL, taken apart. Importing this imports sqlglot."""

from hive_acid.sql.dialect import find_tokens as find_tokens
