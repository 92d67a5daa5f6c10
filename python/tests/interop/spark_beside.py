"""A Spark session with this package on the metastore of a Hive engine."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from pyspark.sql import SparkSession

import hive_acid
from interop.hive_engine import HiveEngine
from support.spark_settings import SHORT_LIVED


def session_beside(hive: HiveEngine, folder: Path, time_zone: str) -> AbstractContextManager[SparkSession]:
    """A session on the metastore of the engine; see `session_on`."""
    return session_on(hive.metastore_uri, hive.warehouse, folder, time_zone)


@contextmanager
def session_on(metastore_uri: str, warehouse: Path, folder: Path, time_zone: str) -> Iterator[SparkSession]:
    """A session in `time_zone` that ends with the block and keeps its temporary files in `folder`."""
    builder = (
        SparkSession.builder.master("local[2]")
        .config(map=dict(SHORT_LIVED))
        .config("spark.sql.warehouse.dir", warehouse.as_uri())
        .config("spark.sql.session.timeZone", time_zone)
        .config("spark.local.dir", str(folder))
    )
    session = hive_acid.configure(builder, metastore=metastore_uri).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    try:
        yield session
    finally:
        session.stop()
