"""The methods of `AcidTable` as a session carries them out: one with a JVM beside it, or a client of Spark Connect."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from pyspark.sql import Column, DataFrame

from hive_acid.sql.operator_statements import Compact

Group = Literal["matched", "notMatched", "notMatchedBySource"]
Action = Literal["update", "insert", "delete"]


@dataclass(frozen=True)
class MergeClause:
    """A clause of a MERGE.

    `assignments` are None where all columns are assigned by name; so they are for delete.
    """

    group: Group
    action: Action
    condition: Column | None
    assignments: Mapping[str, Column] | None = None


class AcidTableCalls(Protocol):
    """One table of a session. A condition None means all rows; each method raises what the SQL statement raises."""

    def frame(self) -> DataFrame:
        """The table's rows."""

    def aliased(self, name: str) -> AcidTableCalls:
        """The same table under another name."""

    def delete(self, condition: Column | None) -> DataFrame:
        """Runs a DELETE: its result row."""

    def update(self, condition: Column | None, assignments: Mapping[str, Column]) -> DataFrame:
        """Runs an UPDATE: its result row."""

    def truncate(self, partition: Mapping[str, str | None] | None) -> None:
        """Runs a TRUNCATE TABLE; None as a value is NULL."""

    def compact(self, statement: Compact) -> DataFrame:
        """Runs an ALTER TABLE … COMPACT, which need not name the table: a row for each partition."""

    def merge(self, source: DataFrame, condition: Column, clauses: Sequence[MergeClause]) -> DataFrame:
        """Runs a MERGE: its result row."""

    def detail(self) -> DataFrame:
        """The row of `AcidTable.detail`."""

    def history(self, limit: int | None) -> DataFrame:
        """The rows of `AcidTable.history`."""
