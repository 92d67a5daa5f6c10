"""HDFS, a metastore that knows it by the name of its name service, and sessions."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

import pytest

from hive_acid.local import EmbeddedMetastore
from hive_acid.metastore.thrift_client import ThriftMetastore
from support.drivers import Gate, open_transactions, wait_until
from support.hdfs.cluster import ROOT, Hdfs
from support.metastore_releases import EMBEDDED_VERSION, started_version
from support.mutations import Mutation, Rows
from support.session_process import SessionProcess

ROW_COUNT: Final = 100
BEFORE: Final[Rows] = [(n, 0, n % 2) for n in range(ROW_COUNT)]
"""The rows of a new table."""
NUMBERS: Final = range(10, 12)
"""Those that a statement changes."""
ACID: Final = "STORED AS ORC TBLPROPERTIES ('transactional'='true')"
STRANGER: Final = "ben"
"""A user who owns nothing."""
_LAKES: Final = itertools.count(1)
_CLEANER: Final = {
    f"{prefix}.compactor.{name}": value
    for prefix in ("hive", "metastore")
    for name, value in {"cleaner.on": "true", "cleaner.run.interval": "500ms"}.items()
}


@dataclass
class Lake:
    """A database on HDFS, a session that writes, and one that reads."""

    hdfs: Hdfs
    metastore: EmbeddedMetastore
    session: SessionProcess
    reader: SessionProcess
    start_stranger: Callable[[], SessionProcess]
    client: ThriftMetastore
    folder: Path
    database: str
    numbers: Iterator[int] = field(default_factory=itertools.count)

    @cached_property
    def stranger(self) -> SessionProcess:
        """A session of STRANGER."""
        return self.start_stranger()

    def create(self, mutation: Mutation) -> str:
        """A table for it with the rows BEFORE."""
        partitions = "PARTITIONED BY (d INT)" if mutation.is_partitioned else ""
        buckets = "CLUSTERED BY (v) INTO 2 BUCKETS" if mutation.is_bucketed else ""
        name = self.create_empty(f"{partitions} {buckets}")
        self.fill(name, is_partitioned=mutation.is_partitioned)
        return name

    def create_empty(self, clauses: str = "") -> str:
        """A table of the columns `id` and `v`."""
        name = self.new_name()
        self.session.sql(f"CREATE TABLE {name} (id INT, v INT) {clauses} {ACID}")
        return name

    def new_name(self) -> str:
        return f"{self.database}.t{next(self.numbers)}"

    def fill(self, name: str, *, is_partitioned: bool) -> None:
        rows = f"SELECT int(id), 0{', int(id % 2)' * is_partitioned} FROM range({ROW_COUNT})"
        self.session.sql(f"INSERT INTO {name} {rows}")

    def rows(self, name: str) -> Rows:
        """As a session sees them that wrote nothing."""
        found = self.reader.sql(f"SELECT * FROM {name}")
        return sorted((row[0], row[1], row[0] % 2 if len(row) < 3 else row[2]) for row in found)

    def gate(self) -> Gate:
        folder = self.folder / f"gate-{next(self.numbers)}"
        folder.mkdir()
        return Gate(folder)

    def path(self, name: str) -> str:
        """The table's folder, without the name service."""
        return f"/warehouse/{self.database}.db/{name.partition('.')[2]}"

    def wait_ended(self) -> None:
        wait_until(lambda: not open_transactions(self.client), "all transactions have ended")


@contextmanager
def started_lake(
    folder: Path, hdfs: Hdfs, version: str = EMBEDDED_VERSION, more: Mapping[str, str] | None = None
) -> Iterator[Lake]:
    """On a running HDFS with a metastore of the release, whose Cleaner looks often. `more` are settings of clients."""
    settings = {**hdfs.settings, **(more or {})}
    with ExitStack() as running:
        metastore = running.enter_context(started_version(version, folder / "metastore", {**settings, **_CLEANER}))
        conf = {f"spark.hadoop.{key}": value for key, value in settings.items()}

        def start(name: str) -> SessionProcess:
            return running.enter_context(SessionProcess(folder / name, metastore.uri, metastore.warehouse, conf))

        def start_stranger() -> SessionProcess:
            with pytest.MonkeyPatch.context() as patched:
                patched.setenv("HADOOP_USER_NAME", STRANGER)
                return start("stranger")

        session, reader = start("session"), start("reader")
        client = ThriftMetastore(metastore.uri)
        running.callback(client.close)
        number = next(_LAKES)
        database = f"lake{number}"
        session.sql(f"CREATE DATABASE {database} LOCATION '{ROOT}/warehouse/{database}.db'")
        yield Lake(hdfs, metastore, session, reader, start_stranger, client, folder, database)
