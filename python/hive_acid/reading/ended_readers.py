"""Queries whose read transaction has ended."""

from __future__ import annotations

from hive_acid.errors import build_error
from hive_acid.model.table import TableName

_REMEMBERED = 10_000


class EndedReaders:
    """The keys of queries that may not open another snapshot. For one thread at a time.

    A read transaction that ends before its query comes with a reason. A query that has ended may still have a scan
    that is about to ask, on a thread of its own; such keys are remembered for the next 10,000 queries.
    """

    def __init__(self) -> None:
        self._early: dict[int, str] = {}
        self._done: dict[int, None] = {}

    def add(self, key: int) -> None:
        """The query has ended. Nobody can ask for a negative key, that of a query outside of executions, any more."""
        self._early.pop(key, None)
        if key >= 0:
            self._done[key] = None
            if len(self._done) > _REMEMBERED:
                del self._done[next(iter(self._done))]

    def add_early(self, key: int, reason: str) -> None:
        """Its read transaction has been ended, and the query may go on."""
        self._early[key] = reason

    def refuse(self, key: int, table: TableName) -> None:
        """Raises HIVE_ACID_SNAPSHOT_UNAVAILABLE if the query's read transaction has ended."""
        if key in self._done:
            raise build_error("HIVE_ACID_SNAPSHOT_UNAVAILABLE", table=table, reason="its query has ended")
        if key in self._early:
            reason = f"the read transaction of its query has ended, for {self._early[key]}"
            raise build_error("HIVE_ACID_SNAPSHOT_UNAVAILABLE", table=table, reason=reason)
