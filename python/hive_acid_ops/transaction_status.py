"""The outcome of any client's transaction, as a value and as text."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timezone

from hive_acid.api.statements import HeldLock, LockState, TransactionInfo, TransactionState
from hive_acid.api.tables import Metastore


@dataclass(frozen=True)
class TransactionStatus:
    """`state` is None if the metastore cannot tell, `has_begun` false if it has not given out the ID yet.

    `info` is there for open and for remembered aborted transactions; `locks` only for open ones.
    """

    id: int
    state: TransactionState | None
    has_begun: bool = True
    info: TransactionInfo | None = None
    locks: tuple[HeldLock, ...] = ()


def find_status(metastore: Metastore, txn_id: int) -> TransactionStatus:
    """Asks the metastore; ends nothing. The state is that of the first answer, whatever happens meanwhile."""
    state = metastore.transaction_state(txn_id)
    if state is TransactionState.COMMITTED:
        return TransactionStatus(txn_id, state)
    if state is None:
        return TransactionStatus(txn_id, state, txn_id <= metastore.valid_transactions(0).high_water_mark)
    info = next((info for info in metastore.transactions() if info.id == txn_id), None)
    is_open = state is TransactionState.OPEN
    locks = tuple(lock for lock in metastore.held_locks() if lock.txn_id == txn_id) if is_open else ()
    return TransactionStatus(txn_id, state, info=info, locks=locks)


def format_json(status: TransactionStatus) -> str:
    """One object: `id`, `state` (open, aborted, committed, unknown), `hasBegun`, and what else is known, or null.

    Times are milliseconds since 1970 by the metastore's clock.
    """
    info = status.info
    return json.dumps(
        {
            "id": status.id,
            "state": status.state.value if status.state else "unknown",
            "hasBegun": status.has_begun,
            "user": info.user if info else None,
            "host": info.host if info else None,
            "agent": info.agent if info else None,
            "startedMs": info.started_ms if info else None,
            "lastHeartbeatMs": info.last_heartbeat_ms if info else None,
            "locks": [_lock_fields(lock) for lock in status.locks],
        }
    )


def format_text(status: TransactionStatus) -> str:
    """Lines for people: the state, what it means, what to do."""
    head = f"transaction {status.id}: "
    if status.state is TransactionState.COMMITTED:
        return head + "committed\nIts changes are visible; do not run its statement again."
    if status.state is TransactionState.ABORTED:
        return "\n".join([head + "aborted", *_who(status), "Nothing it wrote is visible; run its statement again."])
    if status.state is TransactionState.OPEN:
        advice = (
            "It may still be committed by whoever began it. Ask again once that process has ended: the metastore\n"
            "aborts a transaction that gets no heartbeat for its time-out (hive.txn.timeout)."
        )
        return "\n".join([head + "open", *_who(status), *map(_lock_line, status.locks), advice])
    if not status.has_begun:
        return head + "cannot be told\nThis metastore has not given out the ID yet: is it the one that was used?"
    return head + (
        "cannot be told\n"
        "The metastore has forgotten how it ended. It forgets a commit once what was written has been compacted and\n"
        "cleaned away (3.1: that of a transaction that wrote nothing at once), an abort once its files are removed.\n"
        "Look for its rows in the table before you run its statement again."
    )


def _who(status: TransactionStatus) -> list[str]:
    info = status.info
    if info is None:
        return []
    return [
        f"  user            {info.user}",
        f"  host            {info.host}",
        f"  agent           {info.agent}",
        f"  open since      {_time(info.started_ms)}",
        f"  last heartbeat  {_time(info.last_heartbeat_ms)}",
    ]


def _time(time_ms: int | None) -> str:
    if not time_ms:
        return "not known"
    return datetime.fromtimestamp(time_ms / 1000, timezone.utc).isoformat(" ", "seconds")


def _lock_line(lock: HeldLock) -> str:
    where = str(lock.table or lock.database) + (f" {lock.partition}" if lock.partition else "")
    waiting = "" if lock.state is LockState.ACQUIRED else f", {lock.state.value}"
    behind = f" for lock {lock.blocked_by}" if waiting and lock.blocked_by else ""
    return f"  lock            {lock.kind.name} on {where}{waiting}{behind}"


def _lock_fields(lock: HeldLock) -> dict[str, object]:
    return {
        "id": lock.lock_id,
        "database": lock.database,
        "table": lock.table.table if lock.table else None,
        "partition": lock.partition,
        "kind": lock.kind.name,
        "state": lock.state.value,
        "blockedBy": lock.blocked_by,
    }
