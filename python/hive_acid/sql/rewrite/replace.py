"""INSERT … REPLACE WHERE to row changes."""

from __future__ import annotations

from sqlglot import exp

from hive_acid.sql.rewrite.delete import build_deletes
from hive_acid.sql.row_changes import (
    SOURCE,
    TARGET,
    Change,
    RowChangeQuery,
    TargetColumns,
    build_change,
    build_no_row_id,
)
from hive_acid.wire.row_writes import RowWrites


def rewrite_replace(statement: exp.Insert, columns: TargetColumns) -> RowChangeQuery:
    """`INSERT INTO __target REPLACE WHERE __e0 SELECT * FROM __source` → the rows that go, then those that come.

    Rows for which the condition is true are deleted, and each row of the source is an insert. The source's columns are
    as those of INSERT; whether its rows satisfy the condition is not asked here.
    """
    names = (*columns.data, *columns.partition)
    deletes = build_deletes(columns).select(*(_build_no_value(name) for name in names)).where(statement.args["where"])
    nowhere = (exp.null() for _ in columns.partition)
    star = exp.Column(this=exp.Star(), table=exp.to_identifier(SOURCE))
    inserts = exp.select(build_change(Change.INSERT), build_no_row_id(), *nowhere, star).from_(SOURCE)
    return RowChangeQuery(exp.union(deletes, inserts, distinct=False, copy=False), RowWrites.MIXED, stays=False)


def _build_no_value(name: str) -> exp.Expr:
    """NULL in the column's type."""
    column = exp.column(name, table=TARGET, quoted=True)
    return exp.alias_(exp.If(this=exp.false(), true=column, false=exp.null()), name, quoted=True)
