"""The Hive engines of the interop tests: one at a time, one per release and module."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from interop.hive_engine import HIVE_VERSIONS, HiveEngine
from interop.releases import lacks_release
from interop.spark_beside import session_beside


@pytest.fixture(scope="module", params=HIVE_VERSIONS, ids=lambda version: f"hive-{version}")
def hive(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HiveEngine]:
    """A running engine with a metastore of its own, which other processes reach at `hive.metastore_uri`."""
    with HiveEngine.started(request.param, tmp_path_factory.mktemp(f"hive-{request.param}")) as engine:
        yield engine


@pytest.fixture(scope="module")
def spark(hive: HiveEngine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A session on the engine's metastore. Its time zone is not Hive's, so that a shifted timestamp shows."""
    with session_beside(hive, tmp_path_factory.mktemp("spark"), "Asia/Kolkata") as session:
        yield session


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Each case with the releases that have it."""
    left_out = [item for item in items if lacks_release(item)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not lacks_release(item)]
