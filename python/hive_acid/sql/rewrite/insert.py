"""INSERT to row changes."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from hive_acid.sql.row_changes import SOURCE, Change, build_change, build_no_row_id


def rewrite_insert(statement: exp.Insert, partition_columns: Sequence[str]) -> exp.Select:
    """`INSERT INTO __target SELECT * FROM __source` → each row of the source, as an insert.

    The source's columns are the target's already, in order (partition columns last) and cast: Spark's store assignment
    did that.
    """
    star = exp.Column(this=exp.Star(), table=exp.to_identifier(SOURCE))
    return exp.select(build_change(Change.INSERT), build_no_row_id(), star).from_(SOURCE)
