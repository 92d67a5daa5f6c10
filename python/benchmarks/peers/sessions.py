"""The Spark session of a worker; only this side of the pipe knows PySpark."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import SparkSession

from peers.environments import OURS, PEERS


@dataclass(frozen=True)
class SessionOptions:
    """Which engine, its own folder, and how much of the machine the session gets: the same for all engines."""

    engine: str
    folder: str
    cores: int
    memory: str
    jars: str
    metastore: str = ""
    """The address of ours, for an engine that works on tables of ours."""


@contextmanager
def started_session(options: SessionOptions) -> Iterator[SparkSession]:
    """The session, and for ours its metastore, which is part of what our statements cost."""
    folder = Path(options.folder)
    if options.engine != OURS:
        warehouse = folder / "warehouse"
        builder = _build(options, warehouse)
        for key, value in PEERS[options.engine].settings.items():
            builder = builder.config(key, value)
        builder = builder.config("spark.jars", options.jars)
        yield from _running(builder.config("spark.sql.catalog.bench.warehouse", warehouse.as_uri()))
        return
    import hive_acid
    from hive_acid.local import EmbeddedMetastore

    with EmbeddedMetastore.start(folder / "metastore") as metastore:
        yield from _running(hive_acid.configure(_build(options, metastore.warehouse), metastore=metastore.uri))


def _build(options: SessionOptions, warehouse: Path) -> SparkSession.Builder:
    return (
        SparkSession.builder.master(f"local[{options.cores}]")
        .config("spark.driver.memory", options.memory)
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.local.dir", str(Path(options.folder) / "scratch"))
        .config("spark.log.level", "ERROR")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.shuffle.partitions", "8")
        # Delta's VACUUM lists folders in so many tasks; the default of 10,000 is meant for clusters
        .config("spark.sql.sources.parallelPartitionDiscovery.parallelism", "8")
        .config("spark.sql.warehouse.dir", warehouse.as_uri())
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
    )


def _running(builder: SparkSession.Builder) -> Iterator[SparkSession]:
    session = builder.getOrCreate()
    try:
        yield session
    finally:
        session.stop()
