"""The metastore and its storage for a command that runs no statement."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.sql import SparkSession

from hive_acid.metastore.protocol import Metastore
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.spark.session import attach, configure


@contextmanager
def storage_session(uris: str) -> Iterator[tuple[Metastore, FileSystem]]:
    """A quiet local session on this metastore, which reaches its storage as the statements of a session do."""
    builder = SparkSession.Builder().master("local[1]").appName("hive-acid")
    options = {"spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1", "spark.log.level": "OFF"}
    session = configure(builder.config(map=dict(options)), metastore=uris).getOrCreate()
    try:
        attachment = attach(session)
        yield attachment.metastore, attachment.file_system
    finally:
        session.stop()
