"""Compactions put into the metastore's queue, and waiting for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from hive_acid import config
from hive_acid.compaction.queue.liveness import is_of_statement
from hive_acid.errors import HiveAcidError, MetastoreUnavailable, build_error
from hive_acid.metastore.compaction_protocol import CompactionQueue
from hive_acid.metastore.compaction_types import (
    CompactionInfo,
    CompactionKind,
    CompactionRequest,
    CompactionState,
    RequestedCompaction,
)
from hive_acid.older_python import add_note

_FORGOTTEN = "the metastore no longer lists it, as after a drop of the table"
_GOOD_ENDS = (CompactionState.READY, CompactionState.REFUSED)
"""REFUSED: there was nothing to compact any more when a worker came to it."""
NOT_NEEDED = "not needed"
"""The state of what was not requested, because there is nothing to compact: no word of the metastore's."""


@dataclass(frozen=True)
class RequestOutcome:
    """A request, what the metastore answered, and where it stands now.

    `state` is the metastore's word for it, `reason` why it was not accepted or not done, empty otherwise. One that is
    done is "ready for cleaning", whether the Cleaner has come since or not. `kind` is that of the entry, None: the one
    that was asked for.
    """

    request: CompactionRequest
    compaction_id: int | None
    accepted: bool
    state: str
    reason: str
    kind: CompactionKind | None = None

    def row(self) -> tuple[str | int | bool | None, ...]:
        """As `Compact.COLUMNS` has it."""
        table, partition = self.request.table, self.request.partition
        where = (table.database, table.table, partition, (self.kind or self.request.kind).name)
        return (*where, self.compaction_id, self.state, self.accepted, self.reason or None)


class Runner(Protocol):
    """Does the compactions that a session asks for, in that session."""

    def prepare(
        self, requests: Sequence[CompactionRequest], settings: config.Settings, *, skips_needless: bool
    ) -> Sequence[CompactionRequest | RequestOutcome]:
        """Does what must be done before they are in the queue; returns them, in order, as they are to be put there.

        In the place of one that is not to be made stands its outcome; so of those for which there is nothing to do, if
        they are to be skipped.

        `settings` are those of the session that asks.
        """
        ...

    def run(self, outcomes: Sequence[RequestOutcome], settings: config.Settings) -> Sequence[RequestOutcome]:
        """Does those of the requests that nobody else has begun.

        The outcomes, in order, under the IDs by which the queue tells what became of them.
        """
        ...

    def abandon(self, requests: Sequence[CompactionRequest], settings: config.Settings, error: BaseException) -> None:
        """Tells the queue that those have failed which nobody but the runner would do; never raises HiveAcidError.

        `error` is what ended the statement; it gets a note if the queue cannot be told.
        """
        ...

    def tend(self, settings: config.Settings) -> None:
        """Tells the queue of compactions that are waited for and whose worker has died. Called between two looks."""
        ...


class CompactionRequests:
    """Requests compactions from one metastore, runs them with `runner` if there is one, and waits for them.

    `clock_ms` rises by milliseconds from wherever it began. `pause_ms` waits so many of them, and raises
    HIVE_ACID_CANCELLED to end the wait.
    """

    def __init__(
        self,
        queue: CompactionQueue,
        clock_ms: Callable[[], int],
        pause_ms: Callable[[int], None],
        runner: Runner | None = None,
    ) -> None:
        self._queue = queue
        self._clock_ms = clock_ms
        self._pause_ms = pause_ms
        self._runner = runner

    def compact(
        self,
        requests: Sequence[CompactionRequest],
        settings: config.Settings,
        *,
        waits: bool,
        skips_needless: bool = False,
    ) -> list[RequestOutcome]:
        """The outcome of each request, in order; with `waits`, of those that were accepted once they have ended.

        `skips_needless`: nothing is put into the queue that would find nothing to do in this session.

        Raises, only when waiting and after all have ended, HIVE_ACID_COMPACTION_FAILED for the first that did not end
        well; HIVE_ACID_COMPACTION_TIMEOUT if one has not ended by the time of the setting; HIVE_ACID_CANCELLED.
        Requests stay in the queue whatever is raised.
        """
        prepared = self._prepare(requests, settings, skips_needless)
        outcomes = self._request(prepared, settings)
        try:
            if self._runner is not None:
                outcomes = list(self._runner.run(outcomes, settings))
            return self._await(outcomes, settings) if waits else self._found(outcomes)
        except BaseException as error:
            _note_requested(error, outcomes)
            raise

    def _prepare(
        self, requests: Sequence[CompactionRequest], settings: config.Settings, skips_needless: bool
    ) -> Sequence[CompactionRequest | RequestOutcome]:
        if self._runner is None:
            return requests
        return self._runner.prepare(requests, settings, skips_needless=skips_needless)

    def compact_anew(self, request: CompactionRequest, settings: config.Settings) -> RequestOutcome:
        """The outcome of a compaction that has begun after this call, once it has ended.

        The queue accepts none while another one of the same table or partition is under way. That one may have begun
        before the changes that are to be compacted: it is waited for, however it ends, and the request made again.
        Raises as `compact` does for one that waits, and HIVE_ACID_COMPACTION_FAILED for a request that is refused
        though nothing is under way.
        """
        is_refused = False
        while not (outcome := self.compact([request], settings, waits=True)[0]).accepted:
            under_way = self._find_under_way(request)
            if is_refused and not under_way:
                raise _failure(outcome)
            is_refused = not under_way  # it may have ended since; then the next request is accepted
            self._wait(under_way, settings)
        return outcome

    def _find_under_way(self, request: CompactionRequest) -> list[RequestOutcome]:
        where = (request.table, request.partition)
        return [
            RequestOutcome(request, entry.id, True, entry.state.value, "")
            for entry in self._queue.compactions()
            if (entry.table, entry.partition) == where and entry.state.is_pending
        ]

    def _request(
        self, prepared: Sequence[CompactionRequest | RequestOutcome], settings: config.Settings
    ) -> list[RequestOutcome]:
        outcomes: list[RequestOutcome] = []
        try:
            for each in prepared:
                outcome = (
                    each if isinstance(each, RequestOutcome) else build_outcome(each, send_request(self._queue, each))
                )
                outcomes.append(outcome)  # an error tells of those before it
        except BaseException as error:
            _note_requested(error, outcomes)
            if self._runner is not None:
                made = [each for each in prepared if isinstance(each, CompactionRequest)]
                self._runner.abandon(made, settings, error)
            raise
        return outcomes

    def _found(self, outcomes: Sequence[RequestOutcome]) -> list[RequestOutcome]:
        """Where they stand if somebody was at work; a request alone needs no second look."""
        return list(outcomes) if self._runner is None else self._look(outcomes)

    def _await(self, outcomes: Sequence[RequestOutcome], settings: config.Settings) -> list[RequestOutcome]:
        found = self._wait(outcomes, settings)
        for outcome in found:
            if outcome.accepted and outcome.state not in {state.value for state in _GOOD_ENDS}:
                raise _failure(outcome)
        return found

    def _wait(self, outcomes: Sequence[RequestOutcome], settings: config.Settings) -> list[RequestOutcome]:
        """Until all have ended, however they do."""
        poll_ms = settings.number(config.COMPACTION_POLL_MS)
        timeout_ms = settings.number(config.COMPACTION_WAIT_TIMEOUT_MS)
        started_ms = self._clock_ms()
        while True:
            if self._runner is not None:
                self._runner.tend(settings)
            found = self._look(outcomes)
            pending = [outcome for outcome in found if _is_pending(outcome)]
            if not pending:
                return found
            waited_ms = self._clock_ms() - started_ms
            if waited_ms >= timeout_ms:
                raise _timeout(pending[0], waited_ms)
            self._pause_ms(min(poll_ms, timeout_ms - waited_ms))

    def _look(self, outcomes: Sequence[RequestOutcome]) -> list[RequestOutcome]:
        entries = {entry.id: entry for entry in self._queue.compactions()}
        return [
            _updated(outcome, entries.get(outcome.compaction_id or 0)) if outcome.accepted else outcome
            for outcome in outcomes
        ]


