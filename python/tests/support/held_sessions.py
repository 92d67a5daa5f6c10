"""Sessions of the golden-file runner whose statements can be held; each has a thread of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

from pyspark.sql import SparkSession

from hive_acid.metastore.protocol import Metastore
from hive_acid.model.table import TableName
from hive_acid.session.session import attach
from hive_acid_sqltest.input.values import Settings
from hive_acid_sqltest.session import Answer, Step
from hive_acid_sqltest.spark_session import SparkSessions, SparkTestSession
from support.holds import Holds, Progress
from support.overwrite import overwrite

_OVERWRITE = re.compile(r"CALL other_client\.overwrite\('(\w+)'((?:, -?\d+)*)\)")


@contextmanager
def open_held_sessions(spark: SparkSession, client: Metastore) -> Iterator[HeldSessions]:
    """Sessions beside the given one. `client` is that of another program on the same metastore, which can say

    CALL other_client.overwrite('table', 1, 2): what INSERT OVERWRITE does, for a table of one column `id INT`.
    """
    holds = Holds(attach(spark).metastore)
    with ExitStack() as threads, holds.installed():
        yield HeldSessions(SparkSessions(spark), client, holds, threads)


class HeldSessions:
    """Opens sessions."""

    def __init__(self, sessions: SparkSessions, client: Metastore, holds: Holds, threads: ExitStack) -> None:
        self._sessions = sessions
        self._client = client
        self._holds = holds
        self._threads = threads

    def open(self, settings: Settings) -> HeldSession:
        """A new session with these settings."""
        thread = self._threads.enter_context(ThreadPoolExecutor(1))
        return HeldSession(self._sessions.open(settings), self._client, self._holds, thread)

    def version(self, of: str) -> str:
        """As of the sessions that are held."""
        return self._sessions.version(of)


class HeldSession:
    """A session with its thread; `SteppedSession` tells the methods."""

    def __init__(self, session: SparkTestSession, client: Metastore, holds: Holds, thread: ThreadPoolExecutor) -> None:
        self._session = session
        self._client = client
        self._holds = holds
        self._thread = thread
        self._progress: Progress | None = None
        self._answer: Future[Answer] | None = None

    def run(self, statement: str) -> Answer:
        return self._thread.submit(self._session.run, statement).result()

    def location(self, table: str) -> str:
        return self._thread.submit(self._session.location, table).result()

    def start(self, statement: str, hold: str | None) -> None:
        self._progress = Progress(self._holds, hold)
        self._answer = self._thread.submit(self._run, statement, self._progress)

    def go_on(self) -> None:
        assert self._progress is not None
        self._progress.go_on()

    def wait(self) -> Step:
        assert self._progress is not None
        return self._progress.wait()

    def finish(self) -> Answer:
        assert self._answer is not None
        return self._answer.result()

    def abandon(self) -> None:
        assert self._progress is not None
        self._progress.never_hold()

    def _run(self, statement: str, progress: Progress) -> Answer:
        with self._holds.running(progress):
            call = _OVERWRITE.fullmatch(statement)
            if call is None:
                return self._session.run(statement)
            table = TableName(self._session.run("SELECT current_database()").rows[0], call[1])
            overwrite(self._client, table, [int(text) for text in call[2].split(", ")[1:]])
            return Answer("struct<>", is_command=True)
