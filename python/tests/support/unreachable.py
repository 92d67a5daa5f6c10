"""Downloads that fail for want of a connection, as on a machine without a network; tests that need them are skipped."""

from __future__ import annotations

from hive_acid.errors import LocalMetastoreError

_CONNECTION_EXCEPTIONS = "08"


def is_unreachable(error: LocalMetastoreError) -> bool:
    """True if the files that the error names cannot be had from Maven Central now."""
    return error.getSqlState().startswith(_CONNECTION_EXCEPTIONS)
