"""Finds tables that need a compaction, and asks for it."""
