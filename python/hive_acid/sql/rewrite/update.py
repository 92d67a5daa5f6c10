"""UPDATE to row changes."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from hive_acid.errors import build_error
from hive_acid.sql.row_changes import TARGET, Change, build_change, build_old_partition, build_row_id


def rewrite_update(statement: exp.Update, partition_columns: Sequence[str]) -> exp.Select:
    """`UPDATE __target SET a = __e1, b = __e2 WHERE __e3` → identity, place and new values of each changed row.

    The canonical statement assigns every column of the target but its partition columns, in order; those the user left
    alone are assigned to themselves. Raises HIVE_ACID_INTERNAL if an assignment is no `column = placeholder`.
    """
    values = [_build_value(assignment) for assignment in statement.expressions]
    old = build_old_partition(partition_columns)
    query = exp.select(build_change(Change.UPDATE), build_row_id(), *old, *values).from_(TARGET)
    where = statement.args.get("where")
    return query.where(where.this) if where else query


def _build_value(assignment: exp.Expr) -> exp.Expr:
    if not isinstance(assignment, exp.EQ) or not isinstance(assignment.this, exp.Column):
        raise build_error("HIVE_ACID_INTERNAL", reason=f"not an assignment: {assignment.sql()}")
    return exp.alias_(assignment.expression, assignment.this.this)
