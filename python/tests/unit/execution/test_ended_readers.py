"""A query whose read transaction has ended opens no other: its scans would read two snapshots."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hive_acid.config import Settings
from hive_acid.errors import HiveAcidError, SnapshotUnavailable
from hive_acid.model.table import TableName
from hive_acid.model.table_identity import describe_analysed
from hive_acid.reading.ended_readers import EndedReaders
from hive_acid.reading.readers import Readers
from hive_acid.wire.scan_requests import ReadTable
from support.jobs import FakeJobs
from support.statements import TABLE, World, build_table

NONE = Settings({})
OTHER, ELSEWHERE = TableName("db", "other"), "/warehouse/other"
IDLE_MS = 5_000
MAX_AGE_MS = 1_000_000


@pytest.fixture
def world() -> World:
    world = World()
    world.memory.add_table(build_table(name=OTHER, location=ELSEWHERE))
    return world


@pytest.fixture
def jobs() -> FakeJobs:
    return FakeJobs()


@pytest.fixture
def readers(world: World, jobs: FakeJobs) -> Readers:
    return Readers(world.warehouse, MAX_AGE_MS, world.clock, jobs, IDLE_MS)


def asked(world: World, name: TableName = TABLE) -> ReadTable:
    """The table as a scan that is analysed now knows it."""
    return ReadTable(describe_analysed(world.memory.table(name)))


def stale(world: World) -> ReadTable:
    """The other table as a scan knows it that was analysed on one of that name before."""
    return ReadTable(replace(asked(world, OTHER).analysed, location="/before"))


def assert_refused(world: World, readers: Readers, key: int, reason: str) -> None:
    """A scan of the other table, to which somebody has added rows, is refused and opens nothing."""
    txn_id = world.memory.open_transaction("u", "h", "a")
    write_id = world.memory.allocate_write_id(txn_id, OTHER)
    world.file_system.add_file(f"{ELSEWHERE}/delta_{write_id:07d}_{write_id:07d}_0000/bucket_00000")
    world.memory.commit(txn_id)
    world.metastore.calls.clear()
    with pytest.raises(SnapshotUnavailable, match=reason):
        readers.scan_plan(key, asked(world, OTHER), None, NONE)
    assert "open_transaction" not in world.metastore.calls


def test_because_it_was_too_old(world: World, readers: Readers) -> None:
    readers.scan_plan(7, asked(world), None, NONE)
    world.clock.now_ms += MAX_AGE_MS + 1
    assert_refused(world, readers, 7, "older than 1000000 ms")
    readers.end(7)
    assert_refused(world, readers, 7, "its query has ended")


def test_because_nothing_read_it_for_long(world: World, readers: Readers, jobs: FakeJobs) -> None:
    readers.scan_plan(-1, asked(world), None, NONE)
    jobs.idle = IDLE_MS
    world.clock.now_ms += IDLE_MS
    readers._end_idle()
    assert_refused(world, readers, -1, "nothing has read it for 5000 ms")


def test_because_a_statement_waited_for_it(world: World, readers: Readers) -> None:
    readers.scan_plan(-1, asked(world), None, NONE)
    readers.end_unread([TABLE])
    assert_refused(world, readers, -1, "a statement has waited for its lock")


def test_because_a_scan_of_it_has_failed(world: World, readers: Readers) -> None:
    readers.scan_plan(-1, asked(world), None, NONE)
    with pytest.raises(HiveAcidError):
        readers.scan_plan(-1, stale(world), None, NONE)
    assert_refused(world, readers, -1, "a scan of it has failed")


def test_but_one_that_has_read_nothing_may_begin_anew(world: World, readers: Readers) -> None:
    with pytest.raises(HiveAcidError):
        readers.scan_plan(-1, stale(world), None, NONE)
    assert readers.scan_plan(-1, asked(world, OTHER), None, NONE).partitions


def test_nor_does_one_whose_end_came_before_its_scan(world: World, readers: Readers) -> None:
    readers.end(7)
    assert_refused(world, readers, 7, "its query has ended")


def test_of_queries_that_have_ended_only_the_latest_are_remembered() -> None:
    ended = EndedReaders()
    for key in range(20_000):
        ended.add(key)
        ended.add_early(-1 - key, "it was read")
        ended.add(-1 - key)
    assert (len(ended._done), len(ended._early)) == (10_000, 0)
    with pytest.raises(SnapshotUnavailable):
        ended.refuse(19_999, TABLE)
    ended.refuse(-1, TABLE)
