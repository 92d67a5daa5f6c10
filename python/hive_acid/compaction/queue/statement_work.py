"""Does the requests of one statement, and meets entries that wait for the same tables and partitions already."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from hive_acid.compaction.queue.liveness import is_of_statement
from hive_acid.compaction.queue.requests import RequestOutcome, build_outcome, send_request
from hive_acid.compaction.queue.worker import Worker
from hive_acid.errors import HiveAcidError, MetastoreUnavailable
from hive_acid.metastore.compaction_types import (
    CompactionInfo,
    CompactionJob,
    CompactionKind,
    CompactionRequest,
    CompactionState,
)
from hive_acid.metastore.protocol import Metastore
from hive_acid.model.table import TableName

LOG = logging.getLogger(__name__)
_NO_PROPERTIES = (None, "0:")
_BY_WORK = (CompactionKind.MINOR, CompactionKind.MAJOR, CompactionKind.REBALANCE)
"""Each folds what the one before it does, and more."""


class StatementWork:
    """The work of a session for the requests of one statement.

    The queue takes one request for a table or partition at a time. One that was refused because there is an entry
    already, for no pool or for that of another statement, is met by that entry if it does what was asked for. An entry
    that does less is given up for the request, which is made anew. One that does more in another way is left.

    The queue gives out the oldest entry of a pool. So entries of others that lie before are done too, and nothing is
    taken where one of them is for Hive's workers alone: it would fail here.

    `failures` are those of the statement's own requests; `pause_ms` raises if the statement has been cancelled.
    """

    def __init__(
        self, metastore: Metastore, worker: Worker, outcomes: Sequence[RequestOutcome], pause_ms: Callable[[int], None]
    ) -> None:
        self._metastore = metastore
        self._worker = worker
        self._outcomes = outcomes
        self._pause_ms = pause_ms
        self._own = {_place(outcome.request) for outcome in outcomes}
        self._refused = {_place(outcome.request): outcome.request for outcome in outcomes if _is_refused(outcome)}
        self.failures: list[Exception] = []

    def do(self) -> list[RequestOutcome]:
        """The outcomes, in order, of what was accepted and of what was waiting."""
        for outcome in self._outcomes:
            if outcome.accepted and is_of_statement(outcome.request.pool):
                self._attempt(outcome.request.pool)
        if not self._refused:
            return list(self._outcomes)
        earlier = {_place(entry): entry for entry in self._waiting() if _is_for_us(entry)}
        return [self._meet(outcome, earlier.get(_place(outcome.request))) for outcome in self._outcomes]

    def _meet(self, outcome: RequestOutcome, entry: CompactionInfo | None) -> RequestOutcome:
        request = outcome.request
        if entry is None or not _is_refused(outcome):
            return outcome
        covers = _covers(entry.kind, request)
        if not covers and not _outdoes(request, entry.kind):
            return _leave(outcome, entry, f"it is a {entry.kind.value} one")
        if self._is_waiting(entry):  # it may have been met on the way to another one
            others = [other for other in self._find_before(entry) if not self._is_ours_to_do(other)]
            if others:
                return _leave(outcome, entry, f"it waits behind {len(others)} that only Hive's workers do")
            self._reach(entry)
        if covers:
            return RequestOutcome(request, entry.id, True, CompactionState.INITIATED.value, "", entry.kind)
        return self._request_anew(request)

    def _request_anew(self, request: CompactionRequest) -> RequestOutcome:
        outcome = build_outcome(request, send_request(self._metastore, request))
        if outcome.accepted:
            self._attempt(request.pool)
        return outcome

    def _reach(self, entry: CompactionInfo) -> None:
        """Takes the entries of the pool one by one until this one waits no more."""
        for _ in range(len(self._find_before(entry)) + 1):
            if not self._is_waiting(entry) or not self._attempt(entry.pool):
                return

    def _attempt(self, pool: str | None) -> bool:
        """False if there was none. A failure is kept, unless it is that of a cancelled statement."""
        taken: list[CompactionJob] = []

        def find_reason(job: CompactionJob) -> str | None:
            taken.append(job)
            return self._find_reason(job)

        try:
            return self._worker.run_next(pool, find_reason) is not None
        except Exception as error:  # noqa: BLE001 (the caller raises what it finds in `failures`)
            if taken and _place(taken[0]) not in self._own:
                LOG.warning("compaction %d of %s, which lay before, failed: %s", taken[0].id, taken[0].table, error)
            else:
                self.failures.append(error)
            self._pause_ms(0)
            return True

    def _find_reason(self, job: CompactionJob) -> str | None:
        """Why the entry is given up. One with wishes of its own never is."""
        request = self._refused.get(_place(job))
        if request is None or _covers(job.kind, request) or not _outdoes(request, job.kind):
            return None
        if job.properties not in _NO_PROPERTIES or job.buckets or job.order_by:
            return None
        return f"a {request.kind.value} compaction was asked for meanwhile"

    def _is_ours_to_do(self, entry: CompactionInfo) -> bool:
        """False also for a rebalance: no list tells whether it asks for an order of rows, which is for Hive alone."""
        if entry.kind not in (CompactionKind.MAJOR, CompactionKind.MINOR):
            return False
        try:
            self._worker.check(CompactionRequest(entry.table, entry.kind, entry.partition, pool=entry.pool))
        except MetastoreUnavailable:
            raise
        except HiveAcidError:
            return False
        return True

    def _find_before(self, entry: CompactionInfo) -> list[CompactionInfo]:
        """Entries that may be given out before it: for no pool, after half a day, also those of any other."""
        before = [other for other in self._waiting() if other.id < entry.id]
        return [other for other in before if entry.pool in (None, other.pool)]

    def _is_waiting(self, entry: CompactionInfo) -> bool:
        return any(found.id == entry.id for found in self._waiting())

    def _waiting(self) -> list[CompactionInfo]:
        return [entry for entry in self._metastore.compactions() if entry.state is CompactionState.INITIATED]


def _place(entry: CompactionInfo | CompactionJob | CompactionRequest) -> tuple[TableName, str | None]:
    return entry.table, entry.partition


def _is_refused(outcome: RequestOutcome) -> bool:
    return not outcome.accepted and is_of_statement(outcome.request.pool)


def _is_for_us(entry: CompactionInfo) -> bool:
    """True if it waits for any worker, or for a session that may have gone."""
    return entry.pool is None or is_of_statement(entry.pool)


def _covers(kind: CompactionKind, request: CompactionRequest) -> bool:
    """True if a compaction of this kind is what was asked for. A major one also does what a minor one does."""
    if request.properties or request.buckets or request.order_by:
        return False
    return kind is request.kind or (kind, request.kind) == (CompactionKind.MAJOR, CompactionKind.MINOR)


def _outdoes(request: CompactionRequest, kind: CompactionKind) -> bool:
    """True if the request leaves nothing to do for an entry of this kind."""
    return kind in _BY_WORK and _BY_WORK.index(kind) <= _BY_WORK.index(request.kind)


def _leave(outcome: RequestOutcome, entry: CompactionInfo, why: str) -> RequestOutcome:
    reason = f"{outcome.reason}; {why}"
    return RequestOutcome(outcome.request, entry.id, False, outcome.state, reason)
