"""Which partitions a statement can touch, as far as that can be told before it runs: they are locked by their names."""

from __future__ import annotations

from hive_acid import config
from hive_acid.model.table import TableDescription
from hive_acid.reading.snapshot import ScannedSnapshot
from hive_acid.transactions.validity import StatementKind, is_lockable
from hive_acid.writing.engine import Engine
from hive_acid.writing.overwrites import find_named_partitions, find_truncated
from hive_acid.writing.statement import Statement


def find_lockable_partitions(
    statement: Statement,
    table: TableDescription,
    snapshot: ScannedSnapshot,
    engine: Engine,
    token: str,
    settings: config.Settings,
) -> tuple[str, ...] | None:
    """The partitions that are locked by their names, or None if the whole table is locked.

    Raises HIVE_ACID_PARTITION_NOT_FOUND.
    """
    names = _find_foreseen(statement, table, snapshot, engine, token) if table.is_partitioned else None
    if not names or len(names) > settings.number(config.LOCK_MAX_PARTITIONS) or not all(map(is_lockable, names)):
        return None
    return names


def _find_foreseen(
    statement: Statement, table: TableDescription, snapshot: ScannedSnapshot, engine: Engine, token: str
) -> tuple[str, ...] | None:
    overwrite = statement.overwrite
    if overwrite is not None and statement.kind is StatementKind.TRUNCATE:
        return find_truncated(overwrite, table, snapshot.partition_names(table.name))
    named = find_named_partitions(overwrite, table) if overwrite is not None else None
    if named or (overwrite is not None and not overwrite.is_dynamic):
        return named
    return engine.find_partitions(token)
