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
from hive_acid.model.table import TableName
from support.metastore_session import Session
from support.metastore_setup import MemorySetup, MetastoreSetup, thrift_setup

REAL = ("embedded", *os.environ.get("HIVE_ACID_CONTRACT_URIS", "").split())


@pytest.fixture(scope="session")
def embedded_uri() -> Iterator[str]:
    """The check of client capabilities is on, as other installations have it."""
    with EmbeddedMetastore.start(settings={"metastore.client.capability.check": "true"}) as metastore:
        yield metastore.uri


def find_uri(request: pytest.FixtureRequest) -> str:
    uri: str = request.getfixturevalue("embedded_uri") if request.param == "embedded" else request.param
    return uri


@pytest.fixture(scope="session", params=REAL)
def real_uri(request: pytest.FixtureRequest) -> str:
    """The address of each real metastore."""
    return find_uri(request)


@pytest.fixture(params=("memory-3.1", "memory-4", *REAL))
def setup(request: pytest.FixtureRequest) -> Iterator[MetastoreSetup]:
    """A metastore and a database of its own for one test."""
    if request.param == "memory-3.1":
        yield MemorySetup(MemoryMetastore(MetastoreLine.HIVE_3))
    elif request.param == "memory-4":
        yield MemorySetup(MemoryMetastore(MetastoreLine.HIVE_4))
    else:
        with thrift_setup(find_uri(request)) as real:
            yield real


@pytest.fixture
def session(setup: MetastoreSetup) -> Iterator[Session]:
    """A client of it; the transactions it leaves open are aborted."""
    session = Session(setup)
    yield session
    session.end_all()


@pytest.fixture
def table(setup: MetastoreSetup) -> TableName:
    """An unpartitioned transactional table."""
    return setup.create_table("flat")
