"""The methods of `AcidTable` in a session with a JVM beside it, by py4j."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession

from hive_acid.errors import build_error
from hive_acid.history.reader import load_history
from hive_acid.session.session import attach, find_own_settings
from hive_acid.session.shim import EXTENSION
from hive_acid.sql.operator_statements import Compact, describe_statement
from hive_acid.user.detail import build_detail_frame
from hive_acid.user.history import build_history_frame
from hive_acid.user.table_calls import MergeClause
from hive_acid.wire import codec
from hive_acid.wire.table_detail import TableDetail


class ClassicCalls:
    """The calls of the JVM's `hiveacid.api.AcidTableApi`."""

    def __init__(self, spark: SparkSession, table: Any) -> None:
        """For `find` and `aliased`: `table` is the object of the JVM."""
        self._spark = spark
        self._table = table

    @classmethod
    def find(cls, spark: SparkSession, name: str) -> ClassicCalls:
        """Raises what `AcidTable.forName` raises."""
        extensions = spark.conf.get("spark.sql.extensions", None) or ""
        if EXTENSION not in extensions.split(","):
            raise build_error("HIVE_ACID_NO_PLANNER", table=name)
        jvm: Any = spark._jvm
        return cls(spark, jvm.hiveacid.api.AcidTableApi.forName(spark._jsparkSession, name))

    def frame(self) -> DataFrame:
        return self._wrap(self._table.frame())

    def aliased(self, name: str) -> ClassicCalls:
        return ClassicCalls(self._spark, self._table.aliased(name))

    def delete(self, condition: Column | None) -> DataFrame:
        return self._wrap(self._table.delete(_jvm_column(condition)))

    def update(self, condition: Column | None, assignments: Mapping[str, Column]) -> DataFrame:
        return self._wrap(self._table.update(_jvm_column(condition), *_split(assignments)))

    def truncate(self, partition: Mapping[str, str | None] | None) -> None:
        self._table.truncate(None if partition is None else dict(partition))

    def compact(self, statement: Compact) -> DataFrame:
        return self._wrap(self._table.operate(codec.write(describe_statement(statement))))

    def merge(self, source: DataFrame, condition: Column, clauses: Sequence[MergeClause]) -> DataFrame:
        groups = (
            [self._clause(clause) for clause in clauses if clause.group == group]
            for group in ("matched", "notMatched", "notMatchedBySource")
        )
        return self._wrap(self._table.merge(source._jdf, _jvm_column(condition), *groups))

    def _clause(self, clause: MergeClause) -> Any:
        condition = _jvm_column(clause.condition)
        if clause.action == "delete":
            return self._table.deleteClause(condition)
        is_update = clause.action == "update"
        if clause.assignments is None:
            return self._table.updateAllClause(condition) if is_update else self._table.insertAllClause(condition)
        build = self._table.updateClause if is_update else self._table.insertClause
        return build(condition, *_split(clause.assignments))

    def detail(self) -> DataFrame:
        described = self._described()
        side = attach(self._spark).side_of(described.catalog)
        content = side.find_content(described.name, find_own_settings(self._spark))
        return build_detail_frame(self._spark, described, content)

    def history(self, limit: int | None) -> DataFrame:
        described = self._described()
        side = attach(self._spark).side_of(described.catalog)
        entries = load_history(side.metastore, side.file_system, described.name, limit)
        return build_history_frame(self._spark, entries)

    def _described(self) -> TableDetail:
        return codec.read(TableDetail, self._table.description())

    def _wrap(self, frame: Any) -> DataFrame:
        return DataFrame(frame, self._spark)


def _jvm_column(column: Column | None) -> Any:
    return None if column is None else column._jc


def _split(assignments: Mapping[str, Column]) -> tuple[list[str], list[Any]]:
    """Keys and the JVM's columns."""
    return list(assignments), [value._jc for value in assignments.values()]
