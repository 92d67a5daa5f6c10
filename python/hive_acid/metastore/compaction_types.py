"""Values of the metastore's compaction queue."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from hive_acid.model.table import TableName

REFUSED_STATE = "refused"


class CompactionKind(Enum):
    """Kinds of compactions; the values are Hive's words for them.

    MINOR merges deltas into one and delete deltas into one, MAJOR everything into a base, REBALANCE (4.x) into a base
    whose buckets hold equally many rows. ABORT_CLEANUP (4.x) is no compaction: what aborted transactions left is
    removed. SMART_OPTIMIZE (since 4.1) is for tables of Iceberg, which share the queue
    (TxnUtils.dbCompactionType2ThriftType of 4.1.0). OTHER is any kind that a later release adds.
    """

    MAJOR = "major"
    MINOR = "minor"
    REBALANCE = "rebalance"
    ABORT_CLEANUP = "abort-txn-cleanup"
    SMART_OPTIMIZE = "smart-optimize"
    OTHER = "other"

    @property
    def is_ours(self) -> bool:
        """True if a worker of ours can do it."""
        return self in (CompactionKind.MAJOR, CompactionKind.MINOR, CompactionKind.REBALANCE)


class CompactionState(Enum):
    """The state of a queue entry; the values are the metastore's words.

    READY: the work is done and committed, and the Cleaner has yet to remove what it replaced. DID_NOT_INITIATE is
    called "attempted" on 3.1. UNKNOWN stands for a word that a later release adds: the work may have been done.
    """

    INITIATED = "initiated"
    WORKING = "working"
    READY = "ready for cleaning"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    DID_NOT_INITIATE = "did not initiate"
    REFUSED = REFUSED_STATE
    ABORTED = "aborted"
    UNKNOWN = "unknown"

    @property
    def is_pending(self) -> bool:
        """True if the work has not been done and may still be."""
        return self in (CompactionState.INITIATED, CompactionState.WORKING)


@dataclass(frozen=True)
class CompactionRequest:
    """An entry for the queue.

    `partition` is the metastore's name of one, None for a flat table. `properties` are table properties for this run
    alone. `pool`, `buckets` and `order_by` are known to 4.x only; None: not said. `initiator` is who asks, `host-name`.
    """

    table: TableName
    kind: CompactionKind
    partition: str | None = None
    properties: tuple[tuple[str, str], ...] = ()
    pool: str | None = None
    user: str | None = None
    buckets: int | None = None
    order_by: str | None = None
    initiator: str | None = None


@dataclass(frozen=True)
class RequestedCompaction:
    """The metastore's answer: the entry's ID and state, or the one that stands in the way.

    On 4.x `id` is None if the request was refused, and `reason` says why; on 3.1 it is that of the entry before.
    """

    id: int | None
    state: CompactionState
    accepted: bool
    reason: str = ""


@dataclass(frozen=True)
class AbortedCompaction:
    """The metastore's answer about a compaction that was to be aborted, in its words.

    `status` is "Success", or "Error" for one that has begun or is not known; `message` says which.
    """

    id: int
    status: str
    message: str


@dataclass(frozen=True)
class CompactionInfo:
    """One entry of the compaction queue or of its history, as the metastore lists it; unknown values are None.

    Times are milliseconds since 1970, by the metastore's clock. 3.1 knows no pool, transaction, initiator or error
    (`error` is then what it keeps as meta information). `kind_code` is the metastore's number of a kind OTHER.
    """

    id: int
    table: TableName
    kind: CompactionKind
    state: CompactionState
    partition: str | None = None
    worker: str | None = None
    worker_version: str | None = None
    user: str | None = None
    job_id: str | None = None
    error: str | None = None
    enqueued_ms: int | None = None
    started_ms: int | None = None
    ended_ms: int | None = None
    initiator: str | None = None
    initiator_version: str | None = None
    pool: str | None = None
    txn_id: int | None = None
    next_txn_id: int | None = None
    committed_ms: int | None = None
    highest_write_id: int | None = None
    kind_code: int | None = None


@dataclass(frozen=True)
class CompactionJob:
    """A queue entry that a worker has received (4.x), and what the worker has found out since.

    The metastore writes all of it back with each call about the entry: `user` is whom its Cleaner acts as, which fails
    for ever without one (tried on 4.0.1 and 4.1.0). `properties` are the text of `stringable_map`. `stored` are the
    fields that are only passed on, and `kind_code` is the number of a kind OTHER.
    """

    id: int
    table: TableName
    kind: CompactionKind
    partition: str | None
    user: str | None
    properties: str | None
    worker: str
    buckets: int | None = None
    order_by: str | None = None
    highest_write_id: int | None = None
    error: str | None = None
    kind_code: int | None = None
    stored: tuple[tuple[str, object], ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, entry: CompactionInfo, error: str | None = None) -> CompactionJob:
        """The job by which the metastore is told that an entry is done, or has failed for this reason."""
        return cls(
            id=entry.id,
            table=entry.table,
            kind=entry.kind,
            partition=entry.partition,
            user=entry.user,
            properties=None,
            worker=entry.worker or "",
            highest_write_id=entry.highest_write_id,
            error=error,
            kind_code=entry.kind_code,
        )
