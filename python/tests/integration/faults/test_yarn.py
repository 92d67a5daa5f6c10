"""YARN: the driver in a process of the user's or in a container, executors in containers, of which some are killed."""

from __future__ import annotations

import os
import signal
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from integration.test_entry_points import ROUND, SCRIPTS, arguments, run
from support.drivers import Drivers, wait_until
from support.mutations import Mutation, named
from support.processes import is_below
from support.session_process import SessionProcess
from support.spark_settings import SHARED_FILES, SHORT_LIVED
from support.yarn.cluster import Yarn

pytestmark = pytest.mark.beyond_the_gate(
    "a job of `spark-submit` on executors (`integration/test_entry_points.py`); "
    "tasks that are tried again (`integration/faults/test_tasks.py`)"
)

EXECUTORS = 2
JOB = """
import hive_acid
from pyspark.sql import SparkSession

spark = hive_acid.configure(SparkSession.builder, metastore="{uri}").getOrCreate()
round_trip(spark, "{name}")
spark.sql("ALTER TABLE {name} COMPACT 'major' AND WAIT")
found = spark.sql("SELECT count(*), sum(v) FROM {name}").first()
with open("{printed}", "w") as file:
    print(spark.conf.get("spark.submit.deployMode"), *found, file=file)
spark.stop()
"""


@pytest.fixture(scope="module")
def yarn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Yarn]:
    with Yarn(tmp_path_factory.mktemp("yarn") / "cluster") as cluster:
        yield cluster


@pytest.fixture(scope="module")
def session(drivers: Drivers, yarn: Yarn) -> Iterator[SessionProcess]:
    """One whose driver is a process beside YARN, with its executors in containers."""
    place = drivers.scratch / "yarn"
    warehouse = drivers.metastore.warehouse
    settings = {**yarn.settings, **SHARED_FILES}
    with SessionProcess(place, drivers.metastore.uri, warehouse, settings, yarn.variables) as started:
        started.wait_started()
        yield started


@named("insert-flat", "merge-moves")
def test_statements_run_in_containers(drivers: Drivers, session: SessionProcess, mutation: Mutation) -> None:
    trial = drivers.trial(mutation)
    ((affected, *_),) = session.sql(trial.text())
    trial.assert_done(affected)


@named("update-partitions")
def test_a_container_lost_before_the_write_is_over_costs_no_row(
    drivers: Drivers, yarn: Yarn, session: SessionProcess, mutation: Mutation
) -> None:
    trial, gate = drivers.trial(mutation), drivers.gate()
    wait_until(lambda: len(yarn.find_executors()) == EXECUTORS, "both executors run")
    running = session.submit(trial.text(f"gate_once('{gate}', id, {trial.numbers[1]})"))
    gate.wait()
    worker = int(next(gate.folder.glob("waiting-*")).name.removeprefix("waiting-"))
    victim = next(pid for pid in yarn.find_executors() if is_below(worker, pid))
    os.kill(victim, signal.SIGKILL)
    wait_until(lambda: victim not in yarn.find_executors(), "the container is gone")
    gate.open()
    ((affected, *_),) = running.result()
    trial.assert_done(affected)


@pytest.mark.parametrize("mode", ["client", "cluster"])
def test_spark_submit_runs_a_job_with_its_driver_here_or_in_a_container(
    drivers: Drivers, yarn: Yarn, tmp_path: Path, mode: str
) -> None:
    name, printed = f"yarn_{uuid.uuid4().hex[:10]}", tmp_path / "printed"
    (tmp_path / "job.py").write_text(
        ROUND + JOB.format(uri=drivers.metastore.uri, name=name, printed=printed), encoding="utf-8"
    )
    settings = {
        **SHORT_LIVED,
        **SHARED_FILES,
        "spark.sql.warehouse.dir": drivers.metastore.warehouse.as_uri(),
        **yarn.settings,
    }
    del settings["spark.driver.host"]  # the driver's container has its own
    known = set(yarn.find_applications())
    submit = [str(SCRIPTS / "spark-submit"), "--deploy-mode", mode, *arguments(settings), "job.py"]
    run(submit, tmp_path, **yarn.variables, PYSPARK_PYTHON=sys.executable)
    assert printed.read_text().split() == [mode, "9", "3"]
    ((_, (state, final)),) = [(key, found) for key, found in yarn.find_applications().items() if key not in known]
    assert (state, final) == ("FINISHED", "SUCCEEDED")
    assert not drivers.open_transactions() and not drivers.client.held_locks()
