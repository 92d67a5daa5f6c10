"""Canonical statements to row-change queries: text in, text out, by sqlglot.

In a canonical statement every expression of the user is a placeholder (`__e1`), so nothing the user wrote is printed.
"""

from hive_acid.sql.canonical import Rewritten, rewrite_statement
from hive_acid.sql.explain_acid import find_explained
from hive_acid.sql.hive_syntax import respell
from hive_acid.sql.operator_parsing import find_operator_statement
from hive_acid.sql.redaction import redact
from hive_acid.sql.row_changes import TargetColumns
from hive_acid.wire.rewriting import ExplainedStatement, Respelling
from hive_acid.wire.row_writes import RowWrites

__all__ = [
    "ExplainedStatement",
    "Respelling",
    "Rewritten",
    "RowWrites",
    "TargetColumns",
    "find_explained",
    "find_operator_statement",
    "redact",
    "respell",
    "rewrite_statement",
]
