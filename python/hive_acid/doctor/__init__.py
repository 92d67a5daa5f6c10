"""What is wrong with tables and the metastore: one file per family of findings."""
