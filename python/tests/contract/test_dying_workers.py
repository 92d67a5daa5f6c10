"""A worker dies at any call of a compaction, and the next compaction and the Cleaner of a real metastore go on.

Files are folded line by line, without Spark; all else of the worker is what `hive-acid worker` runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import pytest

from hive_acid.compaction.compactor import Compactor
from hive_acid.compaction.queue.worker import Worker
from hive_acid.config import Settings
from hive_acid.metastore.compaction_types import CompactionState
from hive_acid.metastore.types import TransactionInfo, TransactionState
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.snapshot.table_snapshot import load_states
from hive_acid.transactions.locks import Identity
from hive_acid.transactions.manager import TransactionManager
from support.disk_file_system import DiskFileSystem, LineEngine
from support.dying import Killed, Life, Mortal
from support.faults import Clock
from support.hand_compactions import Place
from support.metastore_releases import started_metastore
from support.metastore_setup import ThriftSetup, thrift_setup
from support.polling import eventually
from support.statements import keep_still

SETTINGS = {
    f"{prefix}.{name}": value
    for prefix in ("hive", "metastore")
    for name, value in {
        # releases come without one, and one that runs looks every 5 s
        "compactor.cleaner.on": "true",
        "compactor.cleaner.run.interval": "500ms",
        "acid.txn.cleaner.interval": "500ms",  # commits are forgotten soon
        # transactions of the dead end soon
        "acid.housekeeper.interval": "500ms",
        "txn.timeout": "10s",
    }.items()
}
LIMIT_S = 120.0


@pytest.fixture(
    scope="module", params=("embedded", *(pytest.param(name, marks=pytest.mark.slow) for name in ("4.1.0", "4.2.0")))
)
def setup(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ThriftSetup]:
    """A metastore whose Cleaner looks often. The embedded one is of 4.0.0."""
    folder = tmp_path_factory.mktemp("dying") / request.param
    with (
        started_metastore(request.param, folder, SETTINGS, "postgresql") as metastore,
        thrift_setup(metastore.uri) as setup,
    ):
        yield setup


def build_worker(setup: ThriftSetup, life: Life, name: str) -> Worker:
    metastore = cast("Any", Mortal(setup.metastore, life))
    file_system = cast("FileSystem", Mortal(DiskFileSystem(), life))
    settings = Settings({})
    who = Identity("tester", "testhost", "contract")
    transactions = keep_still(TransactionManager(metastore, who, settings, Clock().timing))
    worker = Worker(transactions, Compactor(metastore, file_system, LineEngine(), settings), settings, name, "test")
    life.calls.clear()
    return worker


def read_rows(place: Place) -> list[str]:
    metastore = place.metastore
    transactions = metastore.valid_transactions(0)
    write_ids = metastore.valid_write_ids([place.table], transactions)[place.table]
    file_system = cast("FileSystem", DiskFileSystem())
    (state,) = load_states(file_system, [str(place.root)], write_ids, transactions)
    files = [place.root / file.relative_path for folder in state.data_folders for file in folder.files]
    return sorted(line for file in files for line in file.read_text().splitlines())


def run_until_killed(setup: ThriftSetup, calls_left: int | None) -> tuple[Place, list[str]]:
    """A table whose compaction ended so, and the calls that were made."""
    name = f"dying_{calls_left}"
    place = Place(setup.metastore, setup.create_table(name), None, f"pool_{name}")
    for row in ("1", "2"):
        place.write(rows=f"{row}\n")
    place.request()
    life = Life()
    worker = build_worker(setup, life, f"spark-testhost-{name}")
    life.calls_left = calls_left
    try:
        outcome = worker.run_next(place.pool)
        assert outcome is not None and not outcome.is_refused
    except Killed:
        assert calls_left is not None
    return place, life.calls


def test_a_worker_that_dies_at_any_call_stands_in_nobodys_way(setup: ThriftSetup) -> None:
    _, calls = run_until_killed(setup, None)
    assert {"next_compaction", "start_compaction", "rename", "commit", "mark_compacted"} <= set(calls)
    places = {f"{index} {name}": run_until_killed(setup, index)[0] for index, name in enumerate(calls)}
    assert {name: read_rows(place) for name, place in places.items()} == {key: ["1", "2"] for key in places}
    assert eventually(lambda: not find_open(setup), LIMIT_S), "the metastore ends transactions of the dead"
    survivor = build_worker(setup, Life(), "spark-testhost-survivor")
    survivor.fail_dead()
    assert {name: read_rows(place) for name, place in places.items()} == {key: ["1", "2"] for key in places}
    for name, place in places.items():
        if CompactionState.INITIATED not in {entry.state for entry in place.entries()}:  # else nobody had taken it
            place.write(rows="3\n")
            place.request()
        outcome = survivor.run_next(place.pool)
        assert outcome is not None and outcome.folders, name
    for name, place in places.items():
        assert eventually(lambda: is_left_with_one_base(place), LIMIT_S), (name, place.folders())  # noqa: B023
        assert read_rows(place) in (["1", "2"], ["1", "2", "3"]), name


def find_open(setup: ThriftSetup) -> list[TransactionInfo]:
    return [info for info in setup.metastore.transactions() if info.state is TransactionState.OPEN]


def is_left_with_one_base(place: Place) -> bool:
    return place.is_clean() and [name[:5] for name in place.folders()] == ["base_"]
