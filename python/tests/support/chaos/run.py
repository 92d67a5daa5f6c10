"""A chaos run: one metastore, two processes of Spark sessions, clients of rows, of tables, and of plain calls."""

from __future__ import annotations

import itertools
import json
import logging
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from hive_acid.local import EmbeddedMetastore
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.model.names import STAGING_PREFIX
from support.chaos.answers import read_rows
from support.chaos.arena import COPIES, SLOTS, Arena
from support.chaos.catalog_client import CatalogClient
from support.chaos.ddl_clients import DdlClient
from support.chaos.events import ChaosHistory, Operation
from support.chaos.plain_client import PlainClient
from support.chaos.row_clients import RowClient
from support.chaos.rows import TRANSACTIONAL
from support.client_history import Outcome
from support.drivers import open_transactions, wait_until
from support.session_process import SessionProcess

LOG = logging.getLogger(__name__)
SETTINGS = {
    "spark.driver.memory": "800m",
    "spark.sql.shuffle.partitions": "2",
    "spark.hiveacid.lock.pollMaxMs": "100",
    "spark.hiveacid.lock.timeoutMs": "15000",
    "spark.hiveacid.compaction.waitTimeoutMs": "5000",  # on 3.1 for a Worker of Hive's, of which there is none
}
REST_SECONDS, PLAIN_REST_SECONDS = 0.05, 0.5
FEWEST, MORE_SECONDS = 120, 240.0
"""Operations on rows: a run of fewer shows nothing, and goes on."""


class Client(Protocol):
    """Whoever takes part."""

    name: str

    def step(self) -> None:
        """One operation."""
        ...


@dataclass(frozen=True)
class Plan:
    """How large a run is, and what its choices follow from."""

    seconds: float
    seed: int
    processes: int = 2
    row_clients: int = 2
    """In each process, beside one that alters tables."""
    plain_clients: int = 1
    locks: float = 0.5
    """How many of the plain clients' changes take Hive's locks."""


@dataclass
class Stage:
    """The metastore and the processes of a run."""

    metastore: EmbeddedMetastore
    processes: Sequence[SessionProcess]
    arena: Arena
    client: ThriftMetastore

    def staging(self) -> list[Path]:
        """Staging folders that nobody has removed."""
        return sorted(self.metastore.warehouse.rglob(f"{STAGING_PREFIX}*"))

    def assert_nothing_open(self) -> None:
        """No transaction, no lock: nobody was killed, so nothing waits for a time-out."""
        wait_until(lambda: not open_transactions(self.client), "all transactions have ended", 30.0)
        assert self.client.held_locks() == []


@contextmanager
def start_stage(scratch: Path, metastore: AbstractContextManager[EmbeddedMetastore], plan: Plan) -> Iterator[Stage]:
    """All of it, with the tables."""
    with ExitStack() as stack:
        server = stack.enter_context(metastore)
        processes = [
            stack.enter_context(SessionProcess(scratch / f"process-{number}", server.uri, server.warehouse, SETTINGS))
            for number in range(plan.processes)
        ]
        warm_up(processes)
        history = stack.enter_context(ChaosHistory(scratch / "history"))
        processes[0].sql(f"CREATE TABLE {COPIES} (number INT, row STRING) {TRANSACTIONAL}")
        client = ThriftMetastore(server.uri)
        stack.callback(client.close)
        yield Stage(server, processes, Arena(history, scratch), client)


WARM_UP = (
    "INSERT INTO warm SELECT CAST(id AS INT), 0 FROM range(9)",
    "UPDATE warm SET v = v + 1 WHERE n = 1",
    "SELECT to_json(struct(*)) FROM warm",
)


def warm_up(processes: Sequence[SessionProcess]) -> None:
    """First statements of a session are slow."""
    processes[0].sql(f"CREATE TABLE warm (n INT, v INT) {TRANSACTIONAL}")
    with ThreadPoolExecutor(len(processes)) as pool:
        list(pool.map(lambda process: [process.sql(statement) for statement in WARM_UP], processes))


