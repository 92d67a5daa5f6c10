"""Does the compactions that a session asks for at once, in the session that asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from hive_acid import config
from hive_acid.compaction.requests import Outcome
from hive_acid.compaction.worker import CompactionOutcome, Worker
from hive_acid.errors import build_error
from hive_acid.metastore.compaction_types import CompactionKind, CompactionRequest, CompactionState
from hive_acid.metastore.protocol import Metastore
from hive_acid.metastore.types import MetastoreLine

IN_SESSION, IN_QUEUE = "session", "queue"


class SessionRunner:
    """A `Runner` that has the worker of the session take requests from a pool that nobody else serves.

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
        self._pool = pool
        self._pause_ms = pause_ms

    def prepare(self, requests: Sequence[CompactionRequest], settings: config.Settings) -> list[CompactionRequest]:
        """See `Runner`. Requests for a pool are left to whoever serves it.

        Raises HIVE_ACID_CONFIGURATION; HIVE_ACID_UNSUPPORTED_TABLE for a table that only Hive compacts: then nothing
        has been requested.
        """
        if not _is_in_session(settings):
            return list(requests)
        worker = self._build_worker(settings)
        for request in requests:
            worker.check(request)
        worker.fail_dead()
        return [self._prepare(worker, request) if request.pool is None else request for request in requests]

    def _prepare(self, worker: Worker, request: CompactionRequest) -> CompactionRequest:
        if self._metastore.line is MetastoreLine.HIVE_4:
            return replace(request, pool=self._pool)
        if request.kind is CompactionKind.MAJOR:
            worker.publish_base(request.table, request.partition, dict(request.properties))
        return request

    def run(self, outcomes: Sequence[Outcome], settings: config.Settings) -> list[Outcome]:
        """See `Runner`. If one fails, the others are done, and the first failure is raised then.

        A request that was refused because there is one already, for no pool, is done under that one's ID, after what
        lies before it in the queue: the metastore's own Initiator may have asked where nobody else works.
        An interrupt or cancellation ends it: what has not been done is marked as failed.
        """
        if not _is_in_session(settings):
            return list(outcomes)
        worker = self._build_worker(settings)
        left = sum(outcome.accepted and outcome.request.pool == self._pool for outcome in outcomes)
        failures: list[Exception] = []
        try:
            while left:
                left -= 1
                self._attempt(lambda: worker.run_next(self._pool), failures)
            found = [self._find_earlier(worker, outcome, failures) for outcome in outcomes]
        except BaseException:
            for _ in range(left):
                worker.fail_next(self._pool, "the statement that asked for it was interrupted or cancelled")
            raise
        if failures:
            for other in failures[1:]:
                failures[0].add_note(f"another one failed, too: {other}")
            raise failures[0]
        return found

    def _find_earlier(self, worker: Worker, outcome: Outcome, failures: list[Exception]) -> Outcome:
        if outcome.accepted or outcome.request.pool != self._pool:
            return outcome
        earlier = self._find_waiting(outcome.request)
        if earlier is None:
            return outcome
        while self._find_waiting(outcome.request) == earlier and self._attempt(lambda: worker.run_next(None), failures):
            pass
        return Outcome(outcome.request, earlier, True, CompactionState.INITIATED.value, "")

    def _find_waiting(self, request: CompactionRequest) -> int | None:
        """The ID of the entry for the same table or partition that any worker may take."""
        for entry in self._metastore.compactions():
            is_same = (entry.table, entry.partition) == (request.table, request.partition)
            if is_same and entry.state is CompactionState.INITIATED and entry.pool is None:
                return entry.id
        return None

    def _attempt(self, compaction: Callable[[], CompactionOutcome | None], failures: list[Exception]) -> bool:
        """False if there was none. A failure is kept, unless it is that of a cancelled statement."""
        try:
            return compaction() is not None
        except Exception as error:  # noqa: BLE001 (`run` raises it)
            failures.append(error)
            self._pause_ms(0)
            return True


def _is_in_session(settings: config.Settings) -> bool:
    where = settings.text(config.COMPACTION_RUN_IN).strip().lower()
    if where not in (IN_SESSION, IN_QUEUE):
        reason = f"{config.COMPACTION_RUN_IN.key} is {where!r}, neither {IN_SESSION} nor {IN_QUEUE}"
        raise build_error("HIVE_ACID_CONFIGURATION", reason=reason)
    return where == IN_SESSION
