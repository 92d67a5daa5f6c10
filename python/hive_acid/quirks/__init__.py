"""Faults of servers and engines, each in a file of its own, and what we do about it."""
