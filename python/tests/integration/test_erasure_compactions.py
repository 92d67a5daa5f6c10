"""Several partitions are compacted at once by an erasure's engine; each tells how it has ended."""

from __future__ import annotations

import threading
from pathlib import Path
from unittest.mock import Mock

import pytest
from pyspark.sql import SparkSession
from pyspark.sql.functions import udf

from hive_acid.compaction.queue.requests import CompactionRequests, RequestOutcome
from hive_acid.config import Settings
from hive_acid.errors import StatementCancelled
from hive_acid.metastore.compaction_types import CompactionRequest
from hive_acid.model.table import TableName
from hive_acid.session.session import attach
from hive_acid_erasure.spark.erasure_engine import SparkErasureEngine
from integration.conftest import Tables
from support.polling import eventually

PARTITIONS = [f"d={number}" for number in range(5)]


@pytest.fixture
def table(tables: Tables) -> TableName:
    """Two deltas in each of five partitions."""
    name = tables.create("t", "id BIGINT", "PARTITIONED BY (d INT)")
    for _ in range(2):
        tables.sql("INSERT INTO t SELECT id, id FROM range(5)")
    return name


@pytest.fixture
def engine(spark: SparkSession) -> SparkErasureEngine:
    return SparkErasureEngine(spark, b"a secret")


def bases(tables: Tables) -> list[str]:
    return sorted(path.parent.name for path in tables.location("t").glob("d=*/base_*"))


def test_each_partition_has_a_base_and_a_request_of_its_own(
    tables: Tables, table: TableName, engine: SparkErasureEngine
) -> None:
    done = {compaction.partition: compaction for compaction in engine.compact(table, PARTITIONS)}
    assert sorted(done) == bases(tables) == PARTITIONS
    assert len({compaction.id for compaction in done.values() if compaction.id}) == 5
    assert all(compaction.failure is None for compaction in done.values())


def test_one_that_fails_is_told_and_stops_no_other(
    tables: Tables, table: TableName, engine: SparkErasureEngine
) -> None:
    damaged = next(tables.location("t").glob("d=2/delta_*/bucket_*"))
    damaged.write_bytes(damaged.read_bytes()[:-20])
    (damaged.parent / f".{damaged.name}.crc").unlink(missing_ok=True)
    done = {compaction.partition: compaction for compaction in engine.compact(table, PARTITIONS)}
    assert sorted(done) == PARTITIONS
    assert [partition for partition, compaction in sorted(done.items()) if compaction.failure] == ["d=2"]
    assert bases(tables) == [partition for partition in PARTITIONS if partition != "d=2"]


def test_what_one_sets_for_its_jobs_is_not_seen_by_another(
    table: TableName, engine: SparkErasureEngine, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    both, seen = threading.Barrier(2, timeout=60), dict[str | None, str | None]()

    def compact(_: CompactionRequests, request: CompactionRequest, __: Settings) -> Mock:
        spark.sparkContext.setLocalProperty("compacted", request.partition or "")
        both.wait()
        seen[request.partition] = spark.sparkContext.getLocalProperty("compacted")
        return Mock(compaction_id=1)

    monkeypatch.setattr(CompactionRequests, "compact_anew", compact)
    assert len(list(engine.compact(table, PARTITIONS[:2]))) == 2
    assert seen == {"d=0": "d=0", "d=1": "d=1"}


def test_an_error_of_another_kind_ends_all_and_cancels_their_jobs(
    table: TableName, engine: SparkErasureEngine, spark: SparkSession, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    begun, finished = tmp_path / "begun", tmp_path / "finished"
    at_work, done = str(begun), str(finished)

    @udf("bigint")
    def work(value: int) -> int:
        import time

        Path(at_work).touch()
        limit = time.monotonic() + 20
        while time.monotonic() < limit:  # nobody lets it go on: it is cancelled
            time.sleep(0.05)
        Path(done).touch()
        return value

    def compact_anew(self: CompactionRequests, request: CompactionRequest, settings: Settings) -> RequestOutcome:
        if request.partition == "d=0":
            assert eventually(begun.exists, 30)
            raise RuntimeError("on purpose")
        spark.range(1).select(work("id")).collect()
        raise AssertionError("its job goes on")

    monkeypatch.setattr(CompactionRequests, "compact_anew", compact_anew)
    with pytest.raises(RuntimeError, match="on purpose"):
        list(engine.compact(table, PARTITIONS[:2]))
    assert begun.exists()
    assert not finished.exists()


def test_one_that_waits_is_cancelled_with_the_others(
    table: TableName, engine: SparkErasureEngine, spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends, waits = dict[str | None, str | None](), threading.Event()

    def compact_anew(self: CompactionRequests, request: CompactionRequest, settings: Settings) -> RequestOutcome:
        if request.partition == "d=0":
            assert waits.wait(60)
            raise RuntimeError("on purpose")
        waits.set()
        try:
            attach(spark)._cancellation.pause_ms(120_000)
        except StatementCancelled as error:
            ends[request.partition] = error.getCondition()
            raise
        raise AssertionError("it was waited for")

    monkeypatch.setattr(CompactionRequests, "compact_anew", compact_anew)
    with pytest.raises(RuntimeError, match="on purpose"):
        list(engine.compact(table, PARTITIONS[:2]))
    assert ends == {"d=1": "HIVE_ACID_CANCELLED"}


def test_one_that_ends_well_beside_an_error_is_told_before_it(
    table: TableName, engine: SparkErasureEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    has_begun, has_failed = threading.Event(), threading.Event()

    def compact_anew(self: CompactionRequests, request: CompactionRequest, settings: Settings) -> Mock:
        if request.partition == "d=0":
            assert has_begun.wait(60)
            threading.Timer(0.3, has_failed.set).start()
            raise RuntimeError("on purpose")
        has_begun.set()
        assert has_failed.wait(60)
        return Mock(compaction_id=7)

    monkeypatch.setattr(CompactionRequests, "compact_anew", compact_anew)
    told = []
    with pytest.raises(RuntimeError, match="on purpose"):
        for compaction in engine.compact(table, PARTITIONS[:2]):
            told.append((compaction.partition, compaction.id))  # noqa: PERF401 (what came before the error counts)
    assert told == [("d=1", 7)]
