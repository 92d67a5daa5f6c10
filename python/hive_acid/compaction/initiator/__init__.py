"""Which tables need a compaction, and asking for it."""
