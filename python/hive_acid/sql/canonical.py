"""Parses a canonical statement and sends it to the rewrite of its kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from hive_acid.errors import build_error
from hive_acid.sql.rewrite.delete import rewrite_delete
from hive_acid.sql.rewrite.insert import rewrite_insert
from hive_acid.sql.rewrite.merge import rewrite_merge
from hive_acid.sql.rewrite.replace import rewrite_replace
from hive_acid.sql.rewrite.update import rewrite_update
from hive_acid.sql.row_changes import SOURCE, TARGET, RowChangeQuery, TargetColumns
from hive_acid.wire.rewriting import RewrittenStatement

DIALECT = "spark"

REWRITES: dict[type[exp.Expr], Callable[[Any, TargetColumns], RowChangeQuery]] = {
    exp.Delete: rewrite_delete,
    exp.Insert: rewrite_insert,
    exp.Merge: rewrite_merge,
    exp.Update: rewrite_update,
}

_NO_COLUMNS = TargetColumns()


def rewrite_statement(text: str, columns: TargetColumns = _NO_COLUMNS) -> RewrittenStatement:
    """The row-change query of a canonical statement.

    Raises HIVE_ACID_INTERNAL if `text` is no canonical statement: another kind of statement, or one that names
    relations other than `__target` and `__source`.
    """
    try:
        statement = sqlglot.parse_one(text, dialect=DIALECT)
    except SqlglotError as error:
        raise build_error("HIVE_ACID_INTERNAL", reason=f"the canonical statement does not parse: {text}") from error
    rewrite = REWRITES.get(type(statement))
    if isinstance(statement, exp.Insert) and statement.args.get("where") is not None:
        rewrite = rewrite_replace
    foreign = {table.name for table in statement.find_all(exp.Table)} - {TARGET, SOURCE}
    if rewrite is None or foreign:
        raise build_error("HIVE_ACID_INTERNAL", reason=f"not a canonical statement: {text}")
    query = rewrite(statement, columns)
    return RewrittenStatement(query.select.sql(dialect=DIALECT), query.writes, query.stays)
