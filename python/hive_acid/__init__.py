"""Hive ACID DML for Spark SQL. Importing this package does nothing; `configure` does."""

__version__ = "0.1.0"
