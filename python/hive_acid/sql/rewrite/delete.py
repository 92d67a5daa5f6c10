"""DELETE to row changes."""

from __future__ import annotations

from sqlglot import exp

from hive_acid.sql.row_changes import (
    TARGET,
    Change,
    RowChangeQuery,
    TargetColumns,
    build_change,
    build_old_partition,
    build_row_id,
)
from hive_acid.wire.row_writes import RowWrites


def rewrite_delete(statement: exp.Delete, columns: TargetColumns) -> RowChangeQuery:
    """`DELETE FROM __target WHERE __e1` → identity and place of each row for which the condition is true.

    Rows for which it is NULL stay, as WHERE says. The target's columns are left out: a delete writes none.
    """
    query = build_deletes(columns)
    where = statement.args.get("where")
    return RowChangeQuery(query.where(where.this) if where else query, RowWrites.DELETES, stays=True)


def build_deletes(columns: TargetColumns) -> exp.Select:
    """Identity and place of every row of the target, to be narrowed by the caller."""
    old = build_old_partition(columns.partition)
    return exp.select(build_change(Change.DELETE), build_row_id(), *old).from_(TARGET)
