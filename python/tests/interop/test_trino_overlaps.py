"""Statements of Trino and of Spark that change the same rows at the same time: as if one had come after the other.

All orders of their calls are in the model checker, whose Trino makes the calls that are made here.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from hive_acid import config
from hive_acid.local import EmbeddedMetastore
from interop.spark_beside import session_on
from interop.trino_server import TrinoServer
from support.polling import eventually
from support.thrift_proxy import ThriftProxy

pytestmark = pytest.mark.interop

LIMIT_S = 120.0
FLAT, PARTITIONED, DYNAMIC = "flat", "partitioned", "partitioned, any partition"


@dataclass
class Both:
    """The engines on one metastore, each behind a proxy that can hold its calls."""

    spark: SparkSession
    trino: TrinoServer
    of_spark: ThriftProxy
    of_trino: ThriftProxy

    def create(self, name: str, form: str) -> str:
        """A table of the rows (1, 10) and (2, 20), and the condition by which statements find the first.

        In a partitioned table Spark's statements lock the partition by its name, or any.
        """
        self.spark.conf.set(config.LOCK_MAX_PARTITIONS.key, "0" if form == DYNAMIC else "100")
        partitions = "" if form == FLAT else "PARTITIONED BY (d STRING)"
        self.spark.sql(
            f"CREATE TABLE {name} (id INT, v INT) {partitions} STORED AS ORC TBLPROPERTIES ('transactional'='true')"
        )
        rest = "" if form == FLAT else ", 'x'"
        self.spark.sql(f"INSERT INTO {name} VALUES (1, 10{rest}), (2, 20{rest})")
        return "id = 1 AND d = 'x'" if form == PARTITIONED else "id = 1"

    def rows(self, name: str) -> list[tuple[Any, ...]]:
        """What both see of (id, v)."""
        of_spark = sorted(tuple(row) for row in self.spark.sql(f"SELECT id, v FROM {name}").collect())
        assert sorted(self.trino.sql(f"SELECT id, v FROM {name}").rows) == of_spark
        return of_spark


class Running:
    """A statement in a thread of its own."""

    def __init__(self, run: Callable[[], object]) -> None:
        self._error: BaseException | None = None
        self._run = run
        self._thread = threading.Thread(target=self._work)
        self._thread.start()

    def _work(self) -> None:
        try:
            self._run()
        except BaseException as error:  # noqa: BLE001 (raised again by `end`)
            self._error = error

    @property
    def has_ended(self) -> bool:
        return not self._thread.is_alive()

    def end(self) -> None:
        """Waits for its end, and raises what it has raised."""
        self._thread.join(LIMIT_S)
        assert self.has_ended, f"no end within {LIMIT_S:.0f} s"
        if self._error is not None:
            raise self._error


@pytest.fixture(scope="module")
def engines(no_session: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    """On the embedded metastore: one on Derby does not bear that Trino looks at a waiting lock without a pause."""
    folder = tmp_path_factory.mktemp("overlaps")
    with (
        EmbeddedMetastore.start(folder / "metastore") as metastore,
        ThriftProxy(metastore.uri) as of_trino,
        ThriftProxy(metastore.uri) as of_spark,
        TrinoServer.started(folder / "trino", of_trino.uri) as trino,
        session_on(of_spark.uri, metastore.warehouse, folder / "spark", "UTC") as spark,
    ):
        yield Both(spark, trino, of_spark, of_trino)


@pytest.fixture
def both(engines: Both) -> Iterator[Both]:
    yield engines
    engines.of_trino.heal()
    engines.of_spark.heal()


OURS = {
    "update": ("UPDATE {t} SET v = v + 1 WHERE {first}", [(1, 111), (2, 20)]),
    "delete": ("DELETE FROM {t} WHERE {first}", [(2, 20)]),
    "merge": (
        "MERGE INTO {t} t USING (SELECT 1 AS id) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = v + 1",
        [(1, 111), (2, 20)],
    ),
}


@pytest.mark.parametrize(("form", "ours"), [(FLAT, "update"), (PARTITIONED, "delete"), (DYNAMIC, "merge")])
def test_a_change_of_trino_that_is_under_way_is_waited_for(both: Both, form: str, ours: str) -> None:
    name = f"waits_{ours}_{form[-3:]}_{len(form)}"
    first = both.create(name, form)
    text, expected = OURS[ours]
    commit = both.of_trino.hold("commit_txn")
    theirs = Running(lambda: both.trino.sql(f"UPDATE {name} SET v = v + 100 WHERE {first}"))
    commit.wait()
    before = both.of_spark.calls.count("show_locks")
    own = Running(lambda: both.spark.sql(text.format(t=name, first=first)))
    assert eventually(lambda: own.has_ended or both.of_spark.calls.count("show_locks") > before + 2, LIMIT_S)
    commit.release()
    theirs.end()
    own.end()
    assert both.rows(name) == expected


def test_a_delete_of_trino_that_is_under_way_is_not_lost(both: Both) -> None:
    name = "deletes"
    first = both.create(name, FLAT)
    commit = both.of_trino.hold("commit_txn")
    theirs = Running(lambda: both.trino.sql(f"DELETE FROM {name} WHERE {first}"))
    commit.wait()
    before = both.of_spark.calls.count("show_locks")
    own = Running(lambda: both.spark.sql(f"UPDATE {name} SET v = v + 1 WHERE {first}"))
    assert eventually(lambda: own.has_ended or both.of_spark.calls.count("show_locks") > before + 2, LIMIT_S)
    commit.release()
    theirs.end()
    own.end()
    assert both.rows(name) == [(2, 20)]


@pytest.mark.parametrize("form", [FLAT, DYNAMIC])
def test_a_change_that_trino_commits_while_ours_is_under_way_is_found(both: Both, form: str) -> None:
    name = f"meanwhile_{form[-3:]}_{len(form)}"
    first = both.create(name, form)
    both.of_spark.hold("get_valid_write_ids").release()  # that of the snapshot; the next one comes under the lock
    held = both.of_spark.hold("get_valid_write_ids", answered=True)
    own = Running(lambda: both.spark.sql(f"UPDATE {name} SET v = v + 1 WHERE {first}"))
    held.wait()
    both.trino.sql(f"UPDATE {name} SET v = v + 100 WHERE {first}")
    held.release()
    own.end()
    assert both.rows(name) == [(1, 111), (2, 20)]


def test_trino_reads_nothing_between_our_last_look_and_our_commit(both: Both) -> None:
    name = "barrier"
    first = both.create(name, PARTITIONED)
    commit = both.of_spark.hold("commit_txn")
    own = Running(lambda: both.spark.sql(f"UPDATE {name} SET v = v + 1 WHERE {first}"))
    commit.wait()
    reading = both.of_trino.calls.count("get_valid_write_ids")
    theirs = Running(lambda: both.trino.sql(f"UPDATE {name} SET v = v + 100 WHERE {first}"))
    checks = both.of_trino.calls.count("check_lock")
    assert eventually(lambda: theirs.has_ended or both.of_trino.calls.count("check_lock") > checks + 2, LIMIT_S)
    assert both.of_trino.calls.count("get_valid_write_ids") == reading
    commit.release()
    own.end()
    theirs.end()
    assert both.rows(name) == [(1, 111), (2, 20)]


def test_an_insert_of_trino_holds_nobody_up(both: Both) -> None:
    name = "inserts"
    first = both.create(name, PARTITIONED)
    commit = both.of_trino.hold("commit_txn")
    theirs = Running(lambda: both.trino.sql(f"INSERT INTO {name} VALUES (3, 30, 'x')"))
    commit.wait()
    before = both.of_spark.calls.count("show_locks")
    both.spark.sql(f"UPDATE {name} SET v = v + 1 WHERE {first}")
    assert both.of_spark.calls.count("show_locks") - before == 2, "once under the lock, once before the commit"
    commit.release()
    theirs.end()
    assert both.rows(name) == [(1, 11), (2, 20), (3, 30)]


def test_a_change_of_trino_is_refused_where_that_is_set(both: Both) -> None:
    first = both.create("refuses", FLAT)
    commit = both.of_trino.hold("commit_txn")
    theirs = Running(lambda: both.trino.sql(f"UPDATE refuses SET v = v + 100 WHERE {first}"))
    commit.wait()
    both.spark.conf.set(config.UNLOCKED_WRITERS.key, "refuse")
    try:
        with pytest.raises(AnalysisException) as caught:
            both.spark.sql(f"UPDATE refuses SET v = v + 1 WHERE {first}")
    finally:
        both.spark.conf.unset(config.UNLOCKED_WRITERS.key)
    assert caught.value.getCondition() == "HIVE_ACID_UNLOCKED_WRITER"
    commit.release()
    theirs.end()
    assert both.rows("refuses") == [(1, 110), (2, 20)]
