"""Erasing people from tables, with the proof that it happened."""
