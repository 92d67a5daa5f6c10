"""The process of one engine: one Spark session, or Trino; commands as lines of JSON in, answers as lines of JSON out.

A command is `{"statements": [SQL, …]}`, whose result are the rows of the last one, or `{"function": "module:name",
"arguments": {…}}`, which is called with the session and whose result JSON can keep. The answer has `result` or
`error`, and what the command took: `wall_s`, `cpu_s` of this process and all below it, `peak_mib` of the JVM meanwhile.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from pyspark.sql import SparkSession

from peers.environments import TRINO
from peers.processes import cpu_seconds, peak_mib, reset_peak
from peers.sessions import SessionOptions, started_session


@dataclass(frozen=True)
class Engine:
    """What a worker serves: what it tells of its versions, the process of its JVM, and how it runs a command."""

    versions: Mapping[str, str]
    jvm_id: int
    run: Callable[[Mapping[str, Any]], Any]


@contextmanager
def started_engine(options: SessionOptions) -> Iterator[Engine]:
    """The engine that the options name."""
    if options.engine == TRINO:
        from peers.trino import RELEASE, run, started_trino

        with started_trino(options) as server:
            yield Engine({"release": RELEASE}, server.process_id, partial(run, server))
        return
    with started_session(options) as session:
        jvm: Any = session._jvm
        jvm_id = int(jvm.java.lang.ProcessHandle.current().pid())
        yield Engine({"spark": session.version}, jvm_id, partial(_run, session))


def serve(options: SessionOptions) -> None:
    """Answers until the input ends. The first line says that the engine runs, and in which version."""
    # whatever libraries and the JVM print to the standard output goes to the log instead
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)
        with started_engine(options) as engine:
            _tell(answers, engine.versions)
            for line in sys.stdin:
                _tell(answers, answer(engine, json.loads(line)))


def answer(engine: Engine, command: Mapping[str, Any]) -> dict[str, Any]:
    """Runs a command. An error is an answer, too."""
    reset_peak(engine.jvm_id)
    cpu, started = cpu_seconds(os.getpid()), time.perf_counter()
    try:
        told = {"result": engine.run(command)}
    except Exception as error:  # noqa: BLE001 (whatever it is, the other side tells it)
        traceback.print_exc()
        told = {"error": f"{type(error).__name__}: {error}"}
    wall = time.perf_counter() - started
    return {**told, "wall_s": wall, "cpu_s": cpu_seconds(os.getpid()) - cpu, "peak_mib": peak_mib(engine.jvm_id)}


def _run(session: SparkSession, command: Mapping[str, Any]) -> Any:
    if "function" in command:
        module, _, name = command["function"].partition(":")
        return getattr(importlib.import_module(module), name)(session, **command["arguments"])
    rows: list[Any] = []
    for statement in command["statements"]:
        rows = session.sql(statement).collect()
    return [list(row) for row in rows]


def _tell(answers: Any, message: Mapping[str, Any]) -> None:
    print(json.dumps(message, default=str), file=answers, flush=True)


if __name__ == "__main__":
    serve(SessionOptions(**json.loads(sys.argv[1])))
