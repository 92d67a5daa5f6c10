"""The files that a compaction folds, and those that it makes."""
