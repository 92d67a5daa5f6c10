"""Statements where metastore and HDFS are those of a secured Hive site, and what may fail there fails.

What each fault does to each way of writing is tried without security: `integration/hdfs`, `integration/faults`.
The metastore is 3.1.3, with Kerberos over TLS. Executors are those of a standalone cluster; where HDFS asks for
Kerberos, too, the driver is its own.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Iterator

import pytest

from hive_acid.spark_lines import is_before
from support.drivers import wait_until
from support.hdfs.cluster import ROOT
from support.hdfs.tables import ACID, BEFORE, NUMBERS
from support.mutations import EACH_WAY, MUTATIONS, Mutation, named
from support.one_list import OWN_CATALOG_FAILURES, OWN_CATALOG_ROWS, STATEMENTS, find_failure
from support.secured.site import CATALOG, USER, Site, started_site
from support.session_process import StatementFailed

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a second host on its loopback interface"),
]
CLUSTER, SECURED_HDFS = "standalone cluster", "HDFS with Kerberos"
NAMED = re.compile(r"\[(?!INTERNAL_ERROR)[A-Z_0-9.]+\]")
"""An error of Spark's with a name, as its message has it."""


@pytest.fixture(scope="module", params=[CLUSTER, SECURED_HDFS])
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with started_site(tmp_path_factory.mktemp("site"), hdfs_knows_kerberos=request.param == SECURED_HDFS) as started:
        yield started


@EACH_WAY
def test_each_statement_changes_what_it_says(site: Site, mutation: Mutation) -> None:
    site.assert_changes(mutation)


def test_tables_belong_to_the_user_who_logged_in(site: Site) -> None:
    name = site.create(MUTATIONS[0])
    tree = site.hdfs.tree(site.path(name))
    assert tree
    assert {rights.owner for rights in tree.values()} == {USER}
    described = {row[0]: row[1] for row in site.session.sql(f"DESCRIBE TABLE EXTENDED {name}")}
    assert described["Owner"] == USER


def test_a_table_is_made_of_a_query_and_dropped(site: Site) -> None:
    name = site.new_name()
    site.session.sql(f"CREATE TABLE {name} PARTITIONED BY (d) {ACID} AS SELECT id, 0 AS v, id % 2 AS d FROM range(9)")
    assert site.rows(name) == [(n, 0, n % 2) for n in range(9)]
    site.session.sql(f"DROP TABLE {name}")
    assert site.reader.sql(f"SHOW TABLES LIKE '{name.rpartition('.')[2]}'") == []
    assert site.path(name) not in site.hdfs.tree("/warehouse/db.db")


@pytest.mark.parametrize("site", [SECURED_HDFS], indirect=True)
def test_the_matrix_of_the_readme_holds_in_its_catalog(site: Site) -> None:
    failures = {}
    site.session.sql(f"CREATE DATABASE {CATALOG}.matrix LOCATION '{ROOT}/warehouse/matrix.db'")
    site.session.sql(f"USE {CATALOG}.matrix")
    for text, _ in STATEMENTS:
        try:
            site.session.sql(text.replace(" AND WAIT", ""))  # for Hive's own workers, which nobody has started
        except StatementFailed as failure:
            failures[text] = str(failure)
    rows = {query: site.session.sql(query) for query in OWN_CATALOG_ROWS}
    site.session.sql("USE spark_catalog.default")
    assert rows == OWN_CATALOG_ROWS
    assert len(failures) == len(OWN_CATALOG_FAILURES), list(failures)
    for (text, message), (start, name) in zip(failures.items(), OWN_CATALOG_FAILURES.items(), strict=True):
        assert text.startswith(start)
        if name:
            assert find_failure(message) == name
        else:
            assert NAMED.search(message) or is_before("4.0"), message  # not all errors of 3.5 have a name


def test_a_table_is_compacted(site: Site) -> None:
    site.assert_compacts(next(m for m in MUTATIONS if m.name == "update-flat"))


@named("update-partitions")
def test_a_statement_outlives_the_fail_over_of_its_name_node(site: Site, mutation: Mutation) -> None:
    site.assert_outlives(mutation, lambda: site.hdfs.ask("failover"))


@pytest.mark.parametrize("site", [CLUSTER], indirect=True)
@named("insert-buckets")
def test_a_statement_outlives_its_executor(site: Site, mutation: Mutation) -> None:
    cluster = site.cluster
    assert cluster is not None

    def executors() -> list[int]:
        return [pid for pids in cluster.find_executors().values() for pid in pids]

    def kill_one() -> None:
        victim, *_ = executors()
        os.kill(victim, signal.SIGKILL)
        wait_until(lambda: victim not in executors(), "the executor is gone")

    wait_until(lambda: len(executors()) == 2, "each worker has an executor")
    site.assert_outlives(mutation, kill_one)


@named("merge-moves")
def test_of_a_driver_that_is_killed_nothing_is_left_to_be_seen(site: Site, mutation: Mutation) -> None:
    name, gate = site.create(mutation), site.gate()
    driver = site.start(f"driver-{next(site.numbers)}")
    driver.submit(mutation.text(name, NUMBERS, f"gate('{gate}', id)"))
    gate.wait()
    driver.kill()
    gate.open()
    site.wait_ended()
    assert site.rows(name) == BEFORE
    site.session.sql(mutation.text(name, NUMBERS))
    assert site.rows(name) == mutation.effect(BEFORE, NUMBERS)
