"""Runs statements: the one place where transaction, snapshot, write and commit are in order."""
