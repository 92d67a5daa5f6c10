"""MERGE to row changes: one join, evaluated once, and per row the first clause whose condition holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlglot import exp

from hive_acid.sql.rewrite.delete import build_deletes
from hive_acid.sql.rewrite.merge_clauses import Side, WhenClause, parse_clauses
from hive_acid.sql.rewrite.moves import build_with_moves
from hive_acid.sql.row_changes import (
    SOURCE,
    TARGET,
    Change,
    RowChangeQuery,
    TargetColumns,
    build_change,
    build_code,
    build_no_row_id,
    build_old_bucketing,
    build_old_partition,
    build_row_id,
    build_star,
)
from hive_acid.wire.row_writes import RowWrites

_NO_CLAUSE = 0
"""In place of a clause's number: the row is matched, but by no clause."""


def rewrite_merge(statement: exp.Merge, columns: TargetColumns) -> RowChangeQuery:
    """`MERGE INTO __target USING __source ON __e0 WHEN …` → the change that each pair of rows brings about.

    The canonical clauses assign as those of UPDATE do, and insert all columns. Where one side alone decides, the join
    is one that reads the other side for its keys only. Raises HIVE_ACID_INTERNAL for what is no canonical clause.
    """
    on, clauses = statement.args["on"], parse_clauses(statement, columns)
    if all(clause.side is Side.NOT_MATCHED for clause in clauses):
        return RowChangeQuery(_build_inserts(on, clauses, columns), RowWrites.INSERTS, stays=False)
    if len(clauses) == 1 and clauses[0].change is Change.DELETE:
        (clause,) = clauses
        if clause.side is Side.NOT_MATCHED_BY_SOURCE:
            rest = build_deletes(columns).join(exp.to_table(SOURCE), on=on, join_type="left anti")
            return RowChangeQuery(rest.where(clause.condition), RowWrites.DELETES, stays=True)
        if clause.condition is None:
            matched = build_deletes(columns).join(exp.to_table(SOURCE), on=on, join_type="left semi")
            return RowChangeQuery(matched, RowWrites.DELETES, stays=True)
    changes = _build_mixed(on, clauses, columns)
    leaves = any(clause.assigns(columns.partition) for clause in clauses)
    moves = leaves or any(clause.assigns(columns.rehashed) for clause in clauses)
    stays = not leaves and all(clause.change is not Change.INSERT for clause in clauses)
    return RowChangeQuery(build_with_moves(changes, columns) if moves else changes, RowWrites.MIXED, stays)


def _build_inserts(on: exp.Expr, clauses: Sequence[WhenClause], columns: TargetColumns) -> exp.Select:
    """Rows of the source that match nothing."""

    def unmatched(*projections: exp.Expr) -> exp.Select:
        return exp.select(*projections).from_(SOURCE).join(exp.to_table(TARGET), on=on, join_type="left anti")

    names = (*columns.data, *columns.partition)
    head = (build_change(Change.INSERT), build_no_row_id())
    if len(clauses) == 1:
        values = [exp.alias_(clauses[0].values[name], name, quoted=True) for name in names]
        return unmatched(*head, *values).where(clauses[0].condition)
    chosen = _build_choice(clauses, None)
    query = unmatched(exp.Star(), exp.alias_(chosen, f"{columns.own_prefix}clause"))
    return _build_outer(query, [*head, *(_build_value(name, clauses, columns) for name in names)], columns)


