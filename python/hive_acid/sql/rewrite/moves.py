"""Updated rows that go to another partition: a delete where they were and an insert where they go."""

from __future__ import annotations

from sqlglot import exp

from hive_acid.sql.row_changes import Change, TargetColumns, build_code


def build_with_moves(changes: exp.Select, columns: TargetColumns) -> exp.Select:
    """The MIXED row changes of `changes`, in which each update of a row that moves has become two rows.

    The columns of `changes` begin with the own prefix, but for those that are named as the target's.
    """
    prefix = columns.own_prefix
    change, part, row_id = (exp.column(f"{prefix}{name}") for name in ("change", "part", "row_id"))
    stays = exp.and_(
        *(
            exp.NullSafeEQ(
                this=exp.column(f"{prefix}from_{name}", quoted=True), expression=exp.column(name, quoted=True)
            )
            for name in columns.partition
        )
    )
    moves = exp.and_(exp.EQ(this=change, expression=build_code(Change.UPDATE)), exp.not_(stays))
    parts = exp.If(
        this=moves,
        true=exp.Array(expressions=[build_code(Change.MOVED_AWAY), build_code(Change.MOVED_HERE)]),
        false=exp.Array(expressions=[change]),
    )
    identity = exp.If(this=exp.EQ(this=part, expression=build_code(Change.MOVED_HERE)), true=exp.null(), false=row_id)
    kept = [
        exp.column(name, quoted=True)
        for name in (*(f"{prefix}from_{name}" for name in columns.partition), *columns.data, *columns.partition)
    ]
    exploded = exp.Lateral(
        this=exp.Explode(this=parts),
        view=True,
        alias=exp.TableAlias(this=exp.to_identifier(f"{prefix}parts"), columns=[exp.to_identifier(f"{prefix}part")]),
    )
    query = exp.select(exp.alias_(part, f"{prefix}change"), exp.alias_(identity, f"{prefix}row_id"), *kept)
    query = query.from_(changes.subquery(f"{prefix}changes"))
    query.append("laterals", exploded)
    return query
