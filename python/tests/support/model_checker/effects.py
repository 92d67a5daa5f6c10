"""What the statements of the model do to rows: as a user understands them, and so as an engine writes them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from hive_acid.wire.row_writes import RowWrites
from hive_acid.wire.statement_kinds import StatementKind
from support.model_checker.rows import Row, Rows


@dataclass(frozen=True)
class Effect:
    """`change` gives what becomes of a row (None: it goes), `add` the rows that come, seeing those before.

    `partition`: the one that is named, if one is, so that the statement locks that.
    """

    kind: StatementKind
    writes: RowWrites
    change: Callable[[Row], Row | None]
    add: Callable[[Rows], Rows]
    partition: int | None = None
    name: str = ""

    def __str__(self) -> str:
        return self.name or self.kind.title

    def apply(self, rows: Rows) -> Rows:
        """The rows afterwards."""
        changed = (self.change(row) for row in rows)
        return tuple(sorted([*(row for row in changed if row is not None), *self.add(rows)]))


def _keep(row: Row) -> Row:
    return row


def _nothing(_: Rows) -> Rows:
    return ()


def insert(id_: int) -> Effect:
    """INSERT of one row."""
    return Effect(StatementKind.INSERT, RowWrites.INSERTS, _keep, lambda _: (Row(id_, 0),))


def update(id_: int, partition: int | None = None) -> Effect:
    """UPDATE … SET v = v + 1 WHERE id = …."""
    return Effect(
        StatementKind.UPDATE,
        RowWrites.UPDATES,
        lambda row: Row(row.id, row.v + 1) if row.id == id_ else row,
        _nothing,
        partition,
    )


def delete(id_: int, partition: int | None = None) -> Effect:
    """DELETE … WHERE id = …."""
    return Effect(
        StatementKind.DELETE, RowWrites.DELETES, lambda row: None if row.id == id_ else row, _nothing, partition
    )


def merge(id_: int) -> Effect:
    """MERGE: WHEN MATCHED UPDATE SET v = v + 10, WHEN NOT MATCHED INSERT."""
    return Effect(
        StatementKind.MERGE,
        RowWrites.MIXED,
        lambda row: Row(row.id, row.v + 10) if row.id == id_ else row,
        lambda rows: () if any(row.id == id_ for row in rows) else (Row(id_, 0),),
    )


def overwrite(id_: int, partition: int | None = None) -> Effect:
    """INSERT OVERWRITE of the table, or of the named partition, by one row."""
    return Effect(
        StatementKind.OVERWRITE,
        RowWrites.INSERTS,
        lambda row: row if partition not in (None, row.d) else None,
        lambda _: (Row(id_, 0),),
        partition,
    )


def truncate(partition: int | None = None) -> Effect:
    """TRUNCATE of the table, or of the named partition."""
    return Effect(
        StatementKind.TRUNCATE,
        RowWrites.INSERTS,
        lambda row: row if partition not in (None, row.d) else None,
        _nothing,
        partition,
    )


def replace_where(id_: int) -> Effect:
    """INSERT … REPLACE WHERE v < 5: all such rows go, one of `id_` comes."""
    return Effect(
        StatementKind.REPLACE,
        RowWrites.MIXED,
        lambda row: None if row.v < 5 else row,
        lambda _: (Row(id_, 0),),
    )


def drop_partition(partition: int) -> Effect:
    """The rows of the partition go; no statement of those that write rows."""
    return replace(truncate(partition), name="DROP PARTITION")
