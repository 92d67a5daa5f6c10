"""Another writer beside the engine and the session of the tests."""

from collections.abc import Iterator

import pytest

from hive_acid.metastore.client.thrift_client import ThriftMetastore
from interop.hive_engine import HiveEngine


@pytest.fixture(scope="module")
def client(hive: HiveEngine) -> Iterator[ThriftMetastore]:
    """Another writer's client, on the metastore of the engine."""
    other = ThriftMetastore(hive.metastore_uri)
    yield other
    other.close()