def drive(stage: Stage, plan: Plan) -> None:
    """All clients until the time is over."""
    with ExitStack() as stack:
        clients = _make_clients(stage, plan, stack)
        for client in clients:
            if isinstance(client, DdlClient):
                for slot in SLOTS:
                    client.create(slot)
        ended = threading.Event()
        with ThreadPoolExecutor(len(clients)) as pool:
            working = [pool.submit(_work, client, ended) for client in clients]
            deadline = time.monotonic() + plan.seconds
            while not _is_enough(stage, deadline) and not any(future.done() for future in working):  # none ends before
                time.sleep(0.2)
            ended.set()
            for future in working:
                future.result()


def _is_enough(stage: Stage, deadline: float) -> bool:
    over = time.monotonic() - deadline
    return over > 0 and (stage.arena.row_operations >= FEWEST or over > MORE_SECONDS)


def _work(client: Client, ended: threading.Event) -> None:
    try:
        while not ended.wait(PLAIN_REST_SECONDS if isinstance(client, PlainClient) else REST_SECONDS):
            client.step()
    except BaseException:
        LOG.exception("%s", client.name)
        raise


def _make_clients(stage: Stage, plan: Plan, stack: ExitStack) -> list[Client]:
    numbers = itertools.count()
    clients: list[Client] = []
    for place, process in enumerate(stage.processes):
        catalog = CatalogClient(stage.metastore.uri)
        stack.callback(catalog.close)
        clients.append(DdlClient(stage.arena, f"ddl-{place}", next(numbers), plan.seed, process, catalog))
        for turn in range(plan.row_clients):
            name = f"rows-{place}-{turn}"
            clients.append(RowClient(stage.arena, name, next(numbers), plan.seed, process))
    for turn in range(plan.plain_clients):
        name, uri = f"plain-{turn}", stage.metastore.uri
        plain = PlainClient(stage.arena, name, next(numbers), plan.seed, uri, plan.locks)
        stack.callback(plain.close)
        clients.append(plain)
    return clients


def look_afterwards(stage: Stage) -> None:
    """What a session sees at the end, and what was copied meanwhile, into the same history."""
    reader = RowClient(stage.arena, "afterwards", 99, 0, stage.processes[0])
    for slot in SLOTS:
        reader.read(slot)
    with ExitStack() as stack:
        plain = PlainClient(stage.arena, "afterwards", 98, 0, stage.metastore.uri, 0.0)
        stack.callback(plain.close)
        for slot in SLOTS:
            plain.look(slot)
    rows: dict[int, list[tuple[object, ...]]] = {}
    for number, *row in reader.sql(f"SELECT number, row FROM {COPIES}"):
        rows.setdefault(number, []).append(tuple(row))
    copies = [operation for operation in stage.arena.history.operations if operation.text.startswith("copy ")]
    for copy in copies:
        found = rows.pop(copy.number, [])
        if copy.outcome is Outcome.OK or found:
            stage.arena.history.look_again(copy, [read_rows(copy.text.split()[1].rstrip(":"), found)])
        told = f"{len(found)} rows"
        if (copy.outcome is Outcome.OK and copy.reason != told) or (copy.outcome is Outcome.FAILED and found):
            complaint = f"{copy.outcome.value}, {copy.reason}, and there are {told}"
            stage.arena.history.keep(replace(copy, complaint=complaint))
    assert not rows, f"copies that nobody made: {sorted(rows)}"


def count(history: Sequence[Operation]) -> Mapping[str, dict[str, int]]:
    """How operations ended, by their first words."""
    counts: dict[str, Counter[str]] = {}
    for operation in history:
        words = " ".join(word for word in operation.text.split()[:3] if word.isalpha())
        counts.setdefault(words, Counter())[operation.reason if operation.outcome is not Outcome.OK else "ok"] += 1
    return {key: dict(value) for key, value in sorted(counts.items())}


def describe(history: Sequence[Operation]) -> str:
    """The same as text."""
    return json.dumps(count(history), indent=1)
