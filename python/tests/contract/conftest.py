"""Every promise is tried on the in-memory metastore of both lines and on real ones.

The real one is the embedded metastore; HIVE_ACID_CONTRACT_URIS (addresses, separated by blanks) names more.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hive_acid.local import EmbeddedMetastore
from hive_acid.metastore.memory import MemoryMetastore
from hive_acid.metastore.types import MetastoreLine
from support.metastore_setup import MemorySetup, MetastoreSetup, thrift_setup

KINDS = ("memory-3.1", "memory-4", "embedded", *os.environ.get("HIVE_ACID_CONTRACT_URIS", "").split())


@pytest.fixture(scope="session")
def embedded_metastore() -> Iterator[EmbeddedMetastore]:
    with EmbeddedMetastore.start() as metastore:
        yield metastore


@pytest.fixture(params=KINDS)
def setup(request: pytest.FixtureRequest) -> Iterator[MetastoreSetup]:
    """A metastore and a database of its own for one test; transactions the test left open are aborted."""
    if request.param == "memory-3.1":
        yield MemorySetup(MemoryMetastore(MetastoreLine.HIVE_3))
    elif request.param == "memory-4":
        yield MemorySetup(MemoryMetastore(MetastoreLine.HIVE_4))
    else:
        is_embedded = request.param == "embedded"
        uri = request.getfixturevalue("embedded_metastore").uri if is_embedded else request.param
        with thrift_setup(uri) as real:
            yield real
