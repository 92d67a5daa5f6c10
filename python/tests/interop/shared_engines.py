"""The Hive engines and the Spark session that all tests of a process share.

An engine and a session each start in ten to twenty seconds and are slow for a minute after that.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from pyspark.sql import SparkSession

from interop.hive_engine import HiveEngine, HiveError
from interop.spark_beside import session_beside


class SharedEngines:
    """An engine of each release, and a Spark session on the one that was asked for last, until `close`."""

    def __init__(self, new_folder: Callable[[str], Path]) -> None:
        """`new_folder` makes a folder of a name like the one given."""
        self._new_folder = new_folder
        self._engines: dict[str, tuple[HiveEngine, ExitStack]] = {}
        self._session: tuple[HiveEngine, SparkSession, ExitStack] | None = None

    @contextmanager
    def lend_engine(self, version: str) -> Iterator[HiveEngine]:
        """The engine of a release, which is empty at the beginning."""
        if version not in self._engines:
            running = ExitStack()
            engine = running.enter_context(HiveEngine.started(version, self._new_folder(f"hive-{version}")))
            self._engines[version] = engine, running
        engine, _ = self._engines[version]
        try:
            yield engine
        finally:
            try:
                make_empty(engine)
            except HiveError:  # it died, or a test left what cannot be dropped: the next one gets another engine
                self._end_engine(version)

    @contextmanager
    def lend_session(self, engine: HiveEngine, time_zone: str) -> Iterator[SparkSession]:
        """A session on an engine, with settings of its own."""
        if self._session is None or self._session[0] is not engine:
            self.end_session()
            running = ExitStack()
            session = running.enter_context(session_beside(engine, self._new_folder("spark"), time_zone))
            self._session = engine, session, running
        own = self._session[1].newSession()
        own.conf.set("spark.sql.session.timeZone", time_zone)
        yield own
        own.catalog.clearCache()

    def end_session(self) -> None:
        """For tests that need another: a process has one Spark context at a time."""
        if self._session is not None:
            self._session[2].close()
            self._session = None

    def close(self) -> None:
        """Ends all of them."""
        self.end_session()
        for version in tuple(self._engines):
            self._end_engine(version)

    def _end_engine(self, version: str) -> None:
        engine, running = self._engines.pop(version)
        if self._session is not None and self._session[0] is engine:
            self.end_session()
        running.close()


def make_empty(engine: HiveEngine) -> None:
    """Takes back what tests have left in an engine: open transactions, databases, tables, files, settings.

    Raises:
        HiveError: something cannot be taken back.
    """
    states = (line for line in engine.sql("SHOW TRANSACTIONS").rows if line[1] == "OPEN")
    if found := " ".join(str(line[0]) for line in states):
        engine.sql(f"ABORT TRANSACTIONS {found}")
    engine.sql("USE default")
    for (database,) in engine.sql("SHOW DATABASES").rows:
        if database != "default":
            engine.sql(f"DROP DATABASE `{database}` CASCADE")
    for (view,) in engine.sql("SHOW VIEWS").rows:
        engine.sql(f"DROP VIEW `{view}`")
    for table, *_ in engine.sql("SHOW TABLES").rows:
        engine.sql(f"DROP TABLE `{table}` PURGE")
    for folder in engine.warehouse.iterdir():  # of external tables
        shutil.rmtree(folder)
    engine.sql("RESET")
