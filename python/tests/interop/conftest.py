"""The Hive engines of the interop tests: one per release and process."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from interop.hive_engine import HIVE_VERSIONS, HiveEngine
from interop.releases import lacks_release
from interop.shared_engines import SharedEngines


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedEngines]:
    """What the tests of this process have in common."""
    engines = SharedEngines(tmp_path_factory.mktemp)
    yield engines
    engines.close()


@pytest.fixture(scope="module", params=HIVE_VERSIONS, ids=lambda version: f"hive-{version}")
def hive(request: pytest.FixtureRequest, shared: SharedEngines) -> Iterator[HiveEngine]:
    """An empty engine with a metastore of its own, which other processes reach at `hive.metastore_uri`."""
    with shared.lend_engine(request.param) as engine:
        yield engine


@pytest.fixture(scope="module")
def spark(hive: HiveEngine, shared: SharedEngines) -> Iterator[SparkSession]:
    """A session on the engine's metastore. Its time zone is not Hive's, so that a shifted timestamp shows."""
    with shared.lend_session(hive, "Asia/Kolkata") as session:
        yield session


@pytest.fixture(scope="module")
def no_session(shared: SharedEngines) -> None:
    """For tests that start a Spark session by themselves."""
    shared.end_session()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Each case with the releases that have it."""
    left_out = [item for item in items if lacks_release(item)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not lacks_release(item)]
