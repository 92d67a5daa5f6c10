"""The compaction queue of the metastore in memory."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

from doubles.memory_transactions import Transaction, TransactionTable
from hive_acid.errors import build_error
from hive_acid.metastore.compaction_types import (
    AbortedCompaction,
    CompactionInfo,
    CompactionJob,
    CompactionKind,
    CompactionRequest,
    CompactionState,
    RequestedCompaction,
)
from hive_acid.metastore.stringable_map import format_map
from hive_acid.metastore.types import MetastoreLine, TransactionState


class CompactionEntries:
    """Entries by their IDs; nothing is cleaned or forgotten here."""

    def __init__(self, line: MetastoreLine, clock: Callable[[], int]) -> None:
        self._line = line
        self._clock = clock
        self._entries: dict[int, tuple[CompactionInfo, CompactionRequest]] = {}

    def add(self, request: CompactionRequest) -> RequestedCompaction:
        for info, _ in self._entries.values():
            if (info.table, info.partition) == (request.table, request.partition) and info.state.is_pending:
                if self._line is MetastoreLine.HIVE_3:
                    return RequestedCompaction(info.id, info.state, False)
                reason = f"Compaction is already scheduled with state='{info.state.value}' and id={info.id}"
                return RequestedCompaction(None, CompactionState.REFUSED, False, reason)
        id_ = len(self._entries) + 1
        info = CompactionInfo(
            id=id_,
            table=request.table,
            kind=request.kind,
            state=CompactionState.INITIATED,
            partition=request.partition,
            user=request.user,
            enqueued_ms=self._clock(),
            initiator=request.initiator,
            pool=request.pool,
        )
        self._entries[id_] = info, request
        return RequestedCompaction(id_, info.state, True)

    def listed(self) -> list[CompactionInfo]:
        return [info for info, _ in reversed(self._entries.values())]

    def abort(self, id_: int) -> AbortedCompaction:
        """In the words of CompactionTxnHandler.abortCompactions."""
        self.require_workers()
        if id_ not in self._entries:
            return AbortedCompaction(id_, "Error", "No Such Compaction Id Available")
        state = self._entries[id_][0].state
        if state is not CompactionState.INITIATED:
            message = f"Error while aborting compaction as compaction is in state-{state.value}"
            return AbortedCompaction(id_, "Error", message)
        self._change(id_, state=CompactionState.ABORTED)
        return AbortedCompaction(id_, "Success", "Successfully aborted compaction")

    def take(self, worker: str, version: str, pool: str | None) -> CompactionJob | None:
        self.require_workers()
        for id_, (info, request) in self._entries.items():
            if info.state is CompactionState.INITIATED and info.pool == pool:
                self._change(
                    id_,
                    state=CompactionState.WORKING,
                    worker=worker,
                    worker_version=version,
                    started_ms=self._clock(),
                )
                # the metastore does not give back whom the request named
                properties = format_map(dict(request.properties)) if request.properties else None
                return CompactionJob(
                    id_,
                    info.table,
                    info.kind,
                    info.partition,
                    None,
                    properties,
                    worker,
                    request.buckets,
                    request.order_by,
                )
        return None

    def start(self, job: CompactionJob, txn_id: int) -> None:
        if job.highest_write_id is None or job.user is None:
            raise build_error("HIVE_ACID_INTERNAL", reason="a compaction starts with a highest write ID and a user")
        self.require_workers()
        self._change(job.id, txn_id=txn_id, highest_write_id=job.highest_write_id, user=job.user)

    def note_commit(self, txn_id: int) -> None:
        """The entry that is worked at in this transaction, if there is one, tells when it was committed."""
        for info in [info for info, _ in self._entries.values() if info.txn_id == txn_id]:
            self._change(info.id, committed_ms=self._clock())

    def end(self, job: CompactionJob, state: CompactionState) -> None:
        """See `CompactionQueue.mark_compacted` and the others."""
        self.require_workers()
        worker = None if state is CompactionState.READY else job.worker
        self._change(job.id, state=state, worker=worker, error=job.error)

    def _change(self, id_: int, **changes: object) -> None:
        info, request = self._entries[id_]
        self._entries[id_] = replace(info, **changes), request  # type: ignore[arg-type]

    def require_workers(self) -> None:
        """Raises HIVE_ACID_INTERNAL on 3.1."""
        if self._line is MetastoreLine.HIVE_3:
            raise build_error("HIVE_ACID_INTERNAL", reason="a metastore of the 3.1 line lets nobody else compact")


class MemoryQueue:
    """The part of the metastore in memory about compaction."""

    _guard: threading.RLock
    _compactions: CompactionEntries
    _transactions: TransactionTable
    _end: Callable[[Transaction, TransactionState], None]
    open_transaction: Callable[[str, str, str], int]

    def request_compaction(self, request: CompactionRequest) -> RequestedCompaction:
        with self._guard:
            return self._compactions.add(request)

    def compactions(self) -> list[CompactionInfo]:
        with self._guard:
            return self._compactions.listed()

    def abort_compactions(self, ids: Sequence[int]) -> list[AbortedCompaction]:
        with self._guard:
            return [self._compactions.abort(id_) for id_ in ids]

    def next_compaction(self, worker: str, version: str, pool: str | None) -> CompactionJob | None:
        with self._guard:
            return self._compactions.take(worker, version, pool)

    def open_compaction(self, user: str, host: str, agent: str, kind: CompactionKind) -> int:
        self._compactions.require_workers()
        return self.open_transaction(user, host, agent)

    def start_compaction(self, job: CompactionJob, txn_id: int) -> None:
        with self._guard:
            self._transactions.require_open(txn_id)
            self._compactions.start(job, txn_id)

    def mark_compacted(self, job: CompactionJob) -> None:
        with self._guard:
            self._compactions.end(job, CompactionState.READY)

    def mark_failed(self, job: CompactionJob) -> None:
        with self._guard:
            self._compactions.end(job, CompactionState.FAILED)

    def mark_refused(self, job: CompactionJob) -> None:
        with self._guard:
            self._compactions.end(job, CompactionState.REFUSED)

    def abort_transactions(self, txn_ids: Sequence[int]) -> None:
        with self._guard:
            for txn_id in txn_ids:
                transaction = self._transactions.find(txn_id)
                if transaction is not None and transaction.state is TransactionState.OPEN:
                    self._end(transaction, TransactionState.ABORTED)
