"""The rows of SHOW LOCKS."""

from __future__ import annotations

from collections.abc import Iterable

from hive_acid.api.statements import HeldLock, Row
from hive_acid_ops.statements.scope import ShownScope


def build_lock_rows(locks: Iterable[HeldLock], scope: ShownScope) -> list[Row]:
    """A row for each component of a lock within the scope, by lock ID (ShowLocksOperation of Hive 4.1).

    A lock on a whole database belongs to the database's scope and to none of its tables'. A lock in a transaction has
    no heartbeat of its own.
    """
    shown = [lock for lock in locks if scope.covers(lock.database, lock.table, lock.partition)]
    return [_build_row(lock) for lock in sorted(shown, key=lambda lock: (lock.lock_id, lock.component or 0))]


def _build_row(lock: HeldLock) -> Row:
    return (
        _format_id(lock.lock_id, lock.component),
        lock.database,
        lock.table.table if lock.table else None,
        lock.partition,
        lock.state.name,
        _format_id(lock.blocked_by, lock.blocked_by_component),
        lock.kind.name,
        lock.txn_id,
        lock.last_heartbeat_ms,
        lock.acquired_ms,
        lock.user,
        lock.host,
        lock.agent or None,
    )


def _format_id(lock_id: int | None, component: int | None) -> str | None:
    if lock_id is None:
        return None
    return str(lock_id) if component is None else f"{lock_id}.{component}"
