"""The Hive engines of the interop tests: one at a time, one per release and module."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

import hive_acid
from interop.hive_engine import HIVE_VERSIONS, HiveEngine


@pytest.fixture(scope="module", params=HIVE_VERSIONS, ids=lambda version: f"hive-{version}")
def hive(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HiveEngine]:
    """A running engine with a metastore of its own, which other processes reach at `hive.metastore_uri`."""
    with HiveEngine.started(request.param, tmp_path_factory.mktemp(f"hive-{request.param}")) as engine:
        yield engine


@pytest.fixture(scope="module")
def spark(hive: HiveEngine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A session on the engine's metastore. Its time zone is not Hive's, so that a shifted timestamp shows."""
    builder = (
        SparkSession.builder.master("local[2]")
        .config("spark.sql.warehouse.dir", hive.warehouse.as_uri())
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.sql.session.timeZone", "Asia/Kolkata")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.local.dir", str(tmp_path_factory.mktemp("spark")))
    )
    session = hive_acid.configure(builder, metastore=hive.metastore_uri).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
