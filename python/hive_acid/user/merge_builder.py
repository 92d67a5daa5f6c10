"""MERGE as a chain of calls, like Delta's `DeltaMergeBuilder`."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql import Column, DataFrame

from hive_acid.user.columns import build_column, build_condition, build_empty_error
from hive_acid.user.table_calls import AcidTableCalls, Action, Group, MergeClause

Assignments = Mapping[str, "str | Column"]


class AcidMergeBuilder:
    """The clauses of a MERGE, each added by one call. Create it with `AcidTable.merge`.

    Among the clauses of one kind, the first one with a true condition applies, in the order of the calls. A clause
    without a condition must be the last of its kind. The keys of `set` and `values` are columns of the table; those of
    `set` can also be nested fields. Each call changes this builder and returns it. If you call `execute` again, it
    merges again.
    """

    def __init__(self, table: AcidTableCalls, source: DataFrame, condition: Column) -> None:
        self._table = table
        self._source = source
        self._condition = condition
        self._clauses: list[MergeClause] = []

    def whenMatchedUpdate(  # noqa: N802 (Delta's name)
        self,
        condition: str | Column | None = None,
        set: Assignments | None = None,  # noqa: A002
    ) -> AcidMergeBuilder:
        """Assigns new values to a row of the table that matches; the values can use columns of both sides."""
        return self._add("matched", "update", condition, _build_assignments("set", set))

    def whenMatchedUpdateAll(self, condition: str | Column | None = None) -> AcidMergeBuilder:  # noqa: N802
        """For a row of the table that matches, assigns to each column the source's column of the same name."""
        return self._add("matched", "update", condition, None)

    def whenMatchedDelete(self, condition: str | Column | None = None) -> AcidMergeBuilder:  # noqa: N802
        """Deletes a row of the table that matches."""
        return self._add("matched", "delete", condition, None)

    def whenNotMatchedInsert(  # noqa: N802
        self, condition: str | Column | None = None, values: Assignments | None = None
    ) -> AcidMergeBuilder:
        """Inserts a row for a row of the source that matches none; columns without a value get their default."""
        return self._add("notMatched", "insert", condition, _build_assignments("values", values))

    def whenNotMatchedInsertAll(self, condition: str | Column | None = None) -> AcidMergeBuilder:  # noqa: N802
        """Inserts a row of the source that matches none; its columns are assigned by name."""
        return self._add("notMatched", "insert", condition, None)

    def whenNotMatchedBySourceUpdate(  # noqa: N802
        self,
        condition: str | Column | None = None,
        set: Assignments | None = None,  # noqa: A002
    ) -> AcidMergeBuilder:
        """Assigns new values to a row of the table that no row of the source matches."""
        return self._add("notMatchedBySource", "update", condition, _build_assignments("set", set))

    def whenNotMatchedBySourceDelete(self, condition: str | Column | None = None) -> AcidMergeBuilder:  # noqa: N802
        """Deletes a row of the table that no row of the source matches."""
        return self._add("notMatchedBySource", "delete", condition, None)

    def execute(self) -> DataFrame:
        """Merges, before it returns.

        The result is one row with the columns `num_affected_rows, num_updated_rows, num_deleted_rows,
        num_inserted_rows`. Raises what the SQL statement MERGE raises, and PySparkValueError without any clause.
        """
        if not self._clauses:
            raise build_empty_error("clause of the merge")
        return self._table.merge(self._source, self._condition, self._clauses)

    def _add(
        self, group: Group, action: Action, condition: str | Column | None, assignments: Mapping[str, Column] | None
    ) -> AcidMergeBuilder:
        self._clauses.append(MergeClause(group, action, build_condition(condition), assignments))
        return self


def _build_assignments(name: str, assignments: Assignments | None) -> dict[str, Column]:
    """Raises PySparkValueError if there are none."""
    if not assignments:
        raise build_empty_error(f"assignment in `{name}`")
    return {key: build_column(name, value) for key, value in assignments.items()}
