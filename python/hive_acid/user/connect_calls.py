"""The methods of `AcidTable` in a client of Spark Connect, which has no JVM.

A call goes to the server as a relation of ours, and `hiveacid.connect.TableCallPlugin` makes Spark's plan of it there.
The server carries out a statement whenever it is asked about its relation, be it for the schema alone. So it is asked
for the rows, once, and for nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql.connect import proto
from pyspark.sql.connect.client import SparkConnectClient
from pyspark.sql.connect.dataframe import DataFrame as ConnectFrame
from pyspark.sql.connect.plan import LogicalPlan
from pyspark.sql.functions import lit

from hive_acid import __version__
from hive_acid.errors import build_error
from hive_acid.history.entries import HistoryEntry
from hive_acid.snapshot.acid_state import TableContent
from hive_acid.spark_lines import is_before
from hive_acid.sql.operator_statements import Compact, describe_statement
from hive_acid.user.detail import build_detail_frame
from hive_acid.user.history import build_history_frame
from hive_acid.user.table_calls import MergeClause
from hive_acid.wire import codec
from hive_acid.wire.table_calls import CalledClause, TableCall
from hive_acid.wire.table_detail import TableDetail

TYPE_URL: Final = "type.googleapis.com/hiveacid.TableCall"
_SESSION_CATALOG: Final = "spark_catalog"
_AFFECTED: Final = "num_affected_rows BIGINT"
_MERGED: Final = f"{_AFFECTED}, num_updated_rows BIGINT, num_deleted_rows BIGINT, num_inserted_rows BIGINT"


class ConnectCalls:
    """One table by its name; `frame` are its rows, named by `alias` if there is one."""

    def __init__(self, spark: SparkSession, call: TableCall, frame: DataFrame) -> None:
        """For `find` and `aliased`: `call` is what all calls have in common."""
        self._spark: Any = spark
        self._call = call
        self._frame = frame

    @classmethod
    def find(cls, spark: SparkSession, name: str) -> ConnectCalls:
        """Raises what `AcidTable.forName` raises, and HIVE_ACID_CONFIGURATION if the server has no plugin of ours."""
        if is_before("4.0"):
            raise build_error("HIVE_ACID_CONFIGURATION.NO_CONNECT_PLUGIN")
        call = TableCall(__version__, "describe", name)
        described = cls(spark, call, spark.read.table(name))._described()
        # another current database or a temporary view must not move it
        whole = _quoted_name(described)
        frame = spark.read.table(whole)
        return cls(spark, replace(call, table=whole, frames=(_plan_id(frame),)), frame)

    def frame(self) -> DataFrame:
        return self._frame

    def aliased(self, name: str) -> ConnectCalls:
        frame = self._spark.read.table(self._call.table)
        named = frame.alias(name)
        frames = (self._call.frames[0], _plan_id(named))
        return ConnectCalls(self._spark, replace(self._call, alias=name, frames=frames), named)

    def delete(self, condition: Column | None) -> DataFrame:
        columns = _Columns()
        return self._changed(_AFFECTED, columns, method="delete", condition=columns.place(condition))

    def update(self, condition: Column | None, assignments: Mapping[str, Column]) -> DataFrame:
        columns = _Columns()
        place, values = columns.place(condition), columns.places(assignments.values())
        return self._changed(
            _AFFECTED, columns, method="update", condition=place, keys=tuple(assignments), values=values
        )

    def truncate(self, partition: Mapping[str, str | None] | None) -> None:
        self._rows(replace(self._call, method="truncate", partition=partition))

    def compact(self, statement: Compact) -> DataFrame:
        described = describe_statement(statement)
        rows = self._rows(replace(self._call, method="compact", statement=described))
        return self._frame_of(rows, described.schema)

    def merge(self, source: DataFrame, condition: Column, clauses: Sequence[MergeClause]) -> DataFrame:
        columns = _Columns()
        place = columns.place(condition)
        called = tuple(_build_clause(clause, columns) for clause in clauses)
        return self._changed(_MERGED, columns, source, method="merge", condition=place, clauses=called)

    def detail(self) -> DataFrame:
        described = self._described()
        content = codec.read(TableContent, self._text(replace(self._call, method="content")))
        return build_detail_frame(self._spark, described, content)

    def history(self, limit: int | None) -> DataFrame:
        text = self._text(replace(self._call, method="history", limit=limit))
        return build_history_frame(self._spark, codec.read(tuple[HistoryEntry, ...], text))

    def _described(self) -> TableDetail:
        return codec.read(TableDetail, self._text(replace(self._call, method="describe")))

    def _changed(self, schema: str, columns: _Columns, source: DataFrame | None = None, **call: Any) -> DataFrame:
        return self._frame_of(self._rows(replace(self._call, **call), columns.found, source), schema)

    def _frame_of(self, rows: list[tuple[Any, ...]], schema: str) -> DataFrame:
        frame: DataFrame = self._spark.createDataFrame(rows, schema)
        return frame

    def _text(self, call: TableCall) -> str:
        ((text,),) = self._rows(call)
        return str(text)

    def _rows(
        self, call: TableCall, columns: Sequence[Column] = (), source: DataFrame | None = None
    ) -> list[tuple[Any, ...]]:
        """Has the server carry it out: the result's rows."""
        plan = _Relation(codec.write(call), columns, source)
        try:
            return [tuple(row) for row in ConnectFrame(plan, self._spark).collect()]
        except PySparkException as error:
            if "No handler found for extension" in str(error):
                raise build_error("HIVE_ACID_CONFIGURATION.NO_CONNECT_PLUGIN") from error
            raise


class _Columns:
    """The columns of a call, each told by its place."""

    def __init__(self) -> None:
        self.found: list[Column] = []

    def place(self, column: Column | None) -> int | None:
        return None if column is None else self._add(column)

    def places(self, columns: Any) -> tuple[int, ...]:
        return tuple(self._add(column) for column in columns)

    def _add(self, column: Column) -> int:
        self.found.append(column)
        return len(self.found) - 1


class _Relation(LogicalPlan):
    """A projection in a message of ours: first the call as a text, then its columns, from the source if it has one."""

    def __init__(self, call: str, columns: Sequence[Column], source: DataFrame | None) -> None:
        frame: Any = source
        super().__init__(None if frame is None else frame._plan)
        self._expressions: list[Any] = [lit(call), *columns]

    def plan(self, session: SparkConnectClient) -> proto.Relation:
        content = proto.Relation()
        if self._child is not None:
            content.project.input.CopyFrom(self._child.plan(session))
        content.project.expressions.extend(expression.to_plan(session) for expression in self._expressions)
        relation = self._create_proto_relation()
        relation.extension.type_url = TYPE_URL
        relation.extension.value = content.SerializeToString()
        return relation


def _plan_id(frame: Any) -> int:
    """Spark Connect's number of a DataFrame, by which its columns know it."""
    plan_id: int = frame._plan._plan_id
    return plan_id


def _quoted_name(described: TableDetail) -> str:
    """The name that means this table in any session of the application."""
    catalog = described.catalog.name if described.catalog else _SESSION_CATALOG
    parts = (catalog, described.name.database, described.name.table)
    return ".".join(f"`{part.replace('`', '``')}`" for part in parts)


def _build_clause(clause: MergeClause, columns: _Columns) -> CalledClause:
    condition = columns.place(clause.condition)
    if clause.assignments is None:
        return CalledClause(clause.group, clause.action, condition, None, None)
    values = columns.places(clause.assignments.values())
    return CalledClause(clause.group, clause.action, condition, tuple(clause.assignments), values)
