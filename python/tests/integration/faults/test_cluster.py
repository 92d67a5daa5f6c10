"""A standalone cluster: executors get the shim from `spark.jars` alone, attempts race each other, machines go."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from support.drivers import Drivers, Gate, Trial, wait_until
from support.mutations import EACH_WAY, MUTATIONS, Mutation, named
from support.processes import is_below
from support.session_process import SessionProcess, StatementFailed
from support.spark_settings import LOCAL_FILES_ON_CLUSTER, SHARED_FILES
from support.standalone import HOSTS, SPECULATION, StandaloneCluster, started_cluster

SETTINGS = {**SPECULATION, **SHARED_FILES, "spark.python.worker.reuse": "false"}

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a second host on its loopback interface"),
    pytest.mark.beyond_the_gate(
        "a job of `spark-submit` on executors (`integration/test_entry_points.py`); "
        "tasks that are tried again (`integration/faults/test_tasks.py`)"
    ),
]


class Clustered:
    """A cluster and a session on it."""

    def __init__(self, cluster: StandaloneCluster, session: SessionProcess) -> None:
        self.cluster = cluster
        self.session = session
        self.sql, self.submit = session.sql, session.submit

    def find_executors(self) -> list[int]:
        """Their process IDs, once each worker has one."""
        self.session.wait_started()
        wait_until(
            lambda: all(len(pids) == 1 for pids in self.cluster.find_executors().values()),
            "each worker has an executor",
        )
        return self.list_executors()

    def list_executors(self) -> list[int]:
        """Those that run now."""
        return [pid for pids in self.cluster.find_executors().values() for pid in pids]

    def find_host(self, gate: Gate) -> str:
        """The host with the task that waits at the gate."""
        executors = self.cluster.find_executors()
        waiting = find_waiting(gate, self.list_executors())
        return next(host for host, pids in executors.items() if waiting in pids)


@pytest.fixture(scope="module")
def start_clustered(drivers: Drivers) -> Iterator[Callable[[str, dict[str, str]], Clustered]]:
    """Starts a session on a cluster of its own, by a name and with more settings for both; one at a time."""
    running = ExitStack()

    def start(name: str, settings: dict[str, str]) -> Clustered:
        running.close()
        folder, metastore = drivers.scratch / name, drivers.metastore
        cluster = running.enter_context(started_cluster(folder / "cluster", settings))
        conf = {**SETTINGS, **settings, "spark.master": cluster.address}
        session = running.enter_context(SessionProcess(folder, metastore.uri, metastore.warehouse, conf))
        session.wait_started()
        return Clustered(cluster, session)

    with running:
        yield start


@pytest.fixture(scope="module")
def clustered(start_clustered: Callable[[str, dict[str, str]], Clustered]) -> Clustered:
    return start_clustered("cluster", {})


def find_waiting(gate: Gate, executors: list[int]) -> int:
    """The executor whose task waits at the gate."""
    worker = int(next(gate.folder.glob("waiting-*")).name.removeprefix("waiting-"))
    return next(executor for executor in executors if is_below(worker, executor))


def assert_done(trial: Trial, affected: object) -> None:
    """Each row once, one file per bucket and folder, nothing left."""
    trial.assert_done(affected)
    new = [path.rpartition("/") for path in trial.table.files() if path not in trial.files]
    assert len(new) == len(set(new)) > 0


@EACH_WAY
def test_statements_run_on_executors(drivers: Drivers, clustered: Clustered, mutation: Mutation) -> None:
    trial = drivers.trial(mutation)
    ((affected, *_),) = clustered.sql(trial.text())
    assert_done(trial, affected)


def test_a_table_on_local_disks_is_written_to_only_where_a_setting_admits_it(
    drivers: Drivers, clustered: Clustered
) -> None:
    trial = drivers.trial(MUTATIONS[0])
    clustered.sql(f"SET {LOCAL_FILES_ON_CLUSTER} = false")
    try:
        with pytest.raises(StatementFailed) as raised:
            clustered.sql(trial.text())
        trial.assert_undone(raised.value, "HIVE_ACID_UNSUPPORTED_TABLE.LOCAL_FILES_ON_CLUSTER")
    finally:
        clustered.sql(f"RESET {LOCAL_FILES_ON_CLUSTER}")
    ((affected, *_),) = clustered.sql(trial.text())
    assert_done(trial, affected)


@named("update-partitions", "insert-buckets")
def test_of_two_attempts_at_a_time_one_counts(drivers: Drivers, clustered: Clustered, mutation: Mutation) -> None:
    """The first attempt of a task waits; a speculative one overtakes it, after a shuffle alone: a write without one is
    too short."""
    # a table's rows lie in two files then, which two tasks read: the only task of a stage is never overtaken
    clustered.sql("SET spark.sql.orc.filterPushdown = false")
    clustered.sql(drivers.trial(mutation).text())
    trial, gate = drivers.trial(mutation), drivers.gate()
    clustered.find_executors()
    ((affected, *_),) = clustered.sql(trial.text(f"gate_once('{gate}', id, {trial.numbers[1]})"))
    assert any(gate.folder.glob("waiting-*"))
    assert not (gate.folder / "given-up").exists()
    assert_done(trial, affected)
    gate.open()
    again = drivers.trial(mutation)
    ((affected, *_),) = clustered.sql(again.text())
    assert_done(again, affected)
    clustered.sql("RESET spark.sql.orc.filterPushdown")


@EACH_WAY
@pytest.mark.parametrize("lost", ["the one that has finished"])
def test_an_executor_lost_before_the_write_is_over_costs_no_row(
    drivers: Drivers, clustered: Clustered, mutation: Mutation, lost: str
) -> None:
    """One executor waits in the first stage; the other has finished its part, and has its results on its disk."""
    trial, gate = drivers.trial(mutation), drivers.gate()
    executors = clustered.find_executors()
    running = clustered.submit(trial.text(f"gate_once('{gate}', id, {trial.numbers[1]})"))
    gate.wait()
    waiting = find_waiting(gate, executors)
    victim = waiting if lost == "the one that waits" else next(pid for pid in executors if pid != waiting)
    os.kill(victim, signal.SIGKILL)
    wait_until(lambda: victim not in clustered.list_executors(), "the executor is gone")
    gate.open()
    ((affected, *_),) = running.result()
    assert_done(trial, affected)


@named("update-partitions")
@pytest.mark.parametrize("lost", ["the one that waits", "the one that has finished"])
def test_a_machine_lost_before_the_write_is_over_costs_no_row(
    drivers: Drivers, clustered: Clustered, mutation: Mutation, lost: str
) -> None:
    """A worker and its executor are killed at once. What the executor had written for others is lost with it."""
    trial, gate = drivers.trial(mutation), drivers.gate()
    running = clustered.submit(trial.text(f"gate_once('{gate}', id, {trial.numbers[1]})"))
    gate.wait()
    waiting = clustered.find_host(gate)
    host = waiting if lost == "the one that waits" else next(other for other in HOSTS if other != waiting)
    clustered.cluster.kill_worker(host)
    gate.open()
    ((affected, *_),) = running.result()
    assert_done(trial, affected)
    clustered.cluster.start_worker(host)
    clustered.find_executors()


TAKEN_AWAY = {
    "spark.decommission.enabled": "true",
    "spark.storage.decommission.enabled": "true",
    "spark.storage.decommission.shuffleBlocks.enabled": "true",
    "spark.dynamicAllocation.enabled": "true",
    "spark.dynamicAllocation.shuffleTracking.enabled": "true",
    "spark.dynamicAllocation.executorIdleTimeout": "1s",
    "spark.dynamicAllocation.minExecutors": "0",
}


@pytest.fixture(scope="module")
def elastic(start_clustered: Callable[[str, dict[str, str]], Clustered]) -> Clustered:
    return start_clustered("elastic", TAKEN_AWAY)


@named("merge-moves")
def test_a_machine_that_is_taken_away_in_order_costs_no_row(
    drivers: Drivers, elastic: Clustered, mutation: Mutation
) -> None:
    """Executors come with the work and go without it. The worker is told to end while its task waits."""
    trial, gate = drivers.trial(mutation), drivers.gate()
    running = elastic.submit(trial.text(f"gate_once('{gate}', id, {trial.numbers[1]})"))
    gate.wait()
    host = elastic.find_host(gate)
    elastic.cluster.decommission_worker(host)
    gate.open()
    ((affected, *_),) = running.result()
    assert_done(trial, affected)
    elastic.cluster.start_worker(host)