def _build_mixed(on: exp.Expr, clauses: Sequence[WhenClause], columns: TargetColumns) -> exp.Select:
    """Both sides joined as far as there are clauses for them; a literal of each side tells where a row is from."""
    prefix, sides = columns.own_prefix, {clause.side for clause in clauses}
    has_values = any(clause.values for clause in clauses)
    target = exp.select(
        build_star(TARGET),
        build_row_id(prefix),
        *build_old_partition(columns.partition, prefix),
        *build_old_bucketing(columns, prefix),
        *(
            exp.alias_(exp.column(name, table=TARGET, quoted=True), f"{prefix}old_{name}", quoted=True)
            for name in (() if has_values else columns.data)
        ),
        exp.alias_(exp.true(), f"{prefix}in_target"),
    ).from_(TARGET)
    source = exp.select(build_star(SOURCE), exp.alias_(exp.true(), f"{prefix}in_source")).from_(SOURCE)
    chosen = _build_choice_of_sides(clauses, prefix)
    joined = (
        exp.select(exp.Star(), exp.alias_(chosen, f"{prefix}clause"))
        .from_(target.subquery(f"{prefix}t"))
        .join(source.subquery(f"{prefix}s"), on=on, join_type=_find_join(sides))
    )
    codes = [(clause.number, build_code(clause.change)) for clause in clauses]
    change = _build_case_of(prefix, codes, build_code(Change.NOTHING))
    head = [
        exp.alias_(change, f"{prefix}change"),
        exp.column(f"{prefix}row_id"),
        *(exp.column(f"{prefix}from_{name}", quoted=True) for name in columns.partition),
        *(exp.column(column.alias, quoted=True) for column in build_old_bucketing(columns, prefix)),
    ]
    names = (*columns.data, *columns.partition)
    return _build_outer(joined, [*head, *(_build_value(name, clauses, columns) for name in names)], columns)


def _find_join(sides: Iterable[Side]) -> str:
    """The target is on the left."""
    keeps_source, keeps_target = Side.NOT_MATCHED in sides, Side.NOT_MATCHED_BY_SOURCE in sides
    if keeps_source and keeps_target:
        return "full outer"
    return "right outer" if keeps_source else "left outer" if keeps_target else "inner"


def _build_outer(inner: exp.Select, projections: Sequence[exp.Expr], columns: TargetColumns) -> exp.Select:
    prefix = columns.own_prefix
    has_clause = exp.column(f"{prefix}clause").is_(exp.null()).not_()
    return exp.select(*projections).from_(inner.subquery(f"{prefix}merged")).where(has_clause)


def _build_choice_of_sides(clauses: Sequence[WhenClause], prefix: str) -> exp.Expr:
    """The number of the clause for a joined row, NULL if nothing is to be done."""
    in_target = exp.column(f"{prefix}in_target").is_(exp.null()).not_()
    in_source = exp.column(f"{prefix}in_source").is_(exp.null()).not_()
    matched, not_matched, by_source = ([c for c in clauses if c.side is side] for side in Side)
    case = exp.Case(ifs=[])
    both = _build_choice(matched, exp.Literal.number(_NO_CLAUSE)) if matched else exp.null()
    case = case.when(exp.and_(in_target, in_source), both)
    if not_matched:
        case = case.when(in_source.copy(), _build_choice(not_matched, None))
    if by_source:
        case = case.when(in_target.copy(), _build_choice(by_source, None))
    return case


def _build_choice(clauses: Sequence[WhenClause], otherwise: exp.Expr | None) -> exp.Expr:
    """The number of the first clause whose condition is true. One without a condition is the last."""
    case = exp.Case(ifs=[])
    for clause in clauses:
        number = exp.Literal.number(clause.number)
        if clause.condition is None:
            return case.else_(number) if case.args["ifs"] else number
        case = case.when(clause.condition, number)
    return case.else_(otherwise) if otherwise is not None else case


def _build_value(name: str, clauses: Sequence[WhenClause], columns: TargetColumns) -> exp.Expr:
    """The new value of a column; what a row to delete has there does not matter, but for its type."""
    prefix = columns.own_prefix
    source = f"{prefix}from_{name}" if name in columns.partition else f"{prefix}old_{name}"
    old = exp.column(source, quoted=True)
    # only partition columns may be left out, and only where there is an old row
    values = [(clause.number, clause.values.get(name, old)) for clause in clauses if clause.values]
    no_value = exp.If(this=exp.false(), true=old, false=exp.null())
    value = _build_case_of(prefix, values, None) if values else no_value
    return exp.alias_(value, name, quoted=True)


def _build_case_of(prefix: str, values: Sequence[tuple[int, exp.Expr]], otherwise: exp.Expr | None) -> exp.Expr:
    """A value by the number of the clause."""
    case = exp.Case(this=exp.column(f"{prefix}clause"), ifs=[])
    for number, value in values:
        case = case.when(exp.Literal.number(number), value)
    return case.else_(otherwise) if otherwise is not None else case
