"""Locks that are in the way of a lock request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hive_acid.metastore.lock_rules import is_in_the_way
from hive_acid.metastore.types import HeldLock, LockComponent, MetastoreLine


def find_blockers(
    line: MetastoreLine, wanted: Sequence[LockComponent], locks: Iterable[HeldLock], own_txn_id: int | None
) -> tuple[HeldLock, ...]:
    """The locks, granted or waiting, that a request for the wanted ones made now would wait for.

    Waiting ones came earlier and are served first. The locks of `own_txn_id` do not count.
    """
    return tuple(
        lock
        for lock in locks
        if (lock.txn_id is None or lock.txn_id != own_txn_id)
        and any(is_in_the_way(line, component, lock) for component in wanted)
    )


def describe_owner(lock: HeldLock) -> str:
    """The client that holds or waits for the lock, for messages."""
    return f"transaction {lock.txn_id} of {lock.user} on {lock.host} ({lock.agent}, {lock.kind.value})"
