"""A fault of a suite itself, as opposed to a result that differs."""

from __future__ import annotations


class SuiteError(Exception):
    """A suite that cannot be run: the message names the file, the line where there is one, and what to do."""
