"""The compaction queue of the metastore as the layers above see it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hive_acid.metastore.compaction_types import (
    AbortedCompaction,
    CompactionInfo,
    CompactionJob,
    CompactionKind,
    CompactionRequest,
    RequestedCompaction,
)


class CompactionQueue(Protocol):
    """The calls to the compaction queue; the worker's side is that of 4.x, and 3.1 has none of it.

    A worker calls `next_compaction`, `open_compaction`, `start_compaction`, does the work, then commits
    the transaction and calls `mark_compacted`, or else `mark_failed` and aborts it; if there is nothing to do,
    `mark_refused`.
    """

    def request_compaction(self, request: CompactionRequest) -> RequestedCompaction:
        """Puts it into the queue; not accepted if there is one like it already."""
        ...

    def compactions(self) -> list[CompactionInfo]:
        """The queue and its history, the latest first, as far as the metastore has not forgotten it."""
        ...

    def abort_compactions(self, ids: Sequence[int]) -> list[AbortedCompaction]:
        """Takes out of the queue those that nobody has begun: an answer for each, in the order given.

        Raises HIVE_ACID_INTERNAL on 3.1, which has no such call.
        """
        ...

    def next_compaction(self, worker: str, version: str, pool: str | None) -> CompactionJob | None:
        """An entry of the pool (None: of no pool) to be done by `worker`, named `host-name`; None if there is none.

        Raises HIVE_ACID_INTERNAL on 3.1, as all calls of a worker do.
        """
        ...

    def open_compaction(self, user: str, host: str, agent: str, kind: CompactionKind) -> int:
        """The ID of a transaction whose commit makes the compaction's result visible. It needs no write ID."""
        ...

    def start_compaction(self, job: CompactionJob, txn_id: int) -> None:
        """Records the transaction, the user and the highest write ID, which must be set."""
        ...

    def mark_compacted(self, job: CompactionJob) -> None:
        """The work is done and committed: the Cleaner removes what it replaced."""
        ...

    def mark_failed(self, job: CompactionJob) -> None:
        """The work failed for the reason in `job.error`."""
        ...

    def mark_refused(self, job: CompactionJob) -> None:
        """There was nothing to do, for the reason in `job.error`."""
        ...

    def abort_transactions(self, txn_ids: Sequence[int]) -> None:
        """Aborts open transactions of any client, all in one call; those that have ended are passed over."""
        ...
