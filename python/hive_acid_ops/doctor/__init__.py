"""Faults of tables and the metastore: one file per family of findings."""
