"""A session of many statements: threads, open files, memory, transactions and locks stay what they were."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from hive_acid.local import EmbeddedMetastore
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.metastore.types import TransactionState
from support.many_statements import ROUND, SPARKS_POOLS, STATEMENTS, TABLES
from support.polling import eventually
from support.processes import Usage, measure
from support.session_process import SessionProcess

pytestmark = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="reads Linux's /proc")
LOG = logging.getLogger(__name__)

POOLS_END_S = 150.0
"""A multiple of that. What Spark's cleaner and listeners still hold of ended statements, tens of MB, goes sooner."""

WARM_UP = 10
"""Rounds."""

LIMITS = {"threads": 10, "files": 15, "memory_mb": 60, "heap_mb": 40}
"""How much more there may be after the warm-up: one more thread that calls back at the same time has some connections.
A leak of one for each statement, or for each in a thread of its own, is a multiple of it.
"""

KEPT_BY_SPARK = {
    # Spark remembers its latest 1000 queries with their plans, for an interface that this session does not have
    f"spark.{name}": "20"
    for name in ("sql.ui.retainedExecutions", "ui.retainedJobs", "ui.retainedStages", "ui.retainedTasks")
}


@pytest.fixture(scope="module")
def metastore() -> Iterator[EmbeddedMetastore]:
    with EmbeddedMetastore.start() as started:
        yield started


@dataclass(frozen=True)
class State:
    """What all processes of a session have."""

    processes: dict[str, Usage]
    heap_mb: int

    def added_since(self, before: State) -> dict[str, int]:
        """What there is more, by process and kind; of the JVMs' memory only what is alive counts."""
        added = {"heap_mb": self.heap_mb - before.heap_mb}
        for name, usage in self.processes.items():
            was = before.processes[name]
            threads = (state.count_threads(but=SPARKS_POOLS) for state in (usage, was))
            added[f"{name} threads"] = next(threads) - next(threads)
            added[f"{name} files"] = usage.files - was.files
        added["Python memory_mb"] = self.processes["Python"].memory_mb - before.processes["Python"].memory_mb
        return added

    def more_threads_than(self, before: State) -> dict[str, dict[str, int]]:
        """The names of the threads that have been added, by process."""
        return {name: dict(usage.threads - before.processes[name].threads) for name, usage in self.processes.items()}


class LongSession:
    """A session process, and the metastore that it alone uses."""

    def __init__(self, session: SessionProcess, metastore: EmbeddedMetastore) -> None:
        jvm_pid, python_pid = session.process_ids
        self._session = session
        self._uri = metastore.uri
        self._pids = {"JVM": jvm_pid, "Python": python_pid, "metastore": metastore.process_ids["metastore"]}

    def create_tables(self) -> None:
        for text in TABLES:
            self._session.sql(text)

    def run_round(self, number: int) -> None:
        """All statements, in the main thread of the program or each in a thread of its own."""
        for text in ROUND:
            thread = "own" if number % 2 else "main"
            statement = self._session.submit(text.format(n=number, d=number % 3), thread=thread)
            failure = statement.exception(300)
            assert (failure is not None) == ("on purpose" in text), failure

    def measure(self) -> State:
        heap_mb = self._session.live_heap_mb()
        state = State({name: measure(pid) for name, pid in self._pids.items()}, heap_mb)
        told = {name: (u.threads.total(), u.files, u.memory_mb) for name, u in state.processes.items()}
        LOG.info("threads, files, memory in MB: %s, %d MB of the JVM's heap alive", told, heap_mb)
        return state

    def open_at_metastore(self) -> list[object]:
        """Open transactions and locks."""
        with closing(ThriftMetastore(self._uri)) as client:
            open_ones = [info for info in client.transactions() if info.state is TransactionState.OPEN]
            return [*open_ones, *client.held_locks()]

    def has_idle_pools(self) -> bool:
        """True once Spark's pools have ended the threads that they started."""
        return measure(self._pids["JVM"]).count_threads(named=SPARKS_POOLS) < 50


def grown(session: LongSession, before: State) -> dict[str, object]:
    """What is beyond the limits, with the names of the threads that were added."""
    now = session.measure()
    beyond = {key: added for key, added in now.added_since(before).items() if added > LIMITS[key.split()[-1]]}
    return {**beyond, "threads": now.more_threads_than(before)} if beyond else {}


@pytest.mark.slow
def test_hundreds_of_statements_leave_nothing_behind(tmp_path: Path, metastore: EmbeddedMetastore) -> None:
    """After a warm-up, which brings all that is used again."""
    rounds = range(1, STATEMENTS // len(ROUND) + 1)
    with SessionProcess(tmp_path / "session", metastore.uri, metastore.warehouse, KEPT_BY_SPARK) as process:
        session = LongSession(process, metastore)
        session.create_tables()
        for number in rounds[:WARM_UP]:
            session.run_round(number)
        before = session.measure()
        for number in rounds[WARM_UP:]:
            session.run_round(number)
            if number % 5 == 0:
                session.measure()
        assert eventually(lambda: not grown(session, before), POOLS_END_S), grown(session, before)
        assert eventually(lambda: not session.open_at_metastore()), session.open_at_metastore()
        assert eventually(session.has_idle_pools, POOLS_END_S)
