"""Runs the files of a suite in several processes, each with an engine of its own."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess

from hive_acid_sqltest.runner import Report, Tell, Verdict, run_file
from hive_acid_sqltest.session import SessionFactory
from hive_acid_sqltest.suite import SuiteFile

END_SECONDS = 60.0
"""How long a process may take to stop its engine before it is killed."""
OpenSessions = Callable[[], AbstractContextManager[SessionFactory]]
_READY = "ready"
_SPAWN = multiprocessing.get_context("spawn")  # a fork would share the parent's threads and connections


def run_parallel(
    files: Sequence[SuiteFile], open_sessions: OpenSessions, jobs: int, is_update: bool, tell: Tell
) -> list[Report]:
    """Runs the files in at most `jobs` processes: one report each, in the order of the files, told in that order.

    `open_sessions` is called in each process, so it must be picklable. A file whose process ends before it does is
    broken, and another process takes the rest; if a process ends before its engine is ready, the others have to do.
    The processes end with this function, also by an interrupt: they are interrupted, and killed if they linger.
    """
    pool = _Pool(files, open_sessions, is_update, tell)
    try:
        pool.run(min(jobs, len(files)))
    except BaseException:
        pool.interrupt()
        raise
    finally:
        pool.end()
    return [pool.reports[file.name] for file in files]


@dataclass
class _Child:
    """`file` is what it runs."""

    process: SpawnProcess
    connection: Connection
    file: SuiteFile | None = None
    is_ready: bool = False


class _Pool:
    def __init__(self, files: Sequence[SuiteFile], open_sessions: OpenSessions, is_update: bool, tell: Tell) -> None:
        self._open_sessions = open_sessions
        self._is_update = is_update
        self._tell = tell
        self._untold = deque(files)
        self._waiting = deque(files)
        self._children: list[_Child] = []
        self._working: dict[Connection, _Child] = {}
        self.reports: dict[str, Report] = {}

    def run(self, jobs: int) -> None:
        """Runs all files to their end."""
        for _ in range(jobs):
            self._start()
        while self._working:
            for connection in wait(list(self._working)):
                assert isinstance(connection, Connection)
                self._hear(self._working[connection])
        while self._waiting:
            self._report_broken(self._waiting.popleft(), "it was not run: no process could be started; see above")

    def interrupt(self) -> None:
        """Sends every process what Ctrl-C sends."""
        for child in self._children:
            if child.process.is_alive() and child.process.pid is not None:
                os.kill(child.process.pid, signal.SIGINT)

    def end(self) -> None:
        """Waits until every process has ended."""
        for child in self._children:
            child.process.join(END_SECONDS)
            if child.process.is_alive():
                child.process.kill()
                child.process.join()
            child.connection.close()

    def _start(self) -> None:
        ours, theirs = _SPAWN.Pipe()
        arguments = (theirs, self._open_sessions, self._is_update)
        process = _SPAWN.Process(target=_serve, args=arguments, daemon=True)
        process.start()
        theirs.close()  # so that the end of the process ends the connection
        self._working[ours] = _Child(process, ours)
        self._children.append(self._working[ours])

    def _hear(self, child: _Child) -> None:
        try:
            message = child.connection.recv()
        except (EOFError, ConnectionError):
            self._lose(child)
            return
        if message == _READY:
            child.is_ready = True
        else:
            self._report(message)
        self._give(child)

    def _give(self, child: _Child) -> None:
        child.file = self._waiting.popleft() if self._waiting else None
        if child.file is None:
            del self._working[child.connection]
        try:
            child.connection.send(child.file)
        except ConnectionError:
            if child.file is not None:
                self._lose(child)

    def _lose(self, child: _Child) -> None:
        del self._working[child.connection]
        child.process.join(END_SECONDS)
        if child.file is not None:
            code = child.process.exitcode
            self._report_broken(child.file, f"the process that ran it ended with exit code {code}; see above")
        if child.is_ready and self._waiting:
            self._start()

    def _report_broken(self, file: SuiteFile, reason: str) -> None:
        self._report(Report(file.name, Verdict.BROKEN, 0.0, reason))

    def _report(self, report: Report) -> None:
        self.reports[report.name] = report
        while self._untold and self._untold[0].name in self.reports:
            self._tell(self.reports[self._untold.popleft().name])


def _serve(connection: Connection, open_sessions: OpenSessions, is_update: bool) -> None:
    """The program of a process: runs the files it is given until there are none, or nobody is left to give them."""
    os.setpgid(0, 0)  # Ctrl-C in a terminal reaches the parent only, which passes it on, once
    # whatever is started in the background of a shell ignores it, and so would the processes below
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with open_sessions() as sessions:
            connection.send(_READY)
            while (file := connection.recv()) is not None:
                connection.send(run_file(file, sessions, is_update))
    except (KeyboardInterrupt, EOFError, BrokenPipeError):
        pass
