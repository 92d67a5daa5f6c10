"""YARN, HDFS and the metastore ask for Kerberos: what runs in containers has delegation tokens, and no ticket."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from integration.test_entry_points import ROUND, SCRIPTS, arguments, run
from support.drivers import wait_until
from support.mutations import Mutation, named
from support.processes import is_below
from support.secured.metastore import keytab_settings
from support.secured.yarn_site import USER, YarnSite, started_yarn_site

pytestmark = pytest.mark.slow
EXECUTORS = 2
JOB = """
import hive_acid
from pyspark.sql import SparkSession

spark = hive_acid.configure(SparkSession.builder).getOrCreate()
round_trip(spark, "{name}")
spark.sql("MERGE INTO {name} t USING (SELECT 8 AS id UNION ALL SELECT 10) s ON t.id = s.id "
          "WHEN MATCHED THEN UPDATE SET v = 1 WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, 1)")
spark.sql("ALTER TABLE {name} COMPACT 'major' AND WAIT")
users = spark._jvm.org.apache.hadoop.security.UserGroupInformation
user = users.getCurrentUser()
with open("{printed}", "w") as file:
    print(spark.conf.get("spark.submit.deployMode"), *spark.sql("SELECT count(*), sum(v) FROM {name}").first(),
          user.getShortUserName(), user.hasKerberosCredentials(),
          "HIVE_DELEGATION_TOKEN" in str(user.getTokens()), file=file)
spark.stop()
"""

LATE = """
import hive_acid
from hive_acid.errors import HiveAcidError
from pyspark.sql import SparkSession

try:
    hive_acid.configure(SparkSession.builder, metastore="{uri}").getOrCreate()
except HiveAcidError as error:
    with open("{printed}", "w") as file:
        print(error.getCondition(), error, file=file)
SparkSession.builder.getOrCreate().stop()  # for YARN, where a job without a session has failed
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[YarnSite]:
    with started_yarn_site(tmp_path_factory.mktemp("site")) as started:
        yield started


@named("insert-flat", "merge-moves")
def test_statements_run_in_containers_of_a_cluster_with_kerberos(site: YarnSite, mutation: Mutation) -> None:
    site.assert_changes(mutation)


@named("update-partitions")
def test_a_container_lost_before_the_write_is_over_costs_no_row(site: YarnSite, mutation: Mutation) -> None:
    """The container that is started instead has tokens, too."""

    def kill_one_that_waits() -> None:
        gate = max(site.folder.glob("gate-*"), key=lambda path: int(path.name.removeprefix("gate-")))
        worker = int(next(gate.glob("waiting-*")).name.removeprefix("waiting-"))
        victim = next(pid for pid in site.yarn.find_executors() if is_below(worker, pid))
        os.kill(victim, signal.SIGKILL)
        wait_until(lambda: victim not in site.yarn.find_executors(), "the container is gone")

    wait_until(lambda: len(site.yarn.find_executors()) == EXECUTORS, "both executors run")
    site.assert_outlives(mutation, kill_one_that_waits)


@pytest.mark.parametrize(
    ("mode", "by_keytab"),
    [("client", False), ("cluster", False), ("cluster", True)],
    ids=["client-ticket", "cluster-ticket", "cluster-keytab"],
)
def test_spark_submit_runs_a_job_whose_driver_in_a_container_has_tokens_or_a_keytab(
    site: YarnSite, tmp_path: Path, mode: str, *, by_keytab: bool
) -> None:
    """The driver beside YARN has a ticket in each case; one in a container gets a ticket by a keytab alone."""
    name, known = site.new_name(), set(site.yarn.find_applications())
    settings = {
        "spark.hadoop.hive.metastore.uris": site.address,
        **(keytab_settings(site.kdc, USER) if by_keytab else {}),
    }
    variables = {} if by_keytab else {"KRB5CCNAME": str(site.ticket)}
    printed = submit(site, tmp_path, mode, ROUND + JOB.replace("{name}", name), settings, variables)
    has_ticket = mode == "client" or by_keytab
    assert printed.split() == [mode, "10", "5", USER, str(has_ticket), str(not has_ticket)]
    ((_, (state, final)),) = [(key, found) for key, found in site.yarn.find_applications().items() if key not in known]
    assert (state, final) == ("FINISHED", "SUCCEEDED")
    assert site.reader.sql(f"SELECT count(*), sum(v) FROM {name}") == [(10, 5)]
    site.wait_ended()


def test_a_driver_in_a_container_has_no_token_of_a_metastore_that_only_the_job_names(
    site: YarnSite, tmp_path: Path
) -> None:
    """Spark asks for tokens as it submits the job, by the settings that it has then."""
    ticket = {"KRB5CCNAME": str(site.ticket)}
    printed = submit(site, tmp_path, "cluster", LATE.replace("{uri}", site.address), {}, ticket)
    assert printed.split()[0] == "HIVE_ACID_METASTORE_LOGIN.NO_TICKET"


def submit(
    site: YarnSite, folder: Path, mode: str, job: str, settings: Mapping[str, str], variables: Mapping[str, str]
) -> str:
    """Runs the job. Returns the text that it has written to the file {printed}."""
    printed = folder / "printed"
    (folder / "job.py").write_text(job.replace("{printed}", str(printed)), encoding="utf-8")
    warehouse = {"spark.sql.warehouse.dir": site.metastore.warehouse.as_uri(), "spark.yarn.maxAppAttempts": "1"}
    command = [str(SCRIPTS / "spark-submit"), "--deploy-mode", mode]
    # the settings of a driver count for one in a container alone, and spark-submit itself logs in, too
    options = {"SPARK_SUBMIT_OPTS": f"-Djava.security.krb5.conf={site.kdc.configuration}"}
    environment = {**site.variables, **variables, **options, "PYSPARK_PYTHON": sys.executable}
    run([*command, *arguments({**site.conf, **warehouse, **settings}), "job.py"], folder, **environment)
    return printed.read_text()
