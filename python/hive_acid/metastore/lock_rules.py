"""The locks of different transactions that wait for each other, by the rules of either line.

TxnHandler.checkLock of 3.1.3 (its jump table); CheckLockFunction of 4.x.
"""

from __future__ import annotations

from hive_acid.metastore.types import HeldLock, LockComponent, LockKind, MetastoreLine

_READ, _SHARED_WRITE, _EXCL_WRITE, _EXCLUSIVE = (
    LockKind.SHARED_READ,
    LockKind.SHARED_WRITE,
    LockKind.EXCL_WRITE,
    LockKind.EXCLUSIVE,
)
_WAITS_FOR = {
    MetastoreLine.HIVE_3: {
        _READ: {_EXCLUSIVE},
        _SHARED_WRITE: {_SHARED_WRITE, _EXCLUSIVE},
        _EXCLUSIVE: {_READ, _SHARED_WRITE, _EXCLUSIVE},
    },
    MetastoreLine.HIVE_4: {
        _READ: {_EXCLUSIVE},
        _SHARED_WRITE: {_EXCL_WRITE, _EXCLUSIVE},
        _EXCL_WRITE: {_SHARED_WRITE, _EXCL_WRITE, _EXCLUSIVE},
        _EXCLUSIVE: {_READ, _SHARED_WRITE, _EXCL_WRITE, _EXCLUSIVE},
    },
}


def must_wait(line: MetastoreLine, requested: LockKind, existing: LockKind) -> bool:
    """True if a request for `requested` waits for `existing` of another transaction on the same object."""
    return existing in _WAITS_FOR[line][requested]


def is_in_the_way(line: MetastoreLine, requested: LockComponent, existing: HeldLock | LockComponent) -> bool:
    """True if a request of one transaction waits for an earlier one of another, granted or not."""
    return _overlap(requested, existing) and must_wait(line, requested.kind, existing.kind)


def _overlap(requested: LockComponent, existing: HeldLock | LockComponent) -> bool:
    """A table covers its partitions, a database its tables; but who only uses a database is in nobody's way there."""
    if existing.table is None:
        is_same = isinstance(existing, HeldLock) and existing.database == requested.table.database
        return is_same and existing.kind is not _READ
    if requested.table != existing.table:
        return False
    return requested.partition is None or existing.partition is None or requested.partition == existing.partition
