"""INSERT … REPLACE WHERE, REPLACE USING and REPLACE ON to row changes."""

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
    build_code,
    build_no_row_id,
    build_old_partition,
    build_row_id,
    build_star,
)
from hive_acid.wire.row_writes import RowWrites


def rewrite_replace(statement: exp.Insert, columns: TargetColumns) -> RowChangeQuery:
    """`INSERT INTO __target REPLACE WHERE __e0 SELECT * FROM __source` → the rows that go, then those that come.

    Rows for which the condition is true are deleted, or those that a source row matches (`_rewrite_matches`), and each
    row of the source is an insert. The source's columns are as those of INSERT; whether its rows satisfy the
    condition is not asked here.
    """
    where = statement.args["where"]
    if isinstance(where, exp.Exists):
        return _rewrite_matches(where, statement.expression, columns)
    names = (*columns.data, *columns.partition)
    deletes = build_deletes(columns).select(*(_build_no_value(name) for name in names)).where(where)
    nowhere = (exp.null() for _ in columns.partition)
    inserts = exp.select(build_change(Change.INSERT), build_no_row_id(), *nowhere, build_star(SOURCE)).from_(SOURCE)
    return RowChangeQuery(exp.union(deletes, inserts, distinct=False, copy=False), RowWrites.MIXED, stays=False)


def _build_no_value(name: str) -> exp.Expr:
    """NULL in the column's type."""
    column = exp.column(name, table=TARGET, quoted=True)
    return exp.alias_(exp.If(this=exp.false(), true=column, false=exp.null()), name, quoted=True)


def _rewrite_matches(matches: exp.Exists, news: exp.Select, columns: TargetColumns) -> RowChangeQuery:
    """`… REPLACE WHERE EXISTS (SELECT 1 FROM __source WHERE __e0) SELECT __e1 AS a, … FROM __source` → one join.

    The source is computed once, so that the rows which come are those that have matched. Each of its rows stands there
    twice: the one asks for matches, of which each is a delete, the other matches nothing and is the insert.
    """
    prefix = columns.own_prefix
    asks = exp.column(f"{prefix}asks")
    target = exp.select(
        build_star(TARGET),
        build_row_id(prefix),
        *build_old_partition(columns.partition, prefix),
        exp.alias_(exp.true(), f"{prefix}in_target"),
    ).from_(TARGET)
    twice = exp.Explode(this=exp.array(exp.true(), exp.false()))
    source = exp.select(build_star(SOURCE), exp.alias_(twice, asks.name)).from_(SOURCE)
    change = exp.If(this=asks, true=build_code(Change.DELETED_BY_ANY), false=build_code(Change.INSERT))
    query = (
        exp.select(
            exp.alias_(change, f"{prefix}change"),
            exp.column(f"{prefix}row_id"),
            *(exp.column(f"{prefix}from_{name}", quoted=True) for name in columns.partition),
            *news.expressions,
        )
        .from_(target.subquery(f"{prefix}t"))
        .join(
            source.subquery(f"{prefix}s"),
            on=exp.and_(asks.copy(), matches.this.args["where"].this),
            join_type="right outer",
        )
        .where(exp.or_(exp.column(f"{prefix}in_target"), exp.not_(asks.copy())))
    )
    return RowChangeQuery(query, RowWrites.MIXED, stays=False)
