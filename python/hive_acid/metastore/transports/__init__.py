"""Connections to a metastore: found, opened, secured, kept and opened again."""
