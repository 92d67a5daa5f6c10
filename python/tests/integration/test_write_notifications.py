"""What replication and Impala get to know of a write, from a real metastore with Hive's own listener."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hive_acid.metastore.client.thrift_client import ThriftMetastore
from hive_acid.metastore.generated import ttypes
from hive_acid.metastore.transports.binary_connection import BinaryConnection
from hive_acid.metastore.transports.endpoints import parse_uris
from support.notification_listener import HASHES, started_with_listener
from support.session_process import SessionProcess

RELEASES = [pytest.param(version, marks=pytest.mark.slow) for version in sorted(HASHES)]
TRANSACTIONAL = "STORED AS ORC TBLPROPERTIES ('transactional'='true')"


@dataclass
class Watched:
    """A session that notifies by Hive's own setting, and what the listener has kept."""

    version: str
    session: SessionProcess
    observer: ThriftMetastore
    client: Any
    warehouse: Path

    def run(self, *statements: str) -> list[list[str]]:
        """The files of each notification about the statements, below the warehouse."""
        before = max((event.eventId for event in self._events(0)), default=0)
        for statement in statements:
            self.session.sql(statement)
        if self.version == "3.1.3":
            inserts = [json.loads(event.message) for event in self._events(before) if event.eventType == "INSERT"]
            return [self._relative(message["files"]) for message in inserts]
        last = self.observer.valid_transactions(0).high_water_mark
        kept = self.client.get_all_write_event_info(ttypes.GetAllWriteEventInfoRequest(last))
        return sorted(self._relative(info.files.split("]")) for info in kept)

    def _events(self, after: int) -> list[Any]:
        return list(self.client.get_next_notification(ttypes.NotificationEventRequest(after)).events)

    def _relative(self, files: list[str]) -> list[str]:
        """Each is `path#checksum#…`."""
        paths = [Path(file.split("#")[0].removeprefix("file:")) for file in files]
        assert all(path.is_file() for path in paths)
        return [str(path.relative_to(self.warehouse)) for path in paths]


@pytest.fixture(scope="module", params=RELEASES)
def watched(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    """With a flat and a partitioned table."""
    folder = tmp_path_factory.mktemp("notifications")
    conf = {"spark.hadoop.hive.metastore.dml.events": "true"}
    with (
        started_with_listener(request.param, folder / "metastore") as metastore,
        SessionProcess(folder / "spark", metastore.uri, metastore.warehouse, conf) as session,
        closing(ThriftMetastore(metastore.uri)) as observer,
    ):
        session.sql(f"CREATE TABLE flat (id INT, v INT) {TRANSACTIONAL}")
        session.sql(f"CREATE TABLE parts (id INT, v INT) PARTITIONED BY (d INT) {TRANSACTIONAL}")
        connection = BinaryConnection(parse_uris(metastore.uri)[0], 60_000)
        yield Watched(request.param, session, observer, connection.client, metastore.warehouse)
        connection.shutdown()


def files(folder: str) -> list[str]:
    return [f"{folder}/_orc_acid_version", f"{folder}/bucket_00000"]


def test_the_files_of_each_statement_on_a_flat_table_are_told(watched: Watched) -> None:
    assert watched.run("INSERT INTO flat VALUES (1, 1), (2, 2)") == [files("flat/delta_0000001_0000001_0000")]
    assert watched.run("UPDATE flat SET v = 3 WHERE id = 1") == [
        files("flat/delete_delta_0000002_0000002_0000") + files("flat/delta_0000002_0000002_0001")
    ]
    assert watched.run("DELETE FROM flat WHERE id = 2") == [files("flat/delete_delta_0000003_0000003_0000")]
    assert watched.session.sql("SELECT * FROM flat") == [(1, 3)]


def test_each_partition_is_told_apart_new_ones_too(watched: Watched) -> None:
    assert watched.run("INSERT INTO parts VALUES (1, 1, 1), (2, 2, 2)") == [
        files(f"parts/d={d}/delta_0000001_0000001_0000") for d in (1, 2)
    ]
    assert watched.run("DELETE FROM parts WHERE d = 2") == [files("parts/d=2/delete_delta_0000002_0000002_0000")]


def test_a_statement_that_changed_nothing_and_one_of_a_session_that_does_not_notify_tell_nothing(
    watched: Watched,
) -> None:
    assert watched.run("DELETE FROM flat WHERE id = -1") == []
    off, on = (f"SET spark.hiveacid.metastore.notifyWrites={value}" for value in ("false", "true"))
    assert watched.run(off, "INSERT INTO flat VALUES (9, 9)", on) == []
