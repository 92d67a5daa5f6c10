"""The changes that a row-change query holds."""

from __future__ import annotations

from enum import Enum


class RowWrites(Enum):
    """The changes that a row-change query has, and with them its columns after `__change` and `__row_id`.

    DELETES: the old row's partition columns. UPDATES: these, and the new values of the data columns. INSERTS: the new
    values of all columns, partition columns last. MIXED: the old row's partition columns, then as INSERTS.
    """

    INSERTS = "insert"
    UPDATES = "update"
    DELETES = "delete"
    MIXED = "mixed"
