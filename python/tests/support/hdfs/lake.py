"""HDFS, a metastore that knows it by the name of its name service, and sessions."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

import pytest

from hive_acid.local import EmbeddedMetastore
from hive_acid.metastore.client.thrift_client import ThriftMetastore
from support.drivers import open_transactions, wait_until
from support.hdfs.cluster import HdfsServer
from support.hdfs.tables import HdfsTables
from support.metastore_releases import EMBEDDED_VERSION, started_version
from support.session_process import SessionProcess

STRANGER: Final = "ben"
"""A user who owns nothing."""
_LAKES: Final = itertools.count(1)
_CLEANER: Final = {
    f"{prefix}.compactor.{name}": value
    for prefix in ("hive", "metastore")
    for name, value in {"cleaner.on": "true", "cleaner.run.interval": "500ms"}.items()
}
"""Releases come without one, and one that runs looks every 5 s."""


@dataclass
class Lake(HdfsTables):
    """A database on HDFS, and clients of its metastore."""

    metastore: EmbeddedMetastore
    start_stranger: Callable[[], SessionProcess]
    client: ThriftMetastore

    @cached_property
    def stranger(self) -> SessionProcess:
        """A session of STRANGER."""
        return self.start_stranger()

    def wait_ended(self) -> None:
        wait_until(lambda: not open_transactions(self.client), "all transactions have ended")


@contextmanager
def started_lake(
    folder: Path, hdfs: HdfsServer, version: str = EMBEDDED_VERSION, more: Mapping[str, str] | None = None
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
        session.sql(f"CREATE DATABASE {database} LOCATION '{hdfs.root}/warehouse/{database}.db'")
        yield Lake(hdfs, session, reader, folder, database, metastore, start_stranger, client)
