"""The columns of a row-change query: one row is one change of one row of the target."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from sqlglot import exp

from hive_acid.wire.row_writes import RowWrites

CHANGE = "__change"
ROW_ID = "__row_id"
TARGET = "__target"
SOURCE = "__source"

_INCOMPARABLE = re.compile(r"\b(float|double|map)\b(?!:)")
"""0.0 and -0.0 are equal, but have different hashes; maps are not compared at all."""


class Change(IntEnum):
    """The value of `__change`.

    NOTHING is a row that was matched, but by no clause: it counts where a row that is matched twice is looked for. A
    row that goes to another partition or bucket is two changes, MOVED_AWAY where it was and MOVED_HERE where it goes.
    DELETED_BY_ANY is a delete of which any number of source rows may speak.
    """

    INSERT = 0
    UPDATE = 1
    DELETE = 2
    NOTHING = 3
    MOVED_AWAY = 4
    MOVED_HERE = 5
    DELETED_BY_ANY = 6


@dataclass(frozen=True)
class TargetColumns:
    """The target's columns by name, in order: `data`, then `partition`.

    `taken` are names of columns, the source's too, that the query's own must differ from. `rehashed` are the bucketing
    columns that the statement gives new values: a row for which one of them differs moves to another bucket, or, if
    `always_moves`, any row does: then equal values may be in different buckets, or cannot be compared.
    """

    data: tuple[str, ...] = ()
    partition: tuple[str, ...] = ()
    taken: tuple[str, ...] = ()
    rehashed: tuple[str, ...] = ()
    always_moves: bool = False

    @classmethod
    def build(
        cls,
        data: Sequence[str],
        partition: Sequence[str],
        taken: Sequence[str],
        bucketing: Mapping[str, str],
        assigned: Sequence[str],
    ) -> TargetColumns:
        """`bucketing` are the types of the bucketing columns by name, `assigned` the columns with new values."""
        rehashed = tuple(name for name in bucketing if name in assigned)
        always_moves = any(_INCOMPARABLE.search(bucketing[name].lower()) for name in rehashed)
        return cls(tuple(data), tuple(partition), tuple(taken), rehashed, always_moves)

    @property
    def own_prefix(self) -> str:
        """A prefix that no column's name begins with: `__`, or more of it."""
        prefix = "__"
        while any(name.startswith(prefix) for name in self.taken):
            prefix += "_"
        return prefix


@dataclass(frozen=True)
class RowChangeQuery:
    """The query, and what it holds.

    `stays`: new versions of rows lie in the old ones' partitions, if not in their buckets, and no other rows are new.
    """

    select: exp.Query
    writes: RowWrites
    stays: bool


def build_change(change: Change) -> exp.Expr:
    """`CAST(n AS TINYINT) AS __change`."""
    return exp.alias_(build_code(change), CHANGE)


def build_code(change: Change) -> exp.Expr:
    """`CAST(n AS TINYINT)`."""
    return exp.cast(exp.Literal.number(int(change)), "TINYINT")


def build_no_row_id() -> exp.Expr:
    """`CAST(NULL AS STRUCT<…>) AS __row_id`: an inserted row has no old identity."""
    struct = exp.DataType.build("STRUCT<writeid: BIGINT, bucketid: INT, rowid: BIGINT>", dialect="spark")
    return exp.alias_(exp.cast(exp.null(), struct), ROW_ID)


def build_old_partition(partition_columns: Sequence[str], prefix: str = "__") -> list[exp.Expr]:
    """`__target.k AS __from_k` for each partition column: where the old row lies. Row IDs are unique only there."""
    return [
        exp.alias_(exp.column(name, table=TARGET, quoted=True), f"{prefix}from_{name}", quoted=True)
        for name in partition_columns
    ]


def build_old_bucketing(columns: TargetColumns, prefix: str) -> list[exp.Expr]:
    """`__target.c AS __was_c` for each bucketing column that gets a new value and can be compared with the old one."""
    names = () if columns.always_moves else columns.rehashed
    return [
        exp.alias_(exp.column(name, table=TARGET, quoted=True), f"{prefix}was_{name}", quoted=True) for name in names
    ]


def build_row_id(prefix: str = "__") -> exp.Expr:
    """`__target.ROW__ID AS __row_id`: the identity of the row that is changed."""
    return exp.alias_(exp.column("ROW__ID", table=TARGET), f"{prefix}row_id")


def build_star(relation: str) -> exp.Expr:
    """`__source.*`."""
    return exp.Column(this=exp.Star(), table=exp.to_identifier(relation))
