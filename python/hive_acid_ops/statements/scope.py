"""The scope that SHOW statements have in common."""

from __future__ import annotations

from dataclasses import dataclass

from hive_acid.api.tables import TableName


@dataclass(frozen=True)
class ShownScope:
    """The scope of a statement: everything, a database, a table, or the partitions with all of `parts`.

    `parts` are `k=v` as in the metastore's names of partitions. With `ignores_case`, their case does not matter: 3.1
    keeps the partitions of locks in lower case. Servers of 4.x escape them once more (tried on 4.0.0), which is seen
    through.
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
        if not self.parts:
            return True
        names = {self._folded(part) for part in (partition or "").split("/")}
        return all(names & {self._folded(part), self._folded(part.replace("%", "%25"))} for part in self.parts)

    def _folded(self, part: str) -> str:
        return part.lower() if self.ignores_case else part
