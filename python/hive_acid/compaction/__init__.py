"""Compaction: which tables need it, and who asks for it."""
