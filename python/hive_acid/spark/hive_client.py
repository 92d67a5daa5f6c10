"""Hive's client jars, by the name that users fetch them by."""

from hive_acid.session.hive_client import fetch_client_jars

__all__ = ["fetch_client_jars"]
