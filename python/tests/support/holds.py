"""Statements of one process held at points of their way: a rendezvous at the metastore calls they make.

Points: `snapshot` (it has its snapshot), `lock` (it is about to ask for its lock; a reader has its snapshot), `locked`
(it has its lock), `commit` (all is written and in place).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from hive_acid.metastore.protocol import Metastore
from hive_acid.metastore.types import LockState
from hive_acid_sqltest.errors import SuiteError
from hive_acid_sqltest.session import Step

POINTS = ("snapshot", "lock", "locked", "commit")
LIMIT_SECONDS = 120.0
POLL_SECONDS = 0.02


class Progress:
    """Where one statement is. Its own thread tells, another one waits and lets it go on."""

    def __init__(self, holds: Holds, hold: str | None) -> None:
        if hold is not None and hold not in POINTS:
            raise SuiteError(f"--HOLD {hold}: no such point; there are {', '.join(POINTS)}")
        self._holds = holds
        self._hold = hold
        self._changed = threading.Condition()
        self.is_held = False
        self.has_ended = False
        self.txn_ids: set[int] = set()
        self.waiting_lock: int | None = None

    def arrive(self, point: str) -> None:
        """The statement has come to the point: returns when it may go on."""
        with self._changed:
            if point != self._hold:
                return
            self._hold, self.is_held = None, True
            self._changed.notify_all()
            assert self._changed.wait_for(lambda: not self.is_held, LIMIT_SECONDS), f"nobody continued it at {point}"

    def look_at_lock(self, lock_id: int, state: LockState, is_looked_at_again: bool) -> None:
        """The metastore's answer on a lock. One that is only asked for may be taken back at once."""
        self.waiting_lock = lock_id if state is LockState.WAITING and is_looked_at_again else None
        if state is LockState.ACQUIRED:
            self.arrive("locked")

    def end(self) -> None:
        """The statement has ended."""
        with self._changed:
            self.has_ended = True
            self._changed.notify_all()

    def go_on(self) -> None:
        """Lets it go on, and past every point to come."""
        with self._changed:
            if self.is_held:
                self.is_held = False
                self._changed.notify_all()

    def never_hold(self) -> None:
        """Lets it go on to its end."""
        with self._changed:
            self._hold = None
        self.go_on()

    def wait(self) -> Step:
        """Until it has ended, is held, or waits for a lock of a statement that is held."""
        deadline = time.monotonic() + LIMIT_SECONDS
        while time.monotonic() < deadline:
            with self._changed:
                if self._changed.wait_for(lambda: self.has_ended or self.is_held, POLL_SECONDS):
                    return Step.ENDED if self.has_ended else Step.HELD
            if self._holds.is_blocked_by_held(self):
                return Step.WAITING
        raise SuiteError(f"a statement neither ended nor was held within {LIMIT_SECONDS:.0f} s")


class Holds:
    """All statements under way, by the thread they run in."""

    def __init__(self, metastore: Metastore) -> None:
        self._metastore = metastore
        self._running: dict[int, Progress] = {}

    @contextmanager
    def running(self, progress: Progress) -> Iterator[None]:
        """Within the block this thread runs the statement."""
        self._running[threading.get_ident()] = progress
        try:
            yield
        finally:
            del self._running[threading.get_ident()]
            progress.end()

    def is_blocked_by_held(self, progress: Progress) -> bool:
        """Whether the metastore says that it waits for a held statement, perhaps by way of others that wait."""
        lock_id = progress.waiting_lock
        if lock_id is None:
            return False
        listed = sorted(self._metastore.held_locks(), key=lambda lock: lock.blocked_by or 0)
        locks = {lock.lock_id: lock for lock in listed}  # of several components the one that is blocked
        seen: set[int] = set()
        holder: int | None = None
        while lock_id is not None and lock_id not in seen and lock_id in locks:
            seen.add(lock_id)
            holder, lock_id = locks[lock_id].txn_id, locks[lock_id].blocked_by
        return any(other.is_held and holder in other.txn_ids for other in list(self._running.values()))

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Within the block the metastore client stops statements at their points."""
        wrapped = {
            "open_transaction": self._open_transaction,
            "allocate_write_id": partial(self._call_at, "snapshot"),
            "commit": partial(self._call_at, "commit"),
            "lock": self._lock,
            "check_lock": self._check_lock,
        }
        for name, call in wrapped.items():
            setattr(self._metastore, name, partial(call, getattr(self._metastore, name)))
        try:
            yield
        finally:
            for name in wrapped:
                delattr(self._metastore, name)

    def _current(self) -> Progress | None:
        return self._running.get(threading.get_ident())

    def _call_at(self, point: str, call: Callable[..., Any], *args: Any) -> Any:
        if progress := self._current():
            progress.arrive(point)
        return call(*args)

    def _open_transaction(self, call: Callable[..., int], *args: Any) -> int:
        txn_id = call(*args)
        if progress := self._current():
            progress.txn_ids.add(txn_id)
        return txn_id

    def _lock(self, call: Callable[..., tuple[int, LockState]], *args: Any) -> tuple[int, LockState]:
        lock_id, state = self._call_at("lock", call, *args)
        if progress := self._current():
            progress.look_at_lock(lock_id, state, is_looked_at_again=False)
        return lock_id, state

    def _check_lock(self, call: Callable[..., LockState], txn_id: int, lock_id: int, elapsed_ms: int) -> LockState:
        state = call(txn_id, lock_id, elapsed_ms)
        if progress := self._current():
            progress.look_at_lock(lock_id, state, is_looked_at_again=True)
        return state
