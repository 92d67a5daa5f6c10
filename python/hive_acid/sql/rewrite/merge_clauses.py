"""The clauses of a canonical MERGE."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from sqlglot import exp

from hive_acid.errors import build_error
from hive_acid.sql.rewrite.update import build_assignments, expect_columns
from hive_acid.sql.row_changes import Change, TargetColumns


class Side(Enum):
    """The rows of the join that a clause is for."""

    MATCHED = "both"
    NOT_MATCHED = "source only"
    NOT_MATCHED_BY_SOURCE = "target only"


@dataclass(frozen=True)
class WhenClause:
    """One WHEN clause; `number` is from 1. `values` are the new ones by column, none for a DELETE."""

    number: int
    side: Side
    condition: exp.Expr | None
    change: Change
    values: Mapping[str, exp.Expr] = field(default_factory=dict)

    def assigns(self, names: Sequence[str]) -> bool:
        """True if it gives a row that is there a new value in one of these columns."""
        return self.change is Change.UPDATE and any(name in self.values for name in names)


def parse_clauses(statement: exp.Merge, columns: TargetColumns) -> list[WhenClause]:
    """The clauses in their order.

    Raises HIVE_ACID_INTERNAL for what is no canonical clause: one that does not assign as UPDATE does, or does not
    insert all columns in order.

    A lone DELETE of all matched rows becomes DELETED_BY_ANY if there are other clauses: no matter how many source rows
    match a row, it is deleted once, as in Spark (RewriteMergeIntoTable.shouldCheckCardinality).
    """
    whens = statement.args["whens"].expressions
    clauses = [_parse_clause(number, when) for number, when in enumerate(whens, start=1)]
    everything = (*columns.data, *columns.partition)
    for clause in clauses:
        if clause.change is Change.INSERT:
            expect_columns(clause.values, everything)
        elif clause.change is Change.UPDATE:
            expect_columns(clause.values, columns.data, everything)
    matched = [clause for clause in clauses if clause.side is Side.MATCHED]
    if len(clauses) > 1 and len(matched) == 1 and matched[0].change is Change.DELETE and matched[0].condition is None:
        only = replace(matched[0], change=Change.DELETED_BY_ANY)
        return [only if clause is matched[0] else clause for clause in clauses]
    return clauses


def _parse_clause(number: int, when: exp.When) -> WhenClause:
    side = Side.MATCHED
    if not when.args["matched"]:
        side = Side.NOT_MATCHED_BY_SOURCE if when.args.get("source") else Side.NOT_MATCHED
    condition, then = when.args.get("condition"), when.args["then"]
    if isinstance(then, exp.Update):
        return WhenClause(number, side, condition, Change.UPDATE, build_assignments(then.expressions))
    if isinstance(then, exp.Insert):
        names = [column.name for column in then.this.expressions]
        values = dict(zip(names, then.expression.expressions, strict=True))
        return WhenClause(number, side, condition, Change.INSERT, values)
    if then.name != "DELETE":
        raise build_error("HIVE_ACID_INTERNAL", reason=f"not a clause: {when.sql()}")
    return WhenClause(number, side, condition, Change.DELETE)
