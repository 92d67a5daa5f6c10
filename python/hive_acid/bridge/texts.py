"""The questions of the shim about texts alone."""

from __future__ import annotations

from typing import Final

from hive_acid.bridge.answers import Answering, answered
from hive_acid.model.table import TableKind
from hive_acid.sql.canonical import rewrite_statement
from hive_acid.sql.dropped_partitions import find_partition_drop
from hive_acid.sql.explain_acid import find_explained
from hive_acid.sql.hive_syntax import respell
from hive_acid.sql.operator_parsing import find_operator_statement
from hive_acid.sql.operator_statements import describe_statement
from hive_acid.sql.row_changes import TargetColumns
from hive_acid.sql.translation import translate
from hive_acid.wings import is_there, load_wing
from hive_acid.wire.operators import OperatorStatement
from hive_acid.wire.rewriting import (
    ExplainedStatement,
    Hint,
    PartitionDrop,
    Respelling,
    RewriteRequest,
    RewrittenStatement,
    Translation,
)
from hive_acid.wire.row_writes import RowWrites
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.writing.table_rules import refuse_row_changes

_HINTS: Final = "hive_acid_ops.hints"


class TextAnswers(Answering):
    """The part of `hiveacid.python.PythonApi` that asks no metastore."""

    @answered
    def rewrite(self, asked: RewriteRequest) -> RewrittenStatement:
        """Canonical statement to row-change query."""
        columns = TargetColumns.build(
            asked.data_columns, asked.partition_columns, asked.taken, asked.bucketing, asked.assigned
        )
        rewritten = rewrite_statement(asked.statement, columns)
        if rewritten.writes is not RowWrites.INSERTS:
            word = asked.statement.split()[0]
            operation = StatementKind.REPLACE.title if word == StatementKind.INSERT.title else word
            refuse_row_changes(operation, str(asked.table), TableKind.of(asked.properties))
        return rewritten

    @answered
    def respelling(self, text: str) -> Respelling | None:
        """The text, in Hive's spelling, as Spark's parser takes it, but for lists of columns; None if it is none."""
        return respell(text)

    @answered
    def explainedStatement(self, text: str) -> ExplainedStatement | None:  # noqa: N802 (the trait's name)
        """The statement behind EXPLAIN ACID; None if the text does not begin so."""
        return find_explained(text)

    @answered
    def operatorStatement(self, text: str) -> OperatorStatement | None:  # noqa: N802 (the trait's name)
        """A statement about transactions, locks or compactions; None if the text does not begin like one."""
        found = find_operator_statement(text)
        return describe_statement(found.statement, found.explained, found.is_foreign) if found else None

    @answered
    def translation(self, text: str) -> Translation | None:
        """The statement of Spark that says the same; None if there is none."""
        return translate(text)

    @answered
    def partitionDrop(self, text: str) -> PartitionDrop | None:  # noqa: N802 (the trait's name)
        """An ALTER TABLE … DROP PARTITION with comparisons; None if the text is none."""
        return find_partition_drop(text)

    @answered
    def hint(self, text: str) -> Hint | None:
        """The Hint of a statement of other engines, which Spark's parser has refused; None if it is none."""
        found: Hint | None = load_wing(_HINTS, "a hint").find_hint(text) if is_there(_HINTS) else None
        return found
