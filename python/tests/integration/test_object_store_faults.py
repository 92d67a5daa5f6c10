"""Drivers that die and attempts that live on, on an S3 server: what was not committed is never seen."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support.drivers import QUICK, wait_until
from support.mutations import Mutation, Rows, named
from support.objectstore.lake import TRANSACTIONAL, Lake, start_lake
from support.objectstore.relay import Request
from support.objectstore.session import spark_settings
from support.session_process import SessionProcess
from support.standalone import SPECULATION, started_cluster

pytestmark = pytest.mark.beyond_the_gate(
    "in memory: `unit/execution/test_committer_faults.py`, `unit/execution/test_committed_publication.py`"
)

DATABASE = "lakedb"
BEFORE: Rows = [(n, 0, n % 2) for n in range(20)]
NUMBERS = range(10, 14)
NUMBERED = itertools.count()


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    with start_lake(tmp_path_factory.mktemp("lake"), QUICK) as started:
        yield started


@pytest.fixture(scope="module")
def spark(lake: Lake) -> Iterator[SessionProcess]:
    with lake.session(DATABASE) as session:
        yield session


@pytest.fixture(autouse=True)
def healed(lake: Lake) -> Iterator[None]:
    yield
    lake.relay.heal()


def create(spark: SessionProcess, table: str) -> None:
    spark.sql(f"CREATE TABLE {table} (id INT) {TRANSACTIONAL}")
    spark.sql(f"INSERT INTO {table} VALUES (1), (2)")


def has_open_transactions(spark: SessionProcess) -> bool:
    return any("open" in str(row).lower() for row in spark.sql("SHOW TRANSACTIONS"))


def chooses_attempts(request: Request) -> bool:
    """The first request by which the driver tells which attempts count."""
    return request.method == "PUT" and request.key.endswith(".pendingset")


def completes(request: Request) -> bool:
    return request.completes_upload


@pytest.mark.parametrize(
    ("table", "chosen", "goes_through"),
    [("before", chooses_attempts, False), ("within", completes, True)],
    ids=["before the job is committed", "while files are put in place"],
)
def test_a_driver_that_is_killed_shows_nothing_and_the_doctor_finds_what_it_left(
    lake: Lake, spark: SessionProcess, table: str, chosen: Callable[[Request], bool], goes_through: bool
) -> None:
    """A request that was on its way when the driver died may arrive all the same."""
    create(spark, table)
    files = lake.files(DATABASE, table)
    with lake.session(f"victim_{table}") as victim:
        hold = lake.relay.hold(chosen)
        victim.submit(f"INSERT OVERWRITE {DATABASE}.{table} SELECT int(id) FROM range(10, 20, 1, 2)")
        hold.wait()
        victim.kill()
        if not goes_through:
            lake.relay.refuses = chosen
        hold.release()
    assert spark.sql(f"SELECT id FROM {table} ORDER BY id") == [(1,), (2,)]
    wait_until(lambda: not has_open_transactions(spark), "the transaction has timed out")
    lake.relay.heal()
    assert spark.sql(f"SELECT id FROM {table} ORDER BY id") == [(1,), (2,)]
    assert (lake.files(DATABASE, table) == files) != goes_through
    assert any("__magic_job-hive-acid-" in key for key in lake.keys(DATABASE, table))
    assert bool(lake.uploads()) != goes_through
    told = run_doctor(lake, table)
    assert ("pending-uploads" in told) != goes_through
    assert "orphan-staging" in told
    assert lake.uploads() == []
    assert not any("__magic_job" in key for key in lake.keys(DATABASE, table))
    spark.sql(f"INSERT INTO {table} VALUES (3)")
    assert spark.sql(f"SELECT id FROM {table} ORDER BY id") == [(1,), (2,), (3,)]


def fill(spark: SessionProcess, mutation: Mutation) -> str:
    """A table for the statement, with the rows BEFORE; its name has the database."""
    table = f"struck_{next(NUMBERED)}"
    partitions, values = (" PARTITIONED BY (d INT)", ", int(id % 2)") if mutation.is_partitioned else ("", "")
    spark.sql(f"CREATE TABLE {table} (id INT, v INT){partitions} {TRANSACTIONAL}")
    spark.sql(f"INSERT INTO {table} SELECT int(id), 0{values} FROM range({len(BEFORE)})")
    return f"{DATABASE}.{table}"


def rows(spark: SessionProcess, table: str) -> Rows:
    return sorted((id_, v, *(rest or [id_ % 2])) for id_, v, *rest in spark.sql(f"SELECT * FROM {table}"))


def kill_driver(lake: Lake, statement: str, chosen: Callable[[Request], bool]) -> None:
    """The driver of the statement dies while it waits for an answer to the first chosen request, which does not go."""
    with lake.session(f"victim_{next(NUMBERED)}") as victim:
        hold = lake.relay.hold(chosen)
        victim.submit(statement)
        hold.wait()
        victim.kill()
        lake.relay.refuses = chosen
        hold.release()
    lake.relay.heal()


@pytest.mark.parametrize("chosen", [chooses_attempts, completes], ids=["before the commit", "putting files"])
@named("merge-partitions")
def test_what_a_killed_driver_did_is_not_seen_and_can_be_done_again(
    lake: Lake, spark: SessionProcess, mutation: Mutation, chosen: Callable[[Request], bool]
) -> None:
    table = fill(spark, mutation)
    kill_driver(lake, mutation.text(table, NUMBERS), chosen)
    assert rows(spark, table) == BEFORE
    wait_until(lambda: not has_open_transactions(spark), "the transaction has timed out")
    assert rows(spark, table) == BEFORE
    spark.sql(mutation.text(table, NUMBERS))
    assert rows(spark, table) == mutation.effect(BEFORE, NUMBERS)


@named("update-flat")
def test_a_compaction_whose_driver_is_killed_leaves_the_rows_and_is_done_again(
    lake: Lake, spark: SessionProcess, mutation: Mutation
) -> None:
    table = fill(spark, mutation)
    spark.sql(mutation.text(table, NUMBERS))
    changed = mutation.effect(BEFORE, NUMBERS)
    kill_driver(lake, f"ALTER TABLE {table} COMPACT 'major'", completes)
    assert rows(spark, table) == changed
    wait_until(lambda: not has_open_transactions(spark), "the transaction has timed out")
    spark.sql(f"ALTER TABLE {table} COMPACT 'major'")
    assert rows(spark, table) == changed
    assert any(key.startswith("base_") for key in lake.files(DATABASE, table.partition(".")[2]))


def run_doctor(lake: Lake, table: str) -> str:
    """What `hive-acid doctor --fix` says of the table."""
    folder = Path(lake.folder, f"doctor-{table}")
    folder.mkdir()
    settings = spark_settings(lake.relay.endpoint)
    (folder / "spark-defaults.conf").write_text("".join(f"{key} {value}\n" for key, value in settings.items()))
    command = [sys.executable, "-m", "hive_acid.cli", "doctor", f"{DATABASE}.{table}", "--fix", "--spark"]
    done = subprocess.run(
        [*command, "--metastore", lake.metastore.uri],
        env={**os.environ, "SPARK_CONF_DIR": str(folder)},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a second host on its loopback interface")
def test_an_attempt_that_was_overtaken_adds_nothing_when_it_goes_on_after_the_commit(lake: Lake) -> None:
    with (
        started_cluster(lake.folder / "workers") as cluster,
        lake.session("cluster", {**SPECULATION, "spark.master": cluster.address}) as spark,
    ):
        spark.sql(f"CREATE TABLE overtaken (id INT) {TRANSACTIONAL}")
        insert = "INSERT INTO overtaken SELECT int(id) FROM range({first}, {first} + 40000, 1, 4)"
        spark.sql(insert.format(first=0))  # both executors run
        numbers = itertools.count()

        def first_part(request: Request) -> bool:
            is_part = request.method == "PUT" and "partNumber" in request.query
            return is_part and "/overtaken/" in request.key and next(numbers) == 0

        hold = lake.relay.hold(first_part)
        spark.sql(insert.format(first=100_000))
        hold.wait()
        rows = "SELECT count(*), count(DISTINCT id) FROM overtaken"
        assert spark.sql(rows) == [(80000, 80000)]
        files = lake.files("cluster", "overtaken")
        assert len(files) == 8
        hold.release()
        spark.sql(insert.format(first=200_000))
        assert [key for key in lake.files("cluster", "overtaken") if "0000003" not in key] == files
        assert spark.sql(rows) == [(120_000, 120_000)]
        assert not [key for key in lake.uploads() if "/overtaken/" in key]  # drivers were killed in other tables
