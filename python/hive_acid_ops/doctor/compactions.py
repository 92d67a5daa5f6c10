"""Folders that should be compacted or cleaned and are not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hive_acid.api.compaction import (
    ABORTS_BY_CLEANER,
    AFTER_COMPACTION,
    WAITING_MS,
    CompactionInfo,
    CompactionState,
    Services,
    find_cleaning_cure,
    is_of_statement,
)
from hive_acid.api.snapshots import AcidState
from hive_acid.api.tables import parse_partition_values
from hive_acid_ops.doctor.ages import find_old, format_age, is_old
from hive_acid_ops.doctor.finding import Finding, FindingKind, Subject
from hive_acid_ops.initiator.policy import Verdict

_OBSOLETE_MS = 86_400_000


def find_impatient_cleaner(service: Services) -> Iterator[Finding]:
    """The cleaner of aborted transactions of 4.x (AbortedTxnCleaner), which waits for no open transaction."""
    if service.has_cleaner and service.cleans_aborted:
        detail = "its Cleaner removes files of aborted transactions without waiting for those who read"
        harm = "statements may run again, and a query may end in HIVE_ACID_SNAPSHOT_UNAVAILABLE; no row is lost"
        cure = f"{ABORTS_BY_CLEANER}=false on its servers: such files then go with the next major compaction"
        yield Finding(FindingKind.IMPATIENT_CLEANER, None, None, None, detail, harm, cure)


def find_pile_up(
    subject: Subject, verdict: Verdict, entries: Sequence[CompactionInfo], service: Services
) -> Iterator[Finding]:
    """A table or partition past its thresholds for which nothing is under way. `entries` are its own."""
    if verdict.kind is None or any(info.state.is_pending for info in entries):
        return
    where = f" PARTITION ({_format_spec(subject.partition)})" if subject.partition else ""
    cure = f"ALTER TABLE {subject.table}{where} COMPACT '{verdict.kind.value}'"
    asker = (
        "the metastore's Initiator asks by itself" if service.has_initiator else "hive-acid initiator asks by itself"
    )
    harm = "each read opens all of them"
    yield subject.finding(FindingKind.DELTA_PILE_UP, verdict.reason, harm, f"{cure}; {asker}")


def _format_spec(partition: str) -> str:
    """`k1='v1', k2='v2'` of a partition's name."""
    keys = [part.partition("=")[0] for part in partition.split("/")]
    values = [value.replace("\\", "\\\\").replace("'", "\\'") for value in parse_partition_values(partition)]
    return ", ".join(f"{key}='{value}'" for key, value in zip(keys, values, strict=True))


def find_obsolete(
    subject: Subject, state: AcidState, entries: Sequence[CompactionInfo], service: Services, now_ms: int
) -> Iterator[Finding]:
    """Folders that were replaced a day or more ago and are still there.

    `entries` are those of the table or partition.
    """
    old = set(find_old(state.listing, state.obsolete, now_ms, _OBSOLETE_MS))
    if old:
        space = sum(f.length_bytes for f in state.listing.files if f.relative_path.split("/")[0] in old)
        waiting = next((info for info in entries if info.state is CompactionState.READY), None)
        cure = AFTER_COMPACTION if service.has_cleaner else f"no Cleaner runs; {service.cleaner_advice}"
        if waiting is not None:  # another compaction would wait behind it
            cure = f"compaction {waiting.id} is to be cleaned: {find_cleaning_cure(waiting, service)}"
        detail = f"{len(old)} folders or files that newer ones have replaced, {space} bytes"
        yield subject.finding(FindingKind.OBSOLETE_FOLDERS, detail, "only space, and time to list them", cure)


def find_stuck(
    subject: Subject, entries: Sequence[CompactionInfo], service: Services, now_ms: int
) -> Iterator[Finding]:
    """Entries of the queue that do not get on. `entries` are those of the table or partition, the latest first."""
    tried = [info for info in entries if info.state is not CompactionState.DID_NOT_INITIATE]
    if tried and tried[0].state is CompactionState.FAILED:
        reason = tried[0].error or "the metastore keeps no reason"
        detail = f"its last compaction, {tried[0].id}, failed: {reason}"
        cure = "remove the cause, then ALTER TABLE … COMPACT: after two failures nobody asks by itself"
        yield subject.finding(FindingKind.COMPACTION_FAILED, detail, "its deltas pile up", cure)
    for info in entries:
        if info.state is CompactionState.INITIATED and _has_waited(info.enqueued_ms, now_ms):
            detail = f"compaction {info.id} was asked for {_age(info.enqueued_ms, now_ms)} ago, and nobody has begun it"
            cure = f"start a worker: {find_worker(service, info.pool)}"
            yield subject.finding(FindingKind.COMPACTION_WAITS, detail, "its deltas pile up", cure)
        elif info.state is CompactionState.READY and _has_waited(_done_ms(info), now_ms):
            detail = (
                f"compaction {info.id} was done {_age(_done_ms(info), now_ms)} ago, and what it replaced is still there"
            )
            cure = find_cleaning_cure(info, service)
            yield subject.finding(FindingKind.CLEANING_WAITS, detail, "only space, and time to list it", cure)


def _done_ms(info: CompactionInfo) -> int | None:
    return info.committed_ms or info.ended_ms or info.started_ms or info.enqueued_ms


def _has_waited(since_ms: int | None, now_ms: int) -> bool:
    """False if the time is not known: 3.1 does not keep when a compaction was asked for."""
    return since_ms is not None and is_old(since_ms, now_ms, WAITING_MS)


def _age(since_ms: int | None, now_ms: int) -> str:
    return format_age(now_ms - (since_ms or now_ms))


def find_worker(service: Services, pool: str | None) -> str:
    """The service that takes entries of the pool from the queue."""
    if is_of_statement(pool):
        return "that of the session that asked, which may have gone; ALTER TABLE … COMPACT has it done by another"
    if not service.line.serves_workers:
        return "Hive's own (hive.compactor.worker.threads on a server of the metastore); no other gets it on 3.1"
    return f"hive-acid worker{f' --pools {pool}' if pool else ''}, or Hive's own"
