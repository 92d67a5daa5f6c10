"""Tasks in executor processes that have the shim from `spark.jars` alone, with speculation on; executors lost."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator

import pytest

from support.drivers import Drivers, Gate, Trial, wait_until
from support.mutations import BUCKETED, MUTATIONS, Mutation, slow_but
from support.processes import find_below, is_below
from support.session_process import SessionProcess

EXECUTOR = "CoarseGrainedExecutorBackend"
SETTINGS = {
    "spark.speculation": "true",
    "spark.speculation.interval": "100ms",
    "spark.speculation.multiplier": "1.1",
    "spark.speculation.quantile": "0.5",
    "spark.speculation.minTaskRuntime": "500ms",
    "spark.speculation.efficiency.enabled": "false",
    "spark.executor.memory": "512m",
    "spark.executor.cores": "1",
    "spark.python.worker.reuse": "false",
}

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux has a second host on its loopback interface"
)


@pytest.fixture(scope="module")
def cluster(drivers: Drivers) -> Iterator[SessionProcess]:
    folder, metastore = drivers.scratch / "cluster", drivers.metastore
    with SessionProcess(folder, metastore.uri, metastore.warehouse, SETTINGS, is_cluster=True) as session:
        session.wait_started()
        yield session


def find_executors(cluster: SessionProcess) -> list[int]:
    """Their process IDs, once two are there."""
    jvm = cluster.wait_started()
    wait_until(lambda: len(find_below(jvm, EXECUTOR)) == 2, "two executors run")
    return find_below(jvm, EXECUTOR)


def find_waiting(gate: Gate, executors: list[int]) -> int:
    """The executor whose task waits at the gate."""
    worker = int(next(gate.folder.glob("waiting-*")).name.removeprefix("waiting-"))
    return next(executor for executor in executors if is_below(worker, executor))


NO_SHUFFLE = ("insert-flat", "overwrite-flat")
"""Their one stage is the write, whose tasks Spark does not overtake in so short a time."""


def assert_done(trial: Trial, affected: object) -> None:
    """Each row once, one file per bucket and folder, nothing left."""
    trial.assert_done(affected)
    new = [path.rpartition("/") for path in trial.table.files() if path not in trial.files]
    assert len(new) == len(set(new)) > 0


@pytest.mark.parametrize("mutation", MUTATIONS, ids=str)
def test_statements_run_on_executors(drivers: Drivers, cluster: SessionProcess, mutation: Mutation) -> None:
    trial = drivers.trial(mutation)
    ((affected, *_),) = cluster.sql(trial.text())
    assert_done(trial, affected)


@slow_but("update-partitions", among=[m for m in (*MUTATIONS, *BUCKETED) if m.name not in NO_SHUFFLE])
def test_of_two_attempts_at_a_time_one_counts(drivers: Drivers, cluster: SessionProcess, mutation: Mutation) -> None:
    """The first attempt of a task waits; a speculative one overtakes it."""
    # a table's rows lie in two files then, which two tasks read: the only task of a stage is never overtaken
    cluster.sql(drivers.trial(mutation).text())
    trial, gate = drivers.trial(mutation), drivers.gate()
    find_executors(cluster)
    ((affected, *_),) = cluster.sql(trial.text(f"gate_once('{gate}', id, {trial.numbers[1]})"))
    assert any(gate.folder.glob("waiting-*"))
    assert not (gate.folder / "given-up").exists()
    assert_done(trial, affected)
    gate.open()
    again = drivers.trial(mutation)
    ((affected, *_),) = cluster.sql(again.text())
    assert_done(again, affected)


@slow_but("update-partitions", among=(*MUTATIONS, *BUCKETED))
@pytest.mark.parametrize(
    "lost", [pytest.param("the one that waits", marks=pytest.mark.slow), "the one that has finished"]
)
def test_an_executor_lost_before_the_write_is_over_costs_no_row(
    drivers: Drivers, cluster: SessionProcess, mutation: Mutation, lost: str
) -> None:
    """One executor waits in the first stage; the other has finished its part, and has its results on its disk."""
    trial, gate = drivers.trial(mutation), drivers.gate()
    executors = find_executors(cluster)
    running = cluster.submit(trial.text(f"gate_once('{gate}', id, {trial.numbers[1]})"))
    gate.wait()
    waiting = find_waiting(gate, executors)
    victim = waiting if lost == "the one that waits" else next(pid for pid in executors if pid != waiting)
    os.kill(victim, signal.SIGKILL)
    wait_until(lambda: victim not in find_below(cluster.wait_started(), EXECUTOR), "the executor is gone")
    gate.open()
    ((affected, *_),) = running.result()
    assert_done(trial, affected)
