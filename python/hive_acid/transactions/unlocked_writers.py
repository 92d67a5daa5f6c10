"""Statements of other engines that change rows under a lock which keeps nobody out, and how they are met.

Trino takes SHARED_READ for whatever it does (`ThriftHiveMetastore.acquireSharedLock`). On the 4.x line it commits
without the server's search for conflicts, and on either line it does not tell the server which partitions it has
changed, so that no conflict is found there. Its UPDATE, DELETE or MERGE beside one of ours then doubles rows or loses
the delete, unless one of the two sees what the other has committed.

The locks and write IDs of such a statement tell this: it asks for a lock for writing, allocates its write ID, asks for
a second lock for reading, and only then takes its snapshot. An INSERT that does not read the table has one lock only; a
query has no write ID.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from enum import Enum

from hive_acid.metastore.types import HeldLock, LockComponent, LockKind, OperationKind
from hive_acid.model.table import TableName

OUR_AGENT = "spark-hive-acid"
"""How the agent of each transaction of this package begins."""


class Meeting(Enum):
    """Ways in which a statement of ours treats such a writer."""

    WAIT = "wait"
    REFUSE = "refuse"
    IGNORE = "ignore"


def find_guarded(components: Iterable[LockComponent]) -> tuple[LockComponent, ...]:
    """The locks of a transaction under which rows are changed and such a writer can work at the same time.

    Not those that are EXCLUSIVE, which keep readers out too.
    """
    return tuple(part for part in components if part.operation.is_conflicting and part.kind is not LockKind.EXCLUSIVE)


def build_barrier(guarded: Sequence[LockComponent]) -> tuple[LockComponent, ...]:
    """A request behind which every later one waits, granted or not, until the transaction ends.

    Requests queue in the order they came, and one for EXCLUSIVE holds up those for SHARED_READ (CheckLockFunction).
    """
    return tuple(
        replace(part, kind=LockKind.EXCLUSIVE, operation=OperationKind.NO_TXN, is_dynamic_partition_write=False)
        for part in guarded
    )


def find_suspects(
    table: TableName, locks: Iterable[HeldLock], barrier: int | None = None
) -> tuple[tuple[HeldLock, ...], ...]:
    """The locks on the table, per transaction and by its ID, of those that may read and write it so.

    They have asked for locks more than once, for SHARED_READ only. The partitions that they have locked do not matter:
    the snapshot of the first serves for all. Locks asked for after the request `barrier` wait for it, so that nothing
    has been read under them. Hive asks for all it needs in one request, or for stronger locks.
    """
    by_transaction: dict[int, list[HeldLock]] = {}
    for lock in locks:
        is_earlier = barrier is None or lock.lock_id < barrier
        if lock.table == table and lock.txn_id is not None and is_earlier and not lock.agent.startswith(OUR_AGENT):
            by_transaction.setdefault(lock.txn_id, []).append(lock)
    return tuple(
        tuple(held)
        for _, held in sorted(by_transaction.items())
        if len({lock.lock_id for lock in held}) > 1 and all(lock.kind is LockKind.SHARED_READ for lock in held)
    )
