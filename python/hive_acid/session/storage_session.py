"""Sessions for commands that run no statement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from pyspark.sql import SparkSession

from hive_acid.metastore.protocol import Metastore
from hive_acid.session.builder import configure
from hive_acid.session.catalog_side import CatalogSide
from hive_acid.session.session import attach
from hive_acid.snapshot.filesystem import FileSystem


@contextmanager
def storage_session(uris: str) -> Iterator[tuple[Metastore, FileSystem]]:
    """The metastore and its storage, reached by a quiet local session as the statements of a session do."""
    with warehouse_session(uris) as side:
        yield side.metastore, side.file_system


@contextmanager
def warehouse_session(uris: str) -> Iterator[CatalogSide]:
    """All that answers for the tables of a metastore, in such a session."""
    options = {"spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1", "spark.log.level": "OFF"}
    with _session(uris, "local[1]", options) as session:
        yield attach(session)


@contextmanager
def job_session(uris: str, master: str, conf: Mapping[str, str]) -> Iterator[SparkSession]:
    """A session on this metastore for jobs, with these settings of Spark's and without a user interface."""
    options = {"spark.ui.enabled": "false", "spark.log.level": "ERROR"}
    if master.startswith("local"):
        options["spark.driver.host"] = "127.0.0.1"
    with _session(uris, master, {**options, **conf}) as session:
        yield session


@contextmanager
def _session(uris: str, master: str, options: Mapping[str, str]) -> Iterator[SparkSession]:
    builder = SparkSession.Builder().master(master).appName("hive-acid")
    session = configure(builder.config(map=dict(options)), metastore=uris).getOrCreate()
    try:
        yield session
    finally:
        session.stop()
