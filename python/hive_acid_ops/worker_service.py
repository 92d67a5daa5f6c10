"""Workers that take compactions from the queue until they are told to stop, and what they report."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from hive_acid.api.compaction import CompactionJob, CompactionOutcome
from hive_acid.api.conditions import MetastoreUnavailable

COMPACTED, REFUSED, FAILED = "compacted", "refused", "failed"


@dataclass(frozen=True)
class Report:
    """The result of one compaction, and how long it took; `reason` is that of a failure."""

    state: str
    elapsed_ms: int
    outcome: CompactionOutcome | None = None
    reason: str = ""

    @property
    def rows(self) -> int:
        """Rows and delete events written."""
        return sum(folder.rows for folder in self.outcome.result.folders) if self.outcome else 0

    @property
    def bytes(self) -> int:
        return sum(folder.bytes for folder in self.outcome.result.folders) if self.outcome else 0

    def format_text(self) -> str:
        """A line for people."""
        if self.outcome is None:
            return f"{self.state}: {self.reason}"
        where = " ".join(filter(None, (str(self.outcome.table), self.outcome.partition)))
        made = ", ".join(self.outcome.folders) or "nothing was made"
        what = f"{self.rows} rows, {self.bytes} bytes, {self.elapsed_ms} ms"
        return f"{where}: {self.outcome.kind.value} {self.state}: {made} ({what})"

    def format_json(self) -> str:
        """For programs: one object on one line."""
        where: dict[str, object] = {}
        if found := self.outcome:
            where = {"table": str(found.table), "partition": found.partition, "type": found.kind.value}
            where["folders"] = found.folders
        counts = {"rows": self.rows, "bytes": self.bytes, "elapsed_ms": self.elapsed_ms}
        return json.dumps({"state": self.state, **where, **counts, "reason": self.reason})


class Compacts(Protocol):
    """The methods that a service needs of a worker."""

    def run_next(
        self, pool: str | None, find_reason: Callable[[CompactionJob], str | None], /
    ) -> CompactionOutcome | None: ...

    def fail_dead(self) -> list[int]: ...


@dataclass(frozen=True)
class Service:
    """Serves pools of the queue, `pools` in the order of preference; None is for entries of no pool.

    `report` is told of each compaction, from any thread, and `trouble` of a queue that gives out none: it does not
    answer, or refuses what must come before. Then there is a pause, as Hive's workers make one (Worker.run of 4.1.0).
    `dead` is told of each compaction that is given up because its worker has died: before each look into the queue,
    because the transaction of one that died outlives it by its time-out, and the queue takes no request meanwhile.
    """

    pools: Sequence[str | None]
    poll_s: float
    stop: threading.Event
    clock_ms: Callable[[], int]
    report: Callable[[Report], None]
    trouble: Callable[[Exception], None]
    dead: Callable[[int], None]

    def run(self, workers: Sequence[Compacts], once: bool) -> None:
        """Has each worker take one compaction after another, until `stop` is set; with `once`, until none is left.

        A compaction that has begun is done before this returns.
        """
        threads = [
            threading.Thread(target=self._serve, args=(worker, once), name=f"hive-acid-worker-{n}", daemon=True)
            for n, worker in enumerate(workers)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():  # a join without a limit would hold signals back
                thread.join(1.0)

    def _serve(self, worker: Compacts, once: bool) -> None:
        while not self.stop.is_set():
            try:
                for compaction_id in worker.fail_dead():
                    self.dead(compaction_id)
                found = any(self._take(worker, pool) for pool in self.pools)
            except Exception as error:  # noqa: BLE001 (the queue may answer again)
                self.trouble(error)
                found = False
            if not found and once:
                return
            if not found:
                self.stop.wait(self.poll_s)

    def _take(self, worker: Compacts, pool: str | None) -> bool:
        """Whether there was something to do. Raises what came before an entry was taken, which waits as it did."""
        started_ms = self.clock_ms()
        taken: list[CompactionJob] = []
        try:
            outcome = worker.run_next(pool, taken.append)
        except MetastoreUnavailable:
            raise
        except Exception as error:
            if not taken:
                raise
            return self._failed(started_ms, error)  # of Spark's job too: the queue has been told
        if outcome is None:
            return False
        state = REFUSED if outcome.is_refused else COMPACTED
        self.report(Report(state, self.clock_ms() - started_ms, outcome))
        return True

    def _failed(self, started_ms: int, error: Exception) -> bool:
        reason = "; ".join([str(error) or type(error).__name__, *getattr(error, "__notes__", [])])
        self.report(Report(FAILED, self.clock_ms() - started_ms, reason=reason))
        return True
