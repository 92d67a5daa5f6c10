"""UPDATE to row changes."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from hive_acid.errors import build_error
from hive_acid.sql.rewrite.moves import build_with_moves
from hive_acid.sql.row_changes import (
    TARGET,
    Change,
    RowChangeQuery,
    TargetColumns,
    build_code,
    build_old_bucketing,
    build_old_partition,
    build_row_id,
)
from hive_acid.wire.row_writes import RowWrites


def rewrite_update(statement: exp.Update, columns: TargetColumns) -> RowChangeQuery:
    """`UPDATE __target SET a = __e1, b = __e2 WHERE __e3` → identity, place and new values of each changed row.

    The canonical statement assigns every data column of the target, in order; those the user left alone are assigned
    to themselves. Partition columns come after them, all or none: none if the user assigns none, for then no row leaves
    its partition; whether one leaves its bucket is said by `columns`.
    Raises HIVE_ACID_INTERNAL for other columns, or another order, and if an assignment is no `column = placeholder`.
    """
    values = build_assignments(statement.expressions)
    expect_columns(values, columns.data, (*columns.data, *columns.partition))
    stays = not any(name in values for name in columns.partition)
    moves = not stays or bool(columns.rehashed)
    if moves and stays:
        values |= {name: exp.column(name, table=TARGET, quoted=True) for name in columns.partition}
    prefix = columns.own_prefix if moves else "__"
    query = exp.select(
        exp.alias_(build_code(Change.UPDATE), f"{prefix}change"),
        build_row_id(prefix),
        *build_old_partition(columns.partition, prefix),
        *build_old_bucketing(columns, prefix),
        *(exp.alias_(value, name, quoted=True) for name, value in values.items()),
    ).from_(TARGET)
    where = statement.args.get("where")
    query = query.where(where.this) if where else query
    if moves:
        return RowChangeQuery(build_with_moves(query, columns), RowWrites.MIXED, stays)
    return RowChangeQuery(query, RowWrites.UPDATES, stays=True)


def expect_columns(values: Mapping[str, exp.Expr], *allowed: tuple[str, ...]) -> None:
    """Raises HIVE_ACID_INTERNAL if the values are not for one of these lists of columns: they are taken by position."""
    if tuple(values) not in allowed:
        reason = f"values for the columns {', '.join(values)}, not for {', '.join(allowed[-1])}"
        raise build_error("HIVE_ACID_INTERNAL", reason=reason)


def build_assignments(assignments: list[exp.Expr]) -> dict[str, exp.Expr]:
    """The value of each assigned column, in order. Raises HIVE_ACID_INTERNAL for what is no assignment."""
    return dict(_build_assignment(assignment) for assignment in assignments)


def _build_assignment(assignment: exp.Expr) -> tuple[str, exp.Expr]:
    if not isinstance(assignment, exp.EQ) or not isinstance(assignment.this, exp.Column):
        raise build_error("HIVE_ACID_INTERNAL", reason=f"not an assignment: {assignment.sql()}")
    return assignment.this.name, assignment.expression
