"""INSERT to row changes."""

from __future__ import annotations

from sqlglot import exp

from hive_acid.sql.row_changes import SOURCE, Change, RowChangeQuery, TargetColumns, build_change, build_no_row_id
from hive_acid.wire.row_writes import RowWrites


def rewrite_insert(statement: exp.Insert, columns: TargetColumns) -> RowChangeQuery:
    """`INSERT INTO __target SELECT * FROM __source` → each row of the source, as an insert.

    The source's columns are the target's already, in order (partition columns last) and cast: Spark's store assignment
    did that.
    """
    star = exp.Column(this=exp.Star(), table=exp.to_identifier(SOURCE))
    query = exp.select(build_change(Change.INSERT), build_no_row_id(), star).from_(SOURCE)
    return RowChangeQuery(query, RowWrites.INSERTS, stays=False)
