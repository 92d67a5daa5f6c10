"""The search of everything that lies on disk and at the metastore, and the verdict on what was found."""
