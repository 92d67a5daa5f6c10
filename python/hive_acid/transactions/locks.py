"""Waiting for a lock, with back-off and an end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from hive_acid import config
from hive_acid.errors import HiveAcidError, build_error
from hive_acid.metastore.protocol import Metastore
from hive_acid.metastore.types import LockComponent, LockState
from hive_acid.older_python import add_note
from hive_acid.transactions.blockers import describe_owner

OUR_AGENT = "spark-hive-acid"
"""The prefix of the agent of each transaction of this package."""


@dataclass(frozen=True)
class Identity:
    """The holder of a transaction, as SHOW TRANSACTIONS and SHOW LOCKS tell others."""

    user: str
    host: str
    agent: str


def _nothing() -> None:
    return None


@dataclass(frozen=True)
class Timing:
    """The time and the pauses of statements, in milliseconds, and what ends them early.

    `pause_ms` waits between two looks at a lock, and may raise because the statement was cancelled; `resolve_pause_ms`
    waits while a lost commit is asked after, which must not be given up. `check` raises if the statement was cancelled.
    """

    clock_ms: Callable[[], int]
    pause_ms: Callable[[int], None]
    resolve_pause_ms: Callable[[int], None]
    check: Callable[[], None] = _nothing


@dataclass(frozen=True)
class Waiting:
    """How to wait: longest time, first and longest pause, all in milliseconds; time and pause are injected.

    `before_pause` is called ahead of each pause. `tell` is told whom a request waits for that has waited for two
    seconds, again at each look, and None in the end.
    """

    timeout_ms: int
    poll_min_ms: int
    poll_max_ms: int
    clock_ms: Callable[[], int]
    pause_ms: Callable[[int], None]
    before_pause: Callable[[], None]
    tell: Callable[[str | None], None] | None = None


_TOLD_MS = 2_000


def acquire(
    metastore: Metastore, txn_id: int, components: Sequence[LockComponent], identity: Identity, waiting: Waiting
) -> int:
    """Takes all components in one request; returns the lock ID.

    Raises HIVE_ACID_LOCK_TIMEOUT, which names the holder, after `waiting.timeout_ms`, and TransactionAborted if the
    transaction ends meanwhile. A waiting request is taken back on every way out but success, also on an interrupt.
    """
    started_ms = waiting.clock_ms()
    lock_id, state = metastore.lock(txn_id, components, identity.user, identity.host, identity.agent)
    pause_ms = waiting.poll_min_ms
    try:
        while state is not LockState.ACQUIRED:
            waited_ms = waiting.clock_ms() - started_ms
            if state is LockState.NOT_ACQUIRED or waited_ms >= waiting.timeout_ms:
                raise _timeout(metastore, txn_id, lock_id, components, waited_ms)
            if waiting.tell and waited_ms >= _TOLD_MS:
                with suppress(HiveAcidError):  # the statement goes on whether its holder can be told or not
                    holder = _find_holder(metastore, lock_id, components)
                    waiting.tell(f"{components[0].table}: waiting {waited_ms // 1000} s for {holder}")
            waiting.before_pause()
            waiting.pause_ms(min(pause_ms, waiting.timeout_ms - waited_ms))
            pause_ms = min(pause_ms * 2, waiting.poll_max_ms)
            state = metastore.check_lock(txn_id, lock_id, waiting.clock_ms() - started_ms)
    except BaseException as error:
        if state is LockState.WAITING:
            _take_back(metastore, lock_id, error)
        raise
    finally:
        if waiting.tell:
            waiting.tell(None)
    return lock_id


def acquire_at_once(metastore: Metastore, txn_id: int, components: Sequence[LockComponent], identity: Identity) -> bool:
    """Takes all components in one request if they are free; False if the request would have to wait: it is taken back.

    Raises what `unlock` raises: a request that stays in the queue would hold others up until its transaction ends.
    """
    lock_id, state = metastore.lock(txn_id, components, identity.user, identity.host, identity.agent)
    if state is LockState.WAITING:
        metastore.unlock(lock_id)
    return state is LockState.ACQUIRED


def _take_back(metastore: Metastore, lock_id: int, error: BaseException) -> None:
    try:
        metastore.unlock(lock_id)
    except HiveAcidError as second:
        add_note(error, f"the waiting lock {lock_id} could not be taken back and ends with its transaction: {second}")


def _timeout(
    metastore: Metastore, txn_id: int, lock_id: int, components: Sequence[LockComponent], waited_ms: int
) -> Exception:
    table = components[0].table
    return build_error(
        "HIVE_ACID_LOCK_TIMEOUT",
        txnId=txn_id,
        table=table,
        waitedMs=waited_ms,
        holder=_find_holder(metastore, lock_id, components),
        setting=config.LOCK_TIMEOUT_MS.key,
    )


def _find_holder(metastore: Metastore, lock_id: int, components: Sequence[LockComponent]) -> str:
    locks = [lock for component in components for lock in metastore.held_locks(component.table)]
    blocking = {lock.blocked_by for lock in locks if lock.lock_id == lock_id and lock.blocked_by}
    held = [lock for lock in locks if lock.lock_id in blocking] or [
        lock for lock in locks if lock.state is LockState.ACQUIRED and lock.lock_id != lock_id
    ]
    if not held:
        return "a lock that is gone by now"
    return describe_owner(held[0])
