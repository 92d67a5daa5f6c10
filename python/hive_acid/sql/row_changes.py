"""The columns of a row-change query: one row is one change of one row of the target."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from sqlglot import exp

CHANGE = "__change"
ROW_ID = "__row_id"
TARGET = "__target"
SOURCE = "__source"


class Change(IntEnum):
    """The value of `__change`."""

    INSERT = 0
    UPDATE = 1
    DELETE = 2
    NOTHING = 3


def build_change(change: Change) -> exp.Expr:
    """`CAST(n AS TINYINT) AS __change`."""
    return exp.alias_(exp.cast(exp.Literal.number(int(change)), "TINYINT"), CHANGE)


def build_no_row_id() -> exp.Expr:
    """`CAST(NULL AS STRUCT<…>) AS __row_id`: an inserted row has no old identity."""
    struct = exp.DataType.build("STRUCT<writeid: BIGINT, bucketid: INT, rowid: BIGINT>", dialect="spark")
    return exp.alias_(exp.cast(exp.null(), struct), ROW_ID)


def build_old_partition(partition_columns: Sequence[str]) -> list[exp.Expr]:
    """`__target.k AS __from_k` for each partition column: where the old row lies. Row IDs are unique only there."""
    return [
        exp.alias_(exp.column(name, table=TARGET, quoted=True), f"__from_{name}", quoted=True)
        for name in partition_columns
    ]


def build_row_id() -> exp.Expr:
    """`__target.ROW__ID AS __row_id`: the identity of the row that is changed."""
    return exp.alias_(exp.column("ROW__ID", table=TARGET), ROW_ID)
