"""Eight clients in three processes, which are paused and killed, as is the metastore: no read shows a wrong row.

How long it takes is counted from the moment when all processes are there. `HIVE_ACID_CONCURRENCY_SECONDS=n` makes the
run longer: it is then made of rounds, each judged by itself, after which the tables are emptied for the next one.
`HIVE_ACID_CONCURRENCY_METASTORES="4.0.0 3.1.3"` chooses the metastores, `HIVE_ACID_CONCURRENCY_SEED=n` other processes
to be disturbed. The history of a round is a file `history-n` in the scratch folder of the run.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count as count_from
from pathlib import Path

import pytest

from hive_acid.local import EmbeddedMetastore
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.model.names import STAGING_PREFIX
from hive_acid.model.table import TableName
from support.client_history import HistoryFile, Operation, Outcome, Workload, read_history
from support.drivers import TXN_TIMEOUT_SECONDS, open_transactions, quick_settings, wait_until
from support.history_checker import find_faults
from support.metastore_releases import EMBEDDED_VERSION, started_version
from support.nemesis import Nemesis
from support.session_process import SessionProcess
from support.spark_target import EMPTIED, TABLES, ClientProcess, SparkTarget
from support.workloads import OPENING, Client

LOG = logging.getLogger(__name__)
SECONDS = os.environ.get("HIVE_ACID_CONCURRENCY_SECONDS")
METASTORES = os.environ.get("HIVE_ACID_CONCURRENCY_METASTORES", EMBEDDED_VERSION).split()
SEED = int(os.environ.get("HIVE_ACID_CONCURRENCY_SEED", "5"))
ROUND_SECONDS = 600.0
"""The longest round: a read shows all rows, so that a history grows with the square of its length."""
PLACES = (
    (Workload.APPEND, Workload.BANK, Workload.UNIQUE),
    (Workload.APPEND, Workload.BANK, Workload.UNIQUE),
    (Workload.BANK, Workload.UNIQUE),
)
"""The clients of each process."""
SETTINGS = {
    "spark.driver.memory": "700m",
    "spark.sql.shuffle.partitions": "2",
    "spark.hiveacid.lock.pollMaxMs": "200",
    "spark.hiveacid.lock.timeoutMs": "30000",
}
ASKS_NOT_FOR_LONG = {"spark.hiveacid.commit.resolveTimeoutMs": "500"}
"""The last process does not wait for the metastore to come back before it says that a commit is unknown."""
GAP_SECONDS = 5.0
ZOMBIE_SECONDS = TXN_TIMEOUT_SECONDS + 3.0
"""After such a pause a client's transactions have been ended, and their locks are others'."""
REST_SECONDS = 0.2
"""Between two operations of a client, so that a process that starts finds a core."""
FEWEST_OK, MORE_SECONDS = 8, 180.0
"""Of each workload, both writes and reads: a run in which fewer succeed shows nothing, and goes on."""
TABLE_NAMES = tuple(TableName("default", name) for name in ("appended", "accounts", "distinct_keys"))


@dataclass
class Run:
    """The metastore and the processes."""

    metastore: EmbeddedMetastore
    client: ThriftMetastore
    places: Sequence[ClientProcess]

    def empty(self) -> None:
        """The tables are as at the beginning."""
        for statement in EMPTIED:
            self.places[0].session.sql(statement)

    def staging(self) -> set[Path]:
        """All staging folders."""
        roots = [self.metastore.warehouse / name.table for name in TABLE_NAMES]
        assert all(root.is_dir() for root in roots)
        return {path for root in roots for path in root.glob(f"{STAGING_PREFIX}*")}

    def assert_nothing_open(self) -> None:
        """No transaction and no lock, soon: those of killed clients time out, of the others nothing may be left.

        A process that lives keeps what it has forgotten to end alive for ever.
        """
        wait_until(lambda: not open_transactions(self.client), "all transactions have ended")
        assert [lock for name in TABLE_NAMES for lock in self.client.held_locks(name)] == []


@contextmanager
def start_run(scratch: Path, started: AbstractContextManager[EmbeddedMetastore]) -> Iterator[Run]:
    """All of it, with empty tables."""
    with ExitStack() as stack:
        metastore = stack.enter_context(started)

        def start(folder: Path, number: int) -> SessionProcess:
            settings = SETTINGS | (ASKS_NOT_FOR_LONG if number == len(PLACES) - 1 else {})
            return SessionProcess(folder, metastore.uri, metastore.warehouse, settings)

        places = []
        for number in range(len(PLACES)):
            place = ClientProcess(lambda folder, number=number: start(folder, number), scratch / f"process-{number}")
            stack.callback(place.close)
            places.append(place)
        for statement in TABLES:
            places[0].session.sql(statement)
        for place in places:
            place.session.wait_started()
        client = ThriftMetastore(metastore.uri)
        stack.callback(client.close)
        yield Run(metastore, client, places)


class Progress:
    """Counts what clients have done."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._done: Counter[tuple[Workload, bool, Outcome]] = Counter()
        self._guard = threading.Lock()

    def work(self, client: Client, ended: threading.Event) -> None:
        """One operation after the other until the end."""
        while not ended.wait(REST_SECONDS):
            is_write, outcome = client.step()
            with self._guard:
                self._done[client.workload, is_write, outcome] += 1

    def is_enough(self, seconds: float) -> bool:
        """True when the time is over and enough of each kind has succeeded, or when that takes too long."""
        passed = time.monotonic() - self._began
        with self._guard:
            fewest = min(
                self._done[workload, is_write, Outcome.OK] for workload in Workload for is_write in (True, False)
            )
        return passed > seconds and (fewest >= FEWEST_OK or passed > seconds + MORE_SECONDS)


