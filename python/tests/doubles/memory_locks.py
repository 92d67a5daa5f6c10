"""Locks of the in-memory metastore."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hive_acid.errors import build_error
from hive_acid.metastore.lock_rules import is_in_the_way
from hive_acid.metastore.types import HeldLock, LockComponent, LockKind, LockState, MetastoreLine


@dataclass
class _Request:
    lock_id: int
    txn_id: int
    components: tuple[LockComponent, ...]
    user: str
    host: str
    agent: str
    state: LockState = LockState.WAITING
    blocked_by: int | None = None
    blocked_by_component: int | None = None
    acquired_ms: int | None = None

    def held(self) -> list[HeldLock]:
        return [
            HeldLock(
                lock_id=self.lock_id,
                database=part.table.database,
                table=part.table,
                partition=part.partition,
                state=self.state,
                kind=part.kind,
                txn_id=self.txn_id,
                user=self.user,
                host=self.host,
                agent=self.agent,
                blocked_by=self.blocked_by,
                component=number,
                blocked_by_component=self.blocked_by_component,
                acquired_ms=self.acquired_ms,
            )
            for number, part in enumerate(self.components, 1)
        ]


class LockTable:
    """Requests in the order they came; a request waits for every earlier one it clashes with, granted or not."""

    def __init__(self, line: MetastoreLine) -> None:
        self._line = line
        self._requests: dict[int, _Request] = {}
        self._last_id = 0

    def add(self, txn_id: int, components: Sequence[LockComponent], user: str, host: str, agent: str) -> int:
        """Queues a request: its lock ID. Raises HIVE_ACID_INTERNAL for a kind the line does not have."""
        if self._line is MetastoreLine.HIVE_3 and any(part.kind is LockKind.EXCL_WRITE for part in components):
            raise build_error("HIVE_ACID_INTERNAL", reason="a metastore of the 3.1 line has no EXCL_WRITE locks")
        self._last_id += 1
        self._requests[self._last_id] = _Request(self._last_id, txn_id, tuple(components), user, host, agent)
        return self._last_id

    def grant(self, lock_id: int, now_ms: int) -> LockState:
        """Grants the whole request if nothing before it is in the way."""
        request = self._requests[lock_id]
        if request.state is LockState.WAITING:
            request.blocked_by, request.blocked_by_component = self._find_blocker(request) or (None, None)
            if request.blocked_by is None:
                request.state, request.acquired_ms = LockState.ACQUIRED, now_ms
        return request.state

    def _find_blocker(self, request: _Request) -> tuple[int, int] | None:
        for earlier in self._requests.values():
            if earlier.lock_id >= request.lock_id or earlier.txn_id == request.txn_id:
                continue
            for wanted in request.components:
                for number, existing in enumerate(earlier.components, 1):
                    if is_in_the_way(self._line, wanted, existing):
                        return earlier.lock_id, number
        return None

    def belongs_to(self, lock_id: int, txn_id: int) -> bool:
        """True if the transaction has this lock, granted or waiting."""
        return lock_id in self._requests and self._requests[lock_id].txn_id == txn_id

    def remove_waiting(self, lock_id: int) -> bool:
        """Takes back a waiting request, if there is one. False if the lock is granted."""
        if lock_id in self._requests and self._requests[lock_id].state is LockState.ACQUIRED:
            return False
        self._requests.pop(lock_id, None)
        return True

    def release(self, txn_id: int) -> None:
        """Removes all locks of a transaction."""
        self._requests = {id_: request for id_, request in self._requests.items() if request.txn_id != txn_id}

    def held(self) -> list[HeldLock]:
        """One entry per component."""
        return [lock for request in self._requests.values() for lock in request.held()]
