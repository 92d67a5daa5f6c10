"""Does the compactions that a session asks for at once, in the session that asks."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace

from hive_acid import config
from hive_acid.compaction.queue.liveness import is_of_statement
from hive_acid.compaction.queue.requests import NOT_NEEDED, RequestOutcome, build_outcome
from hive_acid.compaction.queue.statement_work import StatementWork
from hive_acid.compaction.queue.worker import NOTHING_TO_DO, Worker
from hive_acid.errors import HiveAcidError, build_error
from hive_acid.metastore.compaction_types import CompactionKind, CompactionRequest, RequestedCompaction
from hive_acid.metastore.protocol import Metastore
from hive_acid.older_python import add_note

IN_SESSION, IN_QUEUE = "session", "queue"


class SessionRunner:
    """A `Runner` that has the worker of the session take each statement's requests from a pool of its own.

    So a statement is given exactly what it has asked for, whatever an earlier one has left in the queue. `pool` is how
    the names of these pools begin (`STATEMENT_POOL_PREFIX` and what is the session's alone).
    On 3.1, whose queue gives nothing to others, a base is published before Hive is asked for a major compaction: that
    then finds nothing left to fold, and has the Cleaner remove what the base replaces. Minor ones are Hive's there.
    `pause_ms` raises if the statement has been cancelled.
    """

    def __init__(
        self,
        metastore: Metastore,
        build_worker: Callable[[config.Settings], Worker],
        pool: str,
        pause_ms: Callable[[int], None],
    ) -> None:
        self._metastore = metastore
        self._build_worker = build_worker
        self._pools = (f"{pool}-{number}" for number in itertools.count(1))
        self._pause_ms = pause_ms

    def prepare(
        self, requests: Sequence[CompactionRequest], settings: config.Settings, *, skips_needless: bool
    ) -> list[CompactionRequest | RequestOutcome]:
        """Requests for a pool are left to whoever serves it. One of a place at which Hive is (3.1) is not made.

        Raises HIVE_ACID_CONFIGURATION; HIVE_ACID_UNSUPPORTED_TABLE for a table that only Hive compacts: then nothing
        has been requested.
        """
        if not _is_in_session(settings):
            return list(requests)
        worker = self._build_worker(settings)
        for request in requests:
            worker.check(request)
        worker.fail_dead()
        pool = next(self._pools)
        return [
            self._prepare(worker, request, pool, skips_needless) if request.pool is None else request
            for request in requests
        ]

    def _prepare(
        self, worker: Worker, request: CompactionRequest, pool: str, skips_needless: bool
    ) -> CompactionRequest | RequestOutcome:
        if self._metastore.line.serves_workers:
            if skips_needless and not worker.has_work(request):
                return RequestOutcome(request, None, False, NOT_NEEDED, NOTHING_TO_DO)
            return replace(request, pool=pool)
        if request.kind is CompactionKind.MAJOR:
            entry = worker.publish_base(request.table, request.partition, dict(request.properties)).left_to
            if entry is not None:
                return build_outcome(request, RequestedCompaction(entry.id, entry.state, False))
        return request

    def abandon(self, requests: Sequence[CompactionRequest], settings: config.Settings, error: BaseException) -> None:
        worker = self._build_worker(settings)
        try:
            for pool in {request.pool for request in requests if is_of_statement(request.pool)}:
                while worker.fail_next(pool, "the statement that asked for it was interrupted or failed"):
                    pass
            worker.fail_dead()
        except HiveAcidError as second:
            add_note(error, f"the queue was not told of compactions that were not done: {second}")

    def tend(self, settings: config.Settings) -> None:
        self._build_worker(settings).fail_dead()

    def run(self, outcomes: Sequence[RequestOutcome], settings: config.Settings) -> list[RequestOutcome]:
        """If one fails, the others are done, and the first failure is raised then.

        `StatementWork` says what becomes of a request that was refused because there is one already: the metastore's
        own Initiator may have asked where nobody else works, and another statement's session may have died.
        An interrupt or cancellation ends it: what has not been done is marked as failed.
        """
        if not _is_in_session(settings):
            return list(outcomes)
        worker = self._build_worker(settings)
        requests = [outcome.request for outcome in outcomes]
        work = StatementWork(self._metastore, worker, outcomes, self._pause_ms)
        try:
            found = work.do()
        except BaseException as error:
            self.abandon(requests, settings, error)
            raise
        if work.failures:
            first, *others = work.failures
            for other in others:
                add_note(first, f"another one failed, too: {other}")
            self.abandon(requests, settings, first)
            raise first
        return found


def _is_in_session(settings: config.Settings) -> bool:
    where = settings.text(config.COMPACTION_RUN_IN).strip().lower()
    if where not in (IN_SESSION, IN_QUEUE):
        found = {"setting": config.COMPACTION_RUN_IN.key, "value": where, "choices": f"{IN_SESSION}, {IN_QUEUE}"}
        raise build_error("HIVE_ACID_CONFIGURATION.NOT_A_CHOICE", **found)
    return where == IN_SESSION
