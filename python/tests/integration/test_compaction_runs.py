"""Compactions run between readers, writers and killed workers, and no answer changes."""

from __future__ import annotations

import itertools
import random
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark import InheritableThread
from pyspark.sql import SparkSession

from hive_acid.errors import HiveAcidError
from hive_acid.local import EmbeddedMetastore
from hive_acid.metastore.compaction_types import CompactionInfo, CompactionKind, CompactionRequest, CompactionState
from hive_acid.model.table import TableName
from hive_acid.session.session import attach
from integration.conftest import Tables
from support.polling import eventually

pytestmark = pytest.mark.beyond_the_gate(
    "`unit/compaction`; `unit/execution/test_conflicts.py`; `integration/test_compaction.py`; "
    "`contract/test_cleaning.py`"
)

ACCOUNTS, BALANCE = 12, 100
COMPACTIONS = 24


class Crowd:
    """Threads that go on until one fails or all is done."""

    def __init__(self) -> None:
        self.stop = threading.Event()
        self.failures: list[BaseException] = []
        self._threads: list[threading.Thread] = []

    def start(self, step: Callable[[], None]) -> None:
        """Repeats the step."""

        def run() -> None:
            while not self.stop.is_set():
                try:
                    step()
                except BaseException as error:  # noqa: BLE001 (raised by `end`)
                    self.failures.append(error)
                    self.stop.set()

        self._threads.append(threading.Thread(target=run, daemon=True))
        self._threads[-1].start()

    def end(self) -> None:
        self.stop.set()
        for thread in self._threads:
            thread.join()
        if self.failures:
            raise self.failures[0]


def run_transfers(spark: SparkSession, name: str, seed: int, written: threading.Event) -> Callable[[], None]:
    """Moves money between two accounts, says so, and now and then writes and deletes one without any."""
    session, chosen, numbers = spark.newSession(), random.Random(seed), itertools.count(1000 * (seed + 1))

    def step() -> None:
        one, other = chosen.sample(range(ACCOUNTS), 2)
        try:
            moved = f"CASE WHEN id = {one} THEN 7 ELSE -7 END"
            session.sql(f"UPDATE {name} SET balance = balance + {moved} WHERE id IN ({one}, {other})")
            written.set()
            number = next(numbers)
            session.sql(f"INSERT INTO {name} VALUES ({number}, 0)")
            if chosen.random() < 0.5:
                session.sql(f"DELETE FROM {name} WHERE id = {number}")
        except Exception as error:
            if getattr(error, "getSqlState", lambda: "")() != "40001" and "40001" not in str(error):
                raise

    return step


def run_inserts(spark: SparkSession, name: str, first: int, written: threading.Event) -> Callable[[], None]:
    """Inserts two rows whose numbers cancel out, or replaces all rows by what they are."""
    session, numbers = spark.newSession(), itertools.count(first)

    def step() -> None:
        number = next(numbers)
        try:
            if number % 4:
                session.sql(f"INSERT INTO {name} VALUES ({number}, 7), (-{number}, -7)")
            else:
                session.sql(f"INSERT OVERWRITE {name} SELECT * FROM {name}")
            written.set()
        except Exception as error:
            if getattr(error, "getSqlState", lambda: "")() != "40001" and "40001" not in str(error):
                raise

    return step


def compact_beside(
    tables: Tables, spark: SparkSession, table: TableName, crowd: Crowd, written: threading.Event, rounds: int
) -> list[str]:
    """Compacts after writes of the crowd, minor and major, and ends the crowd; a folder of each compaction."""
    pool = f"pool_{uuid.uuid4().hex[:8]}"
    worker = attach(spark).build_worker(f"spark-test-{pool}")
    made: list[str] = []
    kinds = itertools.cycle([CompactionKind.MINOR, CompactionKind.MINOR, CompactionKind.MAJOR])
    try:
        while len(made) < rounds and not crowd.stop.is_set():
            written.wait(1)
            written.clear()
            request = CompactionRequest(table, next(kinds), pool=pool, user="tester")
            if tables.client.request_compaction(request).accepted:
                outcome = worker.run_next(pool)
                assert outcome is not None
                made += outcome.folders[:1]
    finally:
        crowd.end()
    return made


