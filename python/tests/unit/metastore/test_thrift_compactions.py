"""An entry of the queue that belongs to another engine or a later release stands in nobody's way."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.metastore.compaction_types import CompactionJob, CompactionKind, CompactionState
from hive_acid.metastore.generated import ttypes
from hive_acid.model.table import TableName
from support.fake_metastore_server import FakeMetastoreServer

OF_A_LATER_RELEASE = 99
KINDS = pytest.mark.parametrize(
    ("code", "kind"),
    [
        (ttypes.CompactionType.SMART_OPTIMIZE, CompactionKind.SMART_OPTIMIZE),
        (OF_A_LATER_RELEASE, CompactionKind.OTHER),
    ],
)


def list_entry(server: FakeMetastoreServer, code: int, state: str) -> None:
    element = ttypes.ShowCompactResponseElement("db", "iceberg", None, code, state, id=7)
    server.answers["show_compact"] = [lambda *_: ttypes.ShowCompactResponse([element])]


def told_types(server: FakeMetastoreServer) -> list[int]:
    """The types under which the metastore was told of failures."""
    return [arguments[0].type for _, method, arguments in server.calls if method == "mark_failed"]


@KINDS
def test_an_entry_of_another_engine_is_listed(
    server: FakeMetastoreServer, client: ThriftMetastore, code: int, kind: CompactionKind
) -> None:
    list_entry(server, code, "refused")
    (entry,) = client.compactions()
    assert (entry.table, entry.kind, entry.state) == (TableName("db", "iceberg"), kind, CompactionState.REFUSED)


def test_an_entry_in_a_state_of_a_later_release_is_listed(server: FakeMetastoreServer, client: ThriftMetastore) -> None:
    list_entry(server, ttypes.CompactionType.MAJOR, "postponed")
    (entry,) = client.compactions()
    assert (entry.state, entry.state.is_pending) == (CompactionState.UNKNOWN, False)


@KINDS
def test_the_queue_is_told_under_its_own_type_that_a_job_of_another_engine_failed(
    server: FakeMetastoreServer, client: ThriftMetastore, code: int, kind: CompactionKind
) -> None:
    found = ttypes.CompactionInfoStruct(7, "db", "iceberg", None, code)
    server.answers["find_next_compact2"] = [lambda *_: ttypes.OptionalCompactionInfoStruct(found)]
    server.answers["mark_failed"] = [lambda *_: None]
    job = client.next_compaction("spark-host-1", "test", None)
    assert job is not None
    assert job.kind is kind
    client.mark_failed(replace(job, error="not ours to do"))
    assert told_types(server) == [code]


@KINDS
def test_an_entry_of_another_engine_with_which_a_worker_died_is_given_up_under_its_own_type(
    server: FakeMetastoreServer, client: ThriftMetastore, code: int, kind: CompactionKind
) -> None:
    list_entry(server, code, "working")
    server.answers["mark_failed"] = [lambda *_: None]
    (entry,) = client.compactions()
    client.mark_failed(CompactionJob.of(entry, "its worker died"))
    assert told_types(server) == [code]
    assert entry.kind is kind
