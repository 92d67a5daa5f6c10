"""The partitions that a statement can touch, as far as that can be told before it runs."""

from __future__ import annotations

from collections.abc import Sequence

from hive_acid import config
from hive_acid.transactions.validity import is_lockable
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.writing.overwrites import find_named_partitions, find_truncated
from hive_acid.writing.stages import Opened


def find_foreseen_partitions(opened: Opened) -> tuple[str, ...] | None:
    """The partitions that it can write to, or None if any can be among them.

    Raises HIVE_ACID_PARTITION_NOT_FOUND.
    """
    statement, table, overwrite = opened.statement, opened.table, opened.statement.overwrite
    if not table.is_partitioned:
        return None
    if overwrite is not None and statement.kind is StatementKind.TRUNCATE:
        return find_truncated(overwrite, table, opened.snapshot.partition_names(table.name))
    named = find_named_partitions(overwrite, table) if overwrite is not None else None
    if named or (overwrite is not None and not overwrite.is_dynamic):
        return named
    return opened.engine.find_partitions(opened.token)


def choose_lockable(foreseen: Sequence[str] | None, settings: config.Settings) -> tuple[str, ...] | None:
    """The partitions that are locked by their names, or None if the whole table is locked."""
    if not foreseen or len(foreseen) > settings.number(config.LOCK_MAX_PARTITIONS):
        return None
    return tuple(foreseen) if all(map(is_lockable, foreseen)) else None
