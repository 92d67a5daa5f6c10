"""Spark sessions as processes of their own: to be killed, to be interrupted, to write at the same time as others."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hive_acid
from support.spark_settings import SHORT_LIVED

if TYPE_CHECKING:
    from typing_extensions import Self

LIMIT_SECONDS = 300.0


@dataclass
class StatementFailed(Exception):
    """A statement of a session process ended in an error: its Python type, condition and SQLSTATE, its text."""

    type: str
    condition: str | None
    state: str | None
    text: str

    def __str__(self) -> str:
        return f"{self.type}: {self.text}"


class SessionProcess:
    """A driver: a Python process with its JVM."""

    def __init__(
        self,
        folder: Path,
        metastore: str,
        warehouse: Path,
        conf: Mapping[str, str] | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        """Starts it and returns at once; the first statement waits. `folder` is for its scratch files and log.

        `variables` are more of the environment's.
        """
        folder.mkdir(parents=True, exist_ok=True)
        defaults = {
            **SHORT_LIVED,
            "spark.master": "local[2]",
            "spark.driver.memory": "1g",
            "spark.local.dir": str(folder),
            "spark.sql.warehouse.dir": warehouse.as_uri(),
        }
        self.log = folder / "log"
        home = str(Path(hive_acid.__file__).parent.parent)
        own = {"PYTHONPATH": home, "PYTHONSAFEPATH": "1", "PYSPARK_PYTHON": sys.executable}
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, str(Path(__file__).with_name("session_worker.py"))],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=folder,
                env={**os.environ, **(variables or {}), **own},
            )
        self._guard = threading.Lock()
        self._ids = itertools.count(1)
        self._waiting: dict[int, Future[list[tuple[Any, ...]]]] = {0: Future()}
        self._started = self._waiting[0]
        self._send({"conf": {**defaults, **(conf or {})}, "metastore": metastore})
        threading.Thread(target=self._read, name="session-answers", daemon=True).start()

    def sql(self, text: str) -> list[tuple[Any, ...]]:
        """Rows of a statement run in the main thread. Raises StatementFailed."""
        return self.submit(text, thread="main").result(LIMIT_SECONDS)

    def submit(
        self,
        text: str,
        *,
        thread: str = "own",
        group: str | None = None,
        hold: Mapping[str, Any] | None = None,
    ) -> Future[list[tuple[Any, ...]]]:
        """The same in a thread of its own (or the main one), with a job group; the rows come later.

        `hold` (`method`, `nth`, `gate`) makes it wait at a gate before a call of the file system.
        """
        return self._command({"sql": text, "thread": thread, "group": group, "hold": hold})

    def submit_for(self, client: str, statements: Sequence[str], *, together: bool) -> Future[list[tuple[Any, ...]]]:
        """The rows of all statements, run one after the other, or together in one transaction.

        A client has a thread and a session of its own, made when its name is first used.
        """
        way = "together" if together else "apart"
        return self._command({"client": client, "statements": list(statements), "way": way})

    def hold_for(self, client: str, name: str, query: str) -> Future[list[tuple[Any, ...]]]:
        """Makes a DataFrame of the query, and a temporary view of it by this name, of which nothing is read yet."""
        return self._command({"client": client, "statements": [query], "way": "hold", "name": name})

    def collect_for(self, client: str, name: str, expressions: Sequence[str]) -> Future[list[tuple[Any, ...]]]:
        """The rows of what is selected from such a DataFrame."""
        return self._command({"client": client, "statements": list(expressions), "way": "collect", "name": name})

    def read_after_rollback_for(self, client: str, statements: Sequence[str]) -> Future[list[tuple[Any, ...]]]:
        """Rows of a DataFrame of the last statement, which was collected in a transaction of all, now rolled back."""
        return self._command({"client": client, "statements": list(statements), "way": "undo"})

    def live_heap_mb(self) -> int:
        """What of its JVM's heap is left by a full collection."""
        ((live_mb,),) = self._command({"heap": True, "thread": "main"}).result(LIMIT_SECONDS)
        return int(live_mb)

    def cancel(self, group: str) -> None:
        """SparkContext.cancelJobGroup."""
        self._command({"cancel": group, "thread": "own"}).result(LIMIT_SECONDS)

    def interrupt(self) -> None:
        """Ctrl-C for the Python process."""
        self._process.send_signal(signal.SIGINT)

    def wait_started(self) -> int:
        """Until the session is there: the process ID of its JVM."""
        ((jvm_pid,),) = self._started.result(LIMIT_SECONDS)
        return int(jvm_pid)

    @property
    def process_ids(self) -> tuple[int, int]:
        """Those of its halves, the JVM's first; waits until the session is there."""
        return self.wait_started(), self._process.pid

    def kill(self) -> None:
        """SIGKILL to the driver, both its halves; what it was asked for fails."""
        jvm_pid = self.wait_started()
        os.kill(jvm_pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()

    def end(self, way: str) -> str:
        """Ends the program by `sys.exit`, `an exception`, `spark.stop` or `SIGTERM`; what it then says as errors."""
        self.wait_started()
        said = self.log.stat().st_size
        if way == "SIGTERM":
            self._process.terminate()
        else:
            self._command({"end": way, "thread": "main"})
        self._process.wait(LIMIT_SECONDS)
        return self.log.read_bytes()[said:].decode(errors="replace")

    def close(self) -> None:
        """Ends it in good order. Does nothing the second time."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _command(self, command: dict[str, Any]) -> Future[list[tuple[Any, ...]]]:
        future: Future[list[tuple[Any, ...]]] = Future()
        with self._guard:
            key = next(self._ids)
            self._waiting[key] = future
        self._send({"id": key, **command})
        return future

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        with self._guard:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()

    def _read(self) -> None:
        ending = f"see {self.log}"
        try:
            self._read_answers()
        except Exception as error:
            ending = repr(error)
            raise
        finally:  # nobody is left waiting, whatever has happened
            with self._guard:
                abandoned = list(self._waiting.values())
            for future in abandoned:
                future.set_exception(StatementFailed("ProcessEnded", None, None, ending))

    def _read_answers(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if not line.endswith(b"\n"):  # it was killed within an answer
                break
            answer = json.loads(line)
            future = self._waiting.pop(answer["id"])
            if "error" in answer:
                future.set_exception(StatementFailed(**answer["error"]))
            else:
                future.set_result([tuple(row) for row in answer["rows"]])
