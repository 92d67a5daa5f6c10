"""YARN: the driver in a process of the user's or in a container, executors in containers.

Where all ask for Kerberos, containers are killed too (`integration/test_yarn_kerberos.py`).
"""

from __future__ import annotations

import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from integration.test_entry_points import ROUND, SCRIPTS, arguments, run
from support.drivers import Drivers
from support.spark_settings import SHARED_FILES, SHORT_LIVED
from support.yarn.cluster import Yarn

pytestmark = pytest.mark.beyond_the_gate(
    "a job of `spark-submit` on executors (`integration/test_entry_points.py`); "
    "tasks that are tried again (`integration/faults/test_tasks.py`)"
)

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
