"""Which files a compaction folds, and into which."""
