"""Processes of `hive-acid worker` are killed at the calls of a compaction, and one that runs on does what is left."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from hive_acid.metastore.compaction_types import CompactionKind, CompactionRequest, CompactionState
from hive_acid.model.table import TableName
from support.hand_compactions import Place
from support.metastore_releases import started_version
from support.metastore_setup import ThriftSetup, thrift_setup
from support.polling import eventually
from support.session_process import SessionProcess
from support.thrift_proxy import ThriftProxy

pytestmark = [
    pytest.mark.slow,
    pytest.mark.beyond_the_gate("`unit/compaction/test_dying_workers.py`; `contract/test_dying_workers.py`"),
]

QUICK = {
    f"{prefix}.{name}": value
    for prefix in ("hive", "metastore")
    for name, value in {
        "compactor.cleaner.on": "true",
        "compactor.cleaner.run.interval": "500ms",
        "acid.txn.cleaner.interval": "500ms",
        "acid.housekeeper.interval": "500ms",
        "txn.timeout": "20s",
    }.items()
}
LIMIT_S = 180.0
BEGUN = "update_compactor_state"
POINTS = {
    "begun": (BEGUN, True),
    "written": ("commit_txn", False),
    "committed": ("commit_txn", True),
    "told": ("mark_compacted", True),
}
"""A call of a compaction at which a worker is killed, and whether the metastore has carried it out by then."""


@dataclass
class Site:
    """A metastore, a session that writes and reads, and what sets up requests."""

    uri: str
    session: SessionProcess
    setup: ThriftSetup

    def build(self, name: str) -> Place:
        """A table with deltas and a delete, whose compaction is asked for."""
        self.session.sql(f"CREATE TABLE {name} (id INT) STORED AS ORC TBLPROPERTIES ('transactional'='true')")
        self.session.sql(f"INSERT INTO {name} VALUES (1), (2)")
        self.session.sql(f"INSERT INTO {name} VALUES (3)")
        self.session.sql(f"DELETE FROM {name} WHERE id = 2")
        place = Place(self.setup.metastore, TableName("default", name), None, f"pool_{name}")
        self.request(place)
        return place

    def request(self, place: Place) -> None:
        request = CompactionRequest(place.table, CompactionKind.MAJOR, pool=place.pool, user="tester")
        assert self.setup.metastore.request_compaction(request).accepted

    def rows(self, place: Place) -> list[int]:
        return [row[0] for row in self.session.sql(f"SELECT id FROM {place.table} ORDER BY id")]


@pytest.fixture(params=["4.0.0", "4.1.0", "4.2.0"])
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Site]:
    with (
        started_version(request.param, tmp_path / "metastore", QUICK) as metastore,
        SessionProcess(tmp_path / "spark", metastore.uri, metastore.warehouse) as session,
        thrift_setup(metastore.uri) as setup,
    ):
        yield Site(metastore.uri, session, setup)


@contextmanager
def running_worker(uri: str, pools: list[str]) -> Iterator[subprocess.Popen[bytes]]:
    """Killed at the end, if it has not been before."""
    command = [sys.executable, "-m", "hive_acid.cli", "worker", "--metastore", uri, "--master", "local[1]"]
    process = subprocess.Popen([*command, "--pools", ",".join(pools)], stdout=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def kill_at(site: Site, place: Place, call: str, *, answered: bool) -> None:
    with ThriftProxy(site.uri) as proxy:
        held = proxy.hold(BEGUN, answered=True)
        with running_worker(proxy.uri, [str(place.pool)]) as worker:
            assert eventually(lambda: BEGUN in proxy.calls, LIMIT_S)
            held.wait()
            if call != BEGUN:  # calls before may have been those of a look at the dead
                begun, held = held, proxy.hold(call, answered=answered)
                begun.release()
                held.wait()
            worker.kill()
            worker.wait()
            held.drop()


def is_taken(place: Place) -> bool:
    return any(entry.state is CompactionState.WORKING for entry in place.entries())


def is_left_with_one_base(place: Place) -> bool:
    return place.is_clean() and [name[:5] for name in place.folders()] == ["base_"]


def test_what_killed_workers_had_begun_is_ended_by_one_that_runs_and_cleaned(site: Site) -> None:
    places = {point: site.build(point) for point in POINTS}
    for point, (call, answered) in POINTS.items():
        kill_at(site, places[point], call, answered=answered)
        assert site.rows(places[point]) == [1, 3], point
    # it begins while the transactions of the dead are open
    with running_worker(site.uri, [str(place.pool) for place in places.values()]):
        assert eventually(lambda: not any(map(is_taken, places.values())), LIMIT_S)
        assert {point: site.rows(place) for point, place in places.items()} == {key: [1, 3] for key in POINTS}
        for place in places.values():
            site.session.sql(f"INSERT INTO {place.table} VALUES (4)")
            site.request(place)
        for point, place in places.items():
            assert eventually(lambda: is_left_with_one_base(place), LIMIT_S), (point, place.folders())  # noqa: B023
            assert site.rows(place) == [1, 3, 4], point
    states = {point: [entry.state.value for entry in place.entries()] for point, place in places.items()}
    assert states == {
        "begun": ["succeeded", "failed"],
        "written": ["succeeded", "failed"],
        "committed": ["succeeded", "succeeded"],
        "told": ["succeeded", "succeeded"],
    }
