"""The Hive engines of the interop tests: one at a time, one per release and module."""

from collections.abc import Iterator

import pytest

from interop.hive_engine import HiveEngine

HIVE_VERSIONS = ("3.1.3", "4.1.0")


@pytest.fixture(scope="module", params=HIVE_VERSIONS, ids=lambda version: f"hive-{version}")
def hive(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HiveEngine]:
    """A running engine with a metastore of its own, which other processes reach at `hive.metastore_uri`."""
    with HiveEngine.started(request.param, tmp_path_factory.mktemp(f"hive-{request.param}")) as engine:
        yield engine
