"""What the rows of the SHOW statements have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hive_acid.model.table import TableName

Row = tuple[str | int | bool | None, ...]
"""One value for each column of the statement's result."""


@dataclass(frozen=True)
class Scope:
    """What a statement asks about: everything, a database, a table, or the partitions with all of `parts`.

    `parts` are `k=v` as in the metastore's names of partitions. With `ignores_case`, their case does not matter: 3.1
    keeps the partitions of locks and compactions in lower case.
    """

    database: str | None = None
    table: TableName | None = None
    parts: tuple[str, ...] = ()
    ignores_case: bool = False

    def covers(self, database: str, table: TableName | None, partition: str | None) -> bool:
        """True if that is within the scope. A table's own entries are not its partitions'."""
        if self.database is not None and database != self.database:
            return False
        if self.table is not None and table != self.table:
            return False
        return not self.parts or (
            partition is not None and self._folded(self.parts) <= self._folded(partition.split("/"))
        )

    def _folded(self, parts: Sequence[str]) -> frozenset[str]:
        return frozenset(part.lower() if self.ignores_case else part for part in parts)
