"""A server that answers as told, and a client of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hive_acid.metastore.client.thrift_client import ThriftMetastore
from support.fake_metastore_server import FakeMetastoreServer


@pytest.fixture
def server() -> Iterator[FakeMetastoreServer]:
    with FakeMetastoreServer() as server:
        yield server


@pytest.fixture
def client(server: FakeMetastoreServer) -> Iterator[ThriftMetastore]:
    client = ThriftMetastore(server.uri, timeout_ms=5_000, user="alice")
    yield client
    client.close()
