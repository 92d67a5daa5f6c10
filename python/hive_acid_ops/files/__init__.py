"""The folders of a table: what they are, what a compaction would fold, and what the Cleaner removes."""