def send_request(queue: CompactionQueue, request: CompactionRequest) -> RequestedCompaction:
    """The answer; if it is lost, that of the queue's list, where the pool is the statement's own."""
    try:
        return queue.request_compaction(request)
    except MetastoreUnavailable:
        if not is_of_statement(request.pool):
            raise
        asked = (request.table, request.partition, request.pool)
        for entry in queue.compactions():
            if (entry.table, entry.partition, entry.pool) == asked:
                return RequestedCompaction(entry.id, entry.state, True)
        raise


def build_outcome(request: CompactionRequest, answer: RequestedCompaction) -> RequestOutcome:
    """The metastore's answer to the request.

    3.1 gives no reason for not accepting one: there is an entry before it, which it names.
    """
    reason = answer.reason
    if not answer.accepted and not reason:
        reason = f"compaction {answer.id} of it is {answer.state.value}"
    return RequestOutcome(request, answer.id, answer.accepted, answer.state.value, reason)


def _updated(outcome: RequestOutcome, entry: CompactionInfo | None) -> RequestOutcome:
    if entry is None:
        return RequestOutcome(outcome.request, outcome.compaction_id, True, "unknown", _FORGOTTEN)
    state = CompactionState.READY if entry.state is CompactionState.SUCCEEDED else entry.state
    return RequestOutcome(outcome.request, outcome.compaction_id, True, state.value, entry.error or "", entry.kind)


def _is_pending(outcome: RequestOutcome) -> bool:
    return outcome.accepted and outcome.state in {state.value for state in CompactionState if state.is_pending}


def _note_requested(error: BaseException, outcomes: Sequence[RequestOutcome]) -> None:
    ids = [str(outcome.compaction_id) for outcome in outcomes if outcome.accepted]
    if ids:
        add_note(error, f"requested were the compactions {', '.join(ids)}, which SHOW COMPACTIONS lists")


def _where(outcome: RequestOutcome) -> str:
    partition = outcome.request.partition
    return f"{outcome.request.table} ({partition})" if partition else str(outcome.request.table)


def _describe_state(outcome: RequestOutcome) -> str:
    """Nobody can tell whether a pool is served; what no worker has begun is likely in one that is not."""
    if outcome.state != CompactionState.INITIATED.value:
        return outcome.state
    pool = f" --pools {outcome.request.pool}" if outcome.request.pool else ""
    on_3_1 = "on 3.1 a Worker of Hive alone (hive.compactor.worker.threads)"
    return f"{outcome.state} (no worker has begun it; on 4.x hive-acid worker{pool} does, {on_3_1})"


def _timeout(outcome: RequestOutcome, waited_ms: int) -> HiveAcidError:
    return build_error(
        "HIVE_ACID_COMPACTION_TIMEOUT",
        compactionId=outcome.compaction_id,
        table=_where(outcome),
        state=_describe_state(outcome),
        waitedMs=waited_ms,
        setting=config.COMPACTION_WAIT_TIMEOUT_MS.key,
    )


def _failure(outcome: RequestOutcome) -> HiveAcidError:
    return build_error(
        "HIVE_ACID_COMPACTION_FAILED",
        compactionId=outcome.compaction_id,
        table=_where(outcome),
        state=outcome.state,
        reason=outcome.reason or "the metastore gives no reason",
    )
