"""Which partitions a statement can touch, as far as that can be told before it runs: they are locked by their names."""

from __future__ import annotations

from hive_acid import config
from hive_acid.transactions.validity import is_lockable
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.writing.overwrites import find_named_partitions, find_truncated
from hive_acid.writing.statement_run import StatementRun


def find_lockable_partitions(run: StatementRun) -> tuple[str, ...] | None:
    """The partitions that are locked by their names, or None if the whole table is locked.

    Raises HIVE_ACID_PARTITION_NOT_FOUND.
    """
    names = _find_foreseen(run) if run.table.is_partitioned else None
    if not names or len(names) > run.settings.number(config.LOCK_MAX_PARTITIONS) or not all(map(is_lockable, names)):
        return None
    return names


def _find_foreseen(run: StatementRun) -> tuple[str, ...] | None:
    statement, table, overwrite = run.statement, run.table, run.statement.overwrite
    if overwrite is not None and statement.kind is StatementKind.TRUNCATE:
        return find_truncated(overwrite, table, run.snapshot.partition_names(table.name))
    named = find_named_partitions(overwrite, table) if overwrite is not None else None
    if named or (overwrite is not None and not overwrite.is_dynamic):
        return named
    return run.engine.find_partitions(run.token)
