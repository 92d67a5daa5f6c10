"""DELETE to row changes."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from hive_acid.sql.row_changes import TARGET, Change, build_change, build_old_partition, build_row_id


def rewrite_delete(statement: exp.Delete, partition_columns: Sequence[str]) -> exp.Select:
    """`DELETE FROM __target WHERE __e1` → identity and place of each row for which the condition is true.

    Rows for which it is NULL stay, as WHERE says. The target's columns are left out: a delete writes none.
    """
    old = build_old_partition(partition_columns)
    query = exp.select(build_change(Change.DELETE), build_row_id(), *old).from_(TARGET)
    where = statement.args.get("where")
    return query.where(where.this) if where else query
