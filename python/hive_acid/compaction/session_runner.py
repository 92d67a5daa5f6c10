"""Does the compactions that a session asks for at once, in the session that asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from hive_acid import config
from hive_acid.compaction.requests import Outcome
from hive_acid.compaction.worker import Worker
from hive_acid.errors import build_error
from hive_acid.metastore.compaction_types import CompactionKind, CompactionRequest
from hive_acid.metastore.protocol import Metastore
from hive_acid.metastore.types import MetastoreLine

IN_SESSION, IN_QUEUE = "session", "queue"


class SessionRunner:
    """A `Runner` that has the worker of the session take requests from a pool that nobody else serves.

    On 3.1, whose queue gives nothing to others, a base is published before Hive is asked for a major compaction: that
    then finds nothing left to fold, and has the Cleaner remove what the base replaces. Minor ones are Hive's there.
    """

    def __init__(self, metastore: Metastore, build_worker: Callable[[config.Settings], Worker], pool: str) -> None:
        self._metastore = metastore
        self._build_worker = build_worker
        self._pool = pool

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
        return [self._prepare(worker, request) if request.pool is None else request for request in requests]

    def _prepare(self, worker: Worker, request: CompactionRequest) -> CompactionRequest:
        if self._metastore.line is MetastoreLine.HIVE_4:
            return replace(request, pool=self._pool)
        if request.kind is CompactionKind.MAJOR:
            worker.publish_base(request.table, request.partition)
        return request

    def run(self, outcomes: Sequence[Outcome], settings: config.Settings) -> None:
        """See `Runner`. If one fails, the others are done, and the first failure is raised then.

        An interrupt ends it: what has not been done is marked as failed.
        """
        worker = self._build_worker(settings)
        ours = [outcome for outcome in outcomes if outcome.accepted and outcome.request.pool == self._pool]
        failures: list[Exception] = []
        done = 0
        try:
            for _ in ours:
                try:
                    worker.run_next(self._pool)
                except Exception as error:  # noqa: BLE001 (it is raised below)
                    failures.append(error)
                done += 1
        except BaseException:
            for _ in ours[done + 1 :]:
                worker.fail_next(self._pool, "the session that asked for it was interrupted")
            raise
        if failures:
            raise failures[0]


def _is_in_session(settings: config.Settings) -> bool:
    where = settings.text(config.COMPACTION_RUN_IN).strip().lower()
    if where not in (IN_SESSION, IN_QUEUE):
        reason = f"{config.COMPACTION_RUN_IN.key} is {where!r}, neither {IN_SESSION} nor {IN_QUEUE}"
        raise build_error("HIVE_ACID_CONFIGURATION", reason=reason)
    return where == IN_SESSION