def test_compactions_of_an_insert_only_table_between_inserts_and_overwrites_change_no_answer(
    tables: Tables, spark: SparkSession
) -> None:
    """Which files are folded does not depend on their format."""
    properties = "TBLPROPERTIES ('transactional'='true', 'transactional_properties'='insert_only')"
    tables.sql(f"CREATE TABLE t (id INT, balance INT) STORED AS ORC {properties}")
    table = TableName(tables.database, "t")
    reader = spark.newSession()
    crowd, sums, written = Crowd(), set(), threading.Event()

    def read() -> None:
        query = f"SELECT coalesce(sum(balance), 0) AS total, count(*) - count(DISTINCT id) AS twice FROM {table}"
        sums.add(tuple(reader.sql(query).collect()[0]))

    for first in (1, 1_000_001):
        crowd.start(run_inserts(spark, str(table), first, written))
    crowd.start(read)
    compact_beside(tables, spark, table, crowd, written, 8)
    read()
    assert sums == {(0, 0)}
    assert tables.sql("SELECT count(*) > 8 FROM t") == [(True,)]


def test_compactions_between_readers_and_writers_change_no_answer(tables: Tables, spark: SparkSession) -> None:
    table = tables.create("accounts", "id INT, balance INT")
    name = str(table)
    tables.sql(f"INSERT INTO accounts SELECT id, {BALANCE} FROM range({ACCOUNTS})")
    reader = spark.newSession()
    crowd, sums = Crowd(), []

    def read() -> None:
        (row,) = reader.sql(
            f"SELECT sum(balance) AS total, count(IF(id < {ACCOUNTS}, 1, NULL)) AS n FROM {name}"
        ).collect()
        sums.append((row.total, row.n))

    written = threading.Event()
    for seed in range(2):
        crowd.start(run_transfers(spark, name, seed, written))
    crowd.start(read)
    made = compact_beside(tables, spark, table, crowd, written, COMPACTIONS)
    assert set(sums) == {(ACCOUNTS * BALANCE, ACCOUNTS)}
    assert {name.partition("_")[0] for name in made} >= {"base"}
    ids = tables.sql("SELECT ROW__ID.writeid, ROW__ID.bucketid, ROW__ID.rowid FROM accounts")
    assert len(ids) == len(set(ids))
    states = {info.state for info in tables.client.compactions() if info.table == table}
    assert CompactionState.FAILED not in states


@pytest.fixture
def worker_command(metastore: EmbeddedMetastore) -> list[str]:
    return [sys.executable, "-m", "hive_acid.cli", "worker", "--metastore", metastore.uri, "--master", "local[1]"]


def wait_for_state(tables: Tables, table: TableName, *states: CompactionState) -> None:
    eventually(lambda: {i.state for i in tables.client.compactions() if i.table == table} <= set(states), limit_s=90)


