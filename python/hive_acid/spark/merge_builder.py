"""MERGE as a chain of calls, in the manner of Delta's `DeltaMergeBuilder`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession

from hive_acid.spark.columns import build_column, build_condition, build_empty_error

Assignments = Mapping[str, "str | Column"]


class AcidMergeBuilder:
    """The clauses of a MERGE, each added by one call; made by `AcidTable.merge`.

    Among the clauses of one kind, the first whose condition is true is taken, in the order of the calls. A clause
    without a condition must be the last of its kind. The keys of `set` and `values` are columns of the table, or in
    `set` nested fields. Each call changes this builder and returns it; `execute` may be called again, and then merges
    again.
    """

    def __init__(self, spark: SparkSession, table: Any, source: DataFrame, condition: Any) -> None:
        """For `AcidTable.merge`: `table` is the JVM's `hiveacid.api.AcidTableApi`, `condition` a column of the JVM."""
        self._spark = spark
        self._table = table
        self._source = source
        self._condition = condition
        self._matched: list[Any] = []
        self._not_matched: list[Any] = []
        self._not_matched_by_source: list[Any] = []

    def whenMatchedUpdate(  # noqa: N802 (Delta's name)
        self,
        condition: str | Column | None = None,
        set: Assignments | None = None,  # noqa: A002
    ) -> AcidMergeBuilder:
        """Assigns new values to a row of the table that matches; they may use both sides."""
        self._matched.append(self._update(condition, set))
        return self

    def whenMatchedUpdateAll(self, condition: str | Column | None = None) -> AcidMergeBuilder:  # noqa: N802
        """Assigns to each column of a row that matches the source's column of that name."""
        self._matched.append(self._table.updateAllClause(build_condition(condition)))
        return self

    def whenMatchedDelete(self, condition: str | Column | None = None) -> AcidMergeBuilder:  # noqa: N802
        """Deletes a row of the table that matches."""
        self._matched.append(self._table.deleteClause(build_condition(condition)))
        return self

    def whenNotMatchedInsert(  # noqa: N802
        self, condition: str | Column | None = None, values: Assignments | None = None
    ) -> AcidMergeBuilder:
        """Inserts a row for one of the source that matches nothing; columns without a value get their default."""
        keys, columns = _split("values", values)
        self._not_matched.append(self._table.insertClause(build_condition(condition), keys, columns))
        return self

    def whenNotMatchedInsertAll(self, condition: str | Column | None = None) -> AcidMergeBuilder:  # noqa: N802
        """Inserts the columns of the source, by name, for a row of it that matches nothing."""
        self._not_matched.append(self._table.insertAllClause(build_condition(condition)))
        return self

    def whenNotMatchedBySourceUpdate(  # noqa: N802
        self,
        condition: str | Column | None = None,
        set: Assignments | None = None,  # noqa: A002
    ) -> AcidMergeBuilder:
        """Assigns new values to a row of the table that no row of the source matches."""
        self._not_matched_by_source.append(self._update(condition, set))
        return self

    def whenNotMatchedBySourceDelete(self, condition: str | Column | None = None) -> AcidMergeBuilder:  # noqa: N802
        """Deletes a row of the table that no row of the source matches."""
        self._not_matched_by_source.append(self._table.deleteClause(build_condition(condition)))
        return self

    def execute(self) -> DataFrame:
        """Merges, before it returns.

        The result is one row with the columns `num_affected_rows, num_updated_rows, num_deleted_rows,
        num_inserted_rows`. Raises what the SQL statement MERGE raises, and PySparkValueError without any clause.
        """
        clauses = (self._matched, self._not_matched, self._not_matched_by_source)
        if not any(clauses):
            raise build_empty_error("clause of the merge")
        return DataFrame(self._table.merge(self._source._jdf, self._condition, *clauses), self._spark)

    def _update(self, condition: str | Column | None, assignments: Assignments | None) -> Any:
        keys, columns = _split("set", assignments)
        return self._table.updateClause(build_condition(condition), keys, columns)


def _split(name: str, assignments: Assignments | None) -> tuple[list[str], list[Any]]:
    """Keys and the JVM's columns. Raises PySparkValueError if there are none."""
    if not assignments:
        raise build_empty_error(f"assignment in `{name}`")
    return list(assignments), [build_column(name, value) for value in assignments.values()]
