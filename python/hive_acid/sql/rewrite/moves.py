"""Updated rows that go to another partition or bucket: a delete where they were and an insert where they go."""

from __future__ import annotations

from sqlglot import exp

from hive_acid.sql.row_changes import Change, TargetColumns, build_code


def build_with_moves(changes: exp.Select, columns: TargetColumns) -> exp.Select:
    """The MIXED row changes of `changes`, in which each update of a row that moves has become two rows.

    The columns of `changes` begin with the own prefix, but for those that are named as the target's. The values of
    `build_old_bucketing` are not kept.
    """
    prefix = columns.own_prefix
    rows = f"{prefix}changes"
    change, part, row_id = (exp.column(f"{prefix}{name}") for name in ("change", "part", "row_id"))
    pairs = [(f"{prefix}from_{name}", name) for name in columns.partition]
    pairs += [(f"{prefix}was_{name}", name) for name in columns.rehashed]
    stays = exp.and_(*(exp.NullSafeEQ(this=_column(old, rows), expression=_column(new, rows)) for old, new in pairs))
    updated = exp.EQ(this=change, expression=build_code(Change.UPDATE))
    moves = updated if columns.always_moves else exp.and_(updated, exp.not_(stays))
    parts = exp.If(
        this=moves,
        true=exp.Array(expressions=[build_code(Change.MOVED_AWAY), build_code(Change.MOVED_HERE)]),
        false=exp.Array(expressions=[change]),
    )
    identity = exp.If(this=exp.EQ(this=part, expression=build_code(Change.MOVED_HERE)), true=exp.null(), false=row_id)
    kept = [
        _column(name, rows)
        for name in (*(f"{prefix}from_{name}" for name in columns.partition), *columns.data, *columns.partition)
    ]
    exploded = exp.Lateral(
        this=exp.Explode(this=parts),
        view=True,
        alias=exp.TableAlias(this=exp.to_identifier(f"{prefix}parts"), columns=[exp.to_identifier(f"{prefix}part")]),
    )
    query = exp.select(exp.alias_(part, f"{prefix}change"), exp.alias_(identity, f"{prefix}row_id"), *kept)
    query = query.from_(changes.subquery(rows))
    query.append("laterals", exploded)
    return query


def _column(name: str, table: str) -> exp.Column:
    """With its table's name: a name alone could be that of an expression which is put in for it."""
    return exp.column(name, table=table, quoted=True)
