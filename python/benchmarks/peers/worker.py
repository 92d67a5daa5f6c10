"""The process of one engine: one Spark session, commands as lines of JSON in, answers as lines of JSON out.

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
from collections.abc import Mapping
from typing import Any

from pyspark.sql import SparkSession

from peers.processes import cpu_seconds, peak_mib, reset_peak
from peers.sessions import SessionOptions, started_session


def serve(options: SessionOptions) -> None:
    """Answers until the input ends. The first line says that the session runs, and in which Spark."""
    # whatever libraries and the JVM print to the standard output goes to the log instead
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as answers:
        os.dup2(2, 1)
        with started_session(options) as session:
            _tell(answers, {"spark": session.version})
            for line in sys.stdin:
                _tell(answers, answer(session, json.loads(line)))


def answer(session: SparkSession, command: Mapping[str, Any]) -> dict[str, Any]:
    """Runs a command. An error is an answer, too."""
    jvm: Any = session._jvm
    jvm_id = int(jvm.java.lang.ProcessHandle.current().pid())
    reset_peak(jvm_id)
    cpu, started = cpu_seconds(os.getpid()), time.perf_counter()
    try:
        told = {"result": _run(session, command)}
    except Exception as error:  # noqa: BLE001 (whatever it is, the other side tells it)
        traceback.print_exc()
        told = {"error": f"{type(error).__name__}: {error}"}
    wall = time.perf_counter() - started
    return {**told, "wall_s": wall, "cpu_s": cpu_seconds(os.getpid()) - cpu, "peak_mib": peak_mib(jvm_id)}


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
