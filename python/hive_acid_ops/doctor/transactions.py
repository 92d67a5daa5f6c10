"""Open transactions that hold things up: the Cleaner of the whole metastore, and compactions of what they write."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hive_acid.api.statements import (
    OUR_AGENT,
    HeldLock,
    LockKind,
    LockState,
    TransactionInfo,
    TransactionState,
    describe_owner,
)
from hive_acid_ops.doctor.ages import format_age
from hive_acid_ops.doctor.finding import Finding, FindingKind, Subject

OLD_MS = 3_600_000
"""From which age on an open transaction is worth a word."""
_LOCKS_TOLD = 3
_MISSED_TIMEOUTS = 3
"""After so many the metastore would have ended it if anything did: its reaper runs every 3 minutes (3.1) or 1 (4.x)."""


def find_held_up(
    infos: Sequence[TransactionInfo], locks: Sequence[HeldLock], timeout_ms: int, now_ms: int
) -> Iterator[Finding]:
    """Open transactions without a heartbeat, and those open for an hour or more; by ID, so the oldest first.

    `timeout_ms` is how long one lives without a heartbeat; `now_ms` is the time here, which may differ from there.
    """
    for info in sorted(infos, key=lambda each: each.id):
        if info.state is TransactionState.OPEN and info.started_ms:
            held = [lock for lock in locks if lock.txn_id == info.id]
            silent_ms = now_ms - (info.last_heartbeat_ms or info.started_ms)
            if silent_ms >= _MISSED_TIMEOUTS * timeout_ms:
                yield _build_dead(info, held, silent_ms, now_ms)
            elif now_ms - info.started_ms >= OLD_MS:
                yield _build_old(info, held, now_ms)


def _build_dead(info: TransactionInfo, held: Sequence[HeldLock], silent_ms: int, now_ms: int) -> Finding:
    detail = f"{_describe(info, held, now_ms)}; no heartbeat for {format_age(silent_ms)}"
    cure = (
        f"ABORT TRANSACTIONS {info.id}; and have the metastore do so by itself: metastore.housekeeping.threads.on=true "
        "(3.1: hive.compactor.initiator.on=true) on one of its servers"
    )
    return Finding(FindingKind.DEAD_TRANSACTION, None, None, None, detail, _find_harm(held), cure)


def _build_old(info: TransactionInfo, held: Sequence[HeldLock], now_ms: int) -> Finding:
    is_reader = bool(held) and all(lock.kind is LockKind.SHARED_READ for lock in held)
    if is_reader and info.agent.startswith(OUR_AGENT):
        kind = FindingKind.LEAKED_READER
        cure = (
            "end the query, or the session if it has none: a scan outside of a query (df.rdd) keeps its transaction "
            "until the session ends, or for spark.hiveacid.reader.maxAgeMs"
        )
    else:
        kind = FindingKind.OLD_TRANSACTION
        cure = f"end its statement; or ABORT TRANSACTIONS {info.id}, after which it fails"
    return Finding(kind, None, None, None, _describe(info, held, now_ms), _find_harm(held), cure)


def find_unlocked(subject: Subject, writers: Sequence[HeldLock]) -> Iterator[Finding]:
    """Writers of another engine that change rows of the table under a lock that keeps nobody out; a lock of each."""
    for writer in writers:
        detail = f"{describe_owner(writer)} reads and writes the table under locks that exclude nobody, as Trino does"
        harm = (
            "Hive finds no conflict with it: rows that both change are doubled, or deletes lost; here it is waited for"
        )
        cure = "let one engine alone change rows of the table, or let them take turns; new rows may come from all"
        yield subject.finding(FindingKind.UNLOCKED_WRITER, detail, harm, cure)


def _find_harm(held: Sequence[HeldLock]) -> str:
    harm = "the Cleaner removes nothing that was replaced since it began"
    waited_for = any(lock.state is LockState.ACQUIRED and lock.kind is not LockKind.SHARED_READ for lock in held)
    return f"{harm}; others wait for its locks" if waited_for else harm


def _describe(info: TransactionInfo, held: Sequence[HeldLock], now_ms: int) -> str:
    who = f"{info.user} on {info.host}" + (f" ({info.agent})" if info.agent else "")
    age = format_age(now_ms - (info.started_ms or now_ms))
    objects = sorted(
        {f"{lock.kind.name} on {lock.table or lock.database} {lock.partition or ''}".rstrip() for lock in held}
    )
    more = f" and {len(objects) - _LOCKS_TOLD} more" if len(objects) > _LOCKS_TOLD else ""
    locks = f", locks: {', '.join(objects[:_LOCKS_TOLD])}{more}" if objects else ""
    return f"transaction {info.id} of {who}, open for {age}{locks}"
