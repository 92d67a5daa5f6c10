"""The methods of `AcidTable`, as calls that the session's JVM carries out: one beside it, or a Connect server's."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from pyspark.sql import Column, DataFrame

from hive_acid.metastore.protocol import Metastore
from hive_acid.model.table import TableName
from hive_acid.operators.describe_detail import build_detail_row
from hive_acid.snapshot.acid_state import TableContent
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.sql.operator_statements import Compact, DescribeDetail, describe_statement
from hive_acid.user.history import build_history_frame
from hive_acid.user.rows import build_frame
from hive_acid.wire import codec
from hive_acid.wire.table_calls import CalledClause, TableCall
from hive_acid.wire.table_detail import TableDetail

Group = Literal["matched", "notMatched", "notMatchedBySource"]
Action = Literal["update", "insert", "delete"]
Rows = list[tuple[Any, ...]]
_AFFECTED: Final = "num_affected_rows BIGINT"
_MERGED: Final = f"{_AFFECTED}, num_updated_rows BIGINT, num_deleted_rows BIGINT, num_inserted_rows BIGINT"


@dataclass(frozen=True)
class MergeClause:
    """A clause of a MERGE.

    `assignments` are None where all columns are assigned by name; so they are for delete.
    """

    group: Group
    action: Action
    condition: Column | None
    assignments: Mapping[str, Column] | None = None


class AcidTableCalls(ABC):
    """One table of a session. A condition None means all rows; each method raises what the SQL statement raises."""

    def __init__(self, spark: Any, call: TableCall) -> None:
        """`call` is what all calls have in common."""
        self._spark = spark
        self._call = call
        self.name = call.table

    @abstractmethod
    def frame(self) -> DataFrame:
        """The table's rows."""

    @abstractmethod
    def aliased(self, name: str) -> AcidTableCalls:
        """The same table under another name."""

    @abstractmethod
    def reach(self) -> tuple[Metastore, FileSystem, TableName]:
        """Metastore and storage of the table, and its name there. Raises HIVE_ACID_CONFIGURATION.CONNECT_FILES."""

    @abstractmethod
    def _rows(self, call: TableCall, columns: Sequence[Column] = (), source: DataFrame | None = None) -> Rows:
        """Has it carried out, once: the result's rows. `columns` are those that it tells by their places."""

    def _run(
        self, schema: str, call: TableCall, columns: Sequence[Column] = (), source: DataFrame | None = None
    ) -> DataFrame:
        """The same as a DataFrame with this schema."""
        frame: DataFrame = self._spark.createDataFrame(self._rows(call, columns, source), schema)
        return frame

    def delete(self, condition: Column | None) -> DataFrame:
        """Runs a DELETE: its result row."""
        columns = _Columns()
        call = replace(self._call, method="delete", condition=columns.place(condition))
        return self._run(_AFFECTED, call, columns.found)

    def update(self, condition: Column | None, assignments: Mapping[str, Column]) -> DataFrame:
        """Runs an UPDATE: its result row."""
        columns = _Columns()
        place, values = columns.place(condition), columns.places(assignments.values())
        call = replace(self._call, method="update", condition=place, keys=tuple(assignments), values=values)
        return self._run(_AFFECTED, call, columns.found)

    def truncate(self, partition: Mapping[str, str | None] | None) -> None:
        """Runs a TRUNCATE TABLE; None as a value is NULL."""
        self._rows(replace(self._call, method="truncate", partition=partition))

    def compact(self, statement: Compact) -> DataFrame:
        """Runs an ALTER TABLE … COMPACT, which need not name the table: a row for each partition."""
        described = describe_statement(statement)
        return self._run(described.schema, replace(self._call, method="compact", statement=described))

    def merge(self, source: DataFrame, condition: Column, clauses: Sequence[MergeClause]) -> DataFrame:
        """Runs a MERGE: its result row."""
        columns = _Columns()
        place = columns.place(condition)
        called = tuple(_build_clause(clause, columns) for clause in clauses)
        call = replace(self._call, method="merge", condition=place, clauses=called)
        return self._run(_MERGED, call, columns.found, source)

    def detail(self) -> DataFrame:
        """The row of `AcidTable.detail`."""
        described, content = self._described(), codec.read(TableContent, self._text("content"))
        return build_frame(self._spark, DescribeDetail.COLUMNS, [build_detail_row(described, content)])

    def history(self, limit: int | None) -> DataFrame:
        """The rows of `AcidTable.history`."""
        return build_history_frame(self._spark, self._text("history", limit))

    def _described(self) -> TableDetail:
        return codec.read(TableDetail, self._text("describe"))

    def _text(self, method: str, limit: int | None = None) -> str:
        ((text,),) = self._rows(replace(self._call, method=method, limit=limit))
        return str(text)


class _Columns:
    """The columns of a call, each told by its place."""

    def __init__(self) -> None:
        self.found: list[Column] = []

    def place(self, column: Column | None) -> int | None:
        return None if column is None else self._add(column)

    def places(self, columns: Iterable[Column]) -> tuple[int, ...]:
        return tuple(self._add(column) for column in columns)

    def _add(self, column: Column) -> int:
        self.found.append(column)
        return len(self.found) - 1


def _build_clause(clause: MergeClause, columns: _Columns) -> CalledClause:
    condition = columns.place(clause.condition)
    if clause.assignments is None:
        return CalledClause(clause.group, clause.action, condition, None, None)
    values = columns.places(clause.assignments.values())
    return CalledClause(clause.group, clause.action, condition, tuple(clause.assignments), values)
