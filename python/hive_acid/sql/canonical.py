"""Parses a canonical statement and sends it to the rewrite of its kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from hive_acid.errors import build_error
from hive_acid.sql.rewrite.delete import rewrite_delete
from hive_acid.sql.rewrite.insert import rewrite_insert
from hive_acid.sql.rewrite.update import rewrite_update
from hive_acid.sql.row_changes import SOURCE, TARGET

DIALECT = "spark"

REWRITES: dict[type[exp.Expr], Callable[[Any, Sequence[str]], exp.Select]] = {
    exp.Delete: rewrite_delete,
    exp.Insert: rewrite_insert,
    exp.Update: rewrite_update,
}


def rewrite_statement(text: str, partition_columns: Sequence[str] = ()) -> str:
    """The row-change query of a canonical statement, as text for Spark's parser.

    `partition_columns` are the target's, in order; rows that are changed carry their old values.

    Raises HIVE_ACID_INTERNAL if `text` is no canonical statement: another kind of statement, or one that names
    relations other than `__target` and `__source`.
    """
    try:
        statement = sqlglot.parse_one(text, dialect=DIALECT)
    except SqlglotError as error:
        raise build_error("HIVE_ACID_INTERNAL", reason=f"the canonical statement does not parse: {text}") from error
    rewrite = REWRITES.get(type(statement))
    foreign = {table.name for table in statement.find_all(exp.Table)} - {TARGET, SOURCE}
    if rewrite is None or foreign:
        raise build_error("HIVE_ACID_INTERNAL", reason=f"not a canonical statement: {text}")
    return rewrite(statement, partition_columns).sql(dialect=DIALECT)