@pytest.mark.slow
def test_the_command_does_what_is_queued_and_ends_by_a_signal(
    tables: Tables, worker_command: list[str], tmp_path: Path
) -> None:
    table = tables.create("t")
    for id_ in range(3):
        tables.sql(f"INSERT INTO t VALUES ({id_}, 'n')")
    metrics = tmp_path / "metrics.prom"
    pool = f"pool_{uuid.uuid4().hex[:8]}"
    process = subprocess.Popen(
        [*worker_command, "--pools", pool, "--parallel", "2", "--metrics", str(metrics)],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        tables.client.request_compaction(CompactionRequest(table, CompactionKind.MAJOR, pool=pool))
        wait_for_state(tables, table, CompactionState.READY, CompactionState.SUCCEEDED)
        process.send_signal(signal.SIGTERM)
        output, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 0
    assert "major compacted: base_0000003_v" in output
    assert 'hive_acid_compactions_total{state="compacted"} 1' in metrics.read_text()
    assert sorted(tables.sql("SELECT id FROM t")) == [(0,), (1,), (2,)]


def kill_at_work(command: list[str], tables: Tables, table: TableName, delay_s: float) -> None:
    """Kills the worker so long after it has begun."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    eventually(lambda: entry(tables, table).txn_id is not None or process.poll() is not None, limit_s=90)
    time.sleep(delay_s)
    process.kill()
    process.wait()


@pytest.mark.slow
def test_a_killed_worker_leaves_the_table_as_it_was(
    tables: Tables, spark: SparkSession, worker_command: list[str]
) -> None:
    """Another then does what it had begun, once its transaction has ended.

    A worker that dies at each of its calls is in `contract/test_dying_workers.py`.
    """
    table = tables.create("t", "id BIGINT, name STRING")
    for first in range(0, 1_200_000, 300_000):
        tables.sql(f"INSERT INTO t SELECT id, uuid() FROM range({first}, {first + 300_000})")
    tables.sql("DELETE FROM t WHERE id % 7 = 0")
    expected = tables.sql("SELECT count(*), sum(hash(*)) FROM t")
    pool = f"pool_{uuid.uuid4().hex[:8]}"
    worker = attach(spark).build_worker(f"spark-test-{pool}")
    killed_at_work = 0
    for delay_s in (0.0, 0.8):
        assert tables.client.request_compaction(
            CompactionRequest(table, CompactionKind.MAJOR, pool=pool, user="tester")
        ).accepted
        kill_at_work([*worker_command, "--pools", pool, "--once"], tables, table, delay_s)
        assert tables.sql("SELECT count(*), sum(hash(*)) FROM t") == expected
        found = entry(tables, table)
        if found.state is CompactionState.WORKING and found.txn_id is not None:
            killed_at_work += 1
            tables.client.abort(found.txn_id)  # which the metastore does after its timeout
            assert worker.fail_dead() == [found.id]
        if entry(tables, table).state is not CompactionState.FAILED:
            tables.sql("INSERT INTO t VALUES (0, 'one more')")
            expected = tables.sql("SELECT count(*), sum(hash(*)) FROM t")
    assert killed_at_work
    tables.client.request_compaction(CompactionRequest(table, CompactionKind.MAJOR, pool=pool, user="tester"))
    try:
        worker.run_next(pool)
    except HiveAcidError as error:
        raise AssertionError("what was left behind stands in the way") from error
    assert tables.sql("SELECT count(*), sum(hash(*)) FROM t") == expected


def entry(tables: Tables, table: TableName) -> CompactionInfo:
    return max((info for info in tables.client.compactions() if info.table == table), key=lambda info: info.id)


@pytest.mark.slow
def test_a_cancelled_compaction_leaves_nothing_and_its_reason_is_kept(tables: Tables, spark: SparkSession) -> None:
    table = tables.create("t", "id BIGINT, name STRING")
    for first in range(0, 1_200_000, 300_000):
        tables.sql(f"INSERT INTO t SELECT id, uuid() FROM range({first}, {first + 300_000})")
    before = tables.files("t")
    errors: list[BaseException] = []

    def compact() -> None:
        spark.sparkContext.setJobGroup("compaction", "to be cancelled", interruptOnCancel=True)
        try:
            spark.sql(f"ALTER TABLE {table} COMPACT 'major'").collect()
        except Exception as error:  # noqa: BLE001 (looked at below)
            errors.append(error)

    thread = InheritableThread(target=compact)
    thread.start()
    assert eventually(lambda: spark.sparkContext.statusTracker().getJobIdsForGroup("compaction") != [], limit_s=60)
    spark.sparkContext.cancelJobGroup("compaction")
    thread.join()
    assert errors, "it was cancelled"
    assert tables.files("t") == before
    assert not list(tables.location("t").glob(".hive-acid-staging-*"))
    found = entry(tables, table)
    assert (found.state, bool(found.error)) == (CompactionState.FAILED, True)
    assert tables.open_transactions() == []
    assert tables.sql("SELECT count(*) FROM t") == [(1_200_000,)]
