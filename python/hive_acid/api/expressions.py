"""Expressions of SQL, taken apart. Importing this imports sqlglot."""

from hive_acid.sql.literals import blank_names as blank_names
from hive_acid.sql.literals import find_literals as find_literals
