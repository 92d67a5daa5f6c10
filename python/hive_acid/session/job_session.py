"""Sessions of tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from pyspark.sql import SparkSession

from hive_acid.session.builder import configure


@contextmanager
def job_session(uris: str, master: str, conf: Mapping[str, str]) -> Iterator[SparkSession]:
    """A session on this metastore for jobs, with these Spark settings and without a web UI."""
    options = {"spark.ui.enabled": "false", "spark.log.level": "ERROR"}
    if master.startswith("local"):
        options["spark.driver.host"] = "127.0.0.1"
    builder = SparkSession.Builder().master(master).appName("hive-acid").config(map={**options, **conf})
    session = configure(builder, metastore=uris).getOrCreate()
    try:
        yield session
    finally:
        session.stop()