def drive(run: Run, nemesis: Nemesis, seconds: float, history: HistoryFile) -> None:
    """All clients, and what happens to them."""
    ended, progress = threading.Event(), Progress()
    clients = []
    for number, (place, workloads) in enumerate(zip(run.places, PLACES, strict=True)):
        for workload in workloads:
            name = f"{workload.value}-{number}"
            clients.append(Client(name, workload, SparkTarget(name, place), history))
    with ThreadPoolExecutor(len(clients)) as pool:
        working = [pool.submit(progress.work, client, ended) for client in clients]
        try:
            nemesis.run(
                lambda: progress.is_enough(seconds) or any(client.done() for client in working),  # none ends before
                GAP_SECONDS,
            )
        finally:
            ended.set()
        for result in working:
            result.result()


def read_afterwards(run: Run, history: HistoryFile) -> None:
    """What a session sees that was not there before, into the same history."""
    reader = SparkTarget("afterwards", run.places[0])
    for workload in Workload:
        number = history.ask(workload, "afterwards", None)
        history.end(number, Outcome.OK, reader.read(workload))


def count(history: Sequence[Operation]) -> Counter[tuple[Workload, str, str]]:
    """Operations by workload, what they were, and how they ended."""
    return Counter(
        (operation.workload, "write" if operation.write else "read", operation.outcome.value) for operation in history
    )


def run_round(run: Run, seconds: float, seed: int, path: Path) -> None:
    """A run on empty tables, judged."""
    left_by_killed: set[Path] = run.staging()
    with HistoryFile(path) as history:

        def after_a_kill() -> None:
            left_by_killed.update(run.staging())

        nemesis = Nemesis(run.places, run.metastore, ZOMBIE_SECONDS, after_a_kill, seed)
        drive(run, nemesis, seconds, history)
        read_afterwards(run, history)
        run.assert_nothing_open()
        assert run.staging() <= left_by_killed
    operations = read_history(path)
    counts = count(operations)
    LOG.info("%s", {f"{workload.value} {' '.join(rest)}": number for (workload, *rest), number in counts.items()})
    LOG.info("%s", Counter(operation.reason for operation in operations))
    LOG.info("%s", dict(nemesis.happened))
    faults = find_faults(operations, OPENING)
    assert not faults, "\n".join([f"the history is {path}", *map(str, faults[:20])])
    assert nemesis.happened.keys() == {"kill_client", "pause_shortly", "kill_metastore", "pause_for_long", "pause_jvm"}
    fewest = min(counts[workload, kind, "ok"] for workload in Workload for kind in ("write", "read"))
    assert fewest >= FEWEST_OK, counts


@pytest.mark.parametrize("version", METASTORES)
@pytest.mark.slow
@pytest.mark.parametrize("seconds", [float(SECONDS or 180.0)])
def test_no_read_shows_a_wrong_row(seconds: float, version: str, tmp_path: Path) -> None:
    with start_run(tmp_path, started_version(version, tmp_path / "metastore", quick_settings(version))) as run:
        end = time.monotonic() + seconds
        for number in count_from():
            run_round(run, min(ROUND_SECONDS, end - time.monotonic()), SEED + number, tmp_path / f"history-{number}")
            if time.monotonic() >= end:
                break
            run.empty()
