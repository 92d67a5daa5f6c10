"""Statistics that the metastore keeps of tables and columns: what is read of them, and which a write makes stale."""
