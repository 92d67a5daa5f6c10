"""The other end of a worker's pipe."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from peers.environments import OURS, ROOT, TRINO, foreign_variables, prepare

_BENCHMARKS = Path(__file__).resolve().parents[1]
_STOP_SECONDS = 120


@dataclass(frozen=True)
class Answer:
    """The result of a command, and what it took."""

    result: Any
    wall_s: float
    cpu_s: float
    peak_mib: int


@dataclass(frozen=True)
class Machine:
    """The share of the machine that each engine's session gets."""

    cores: int
    memory: str


class WorkerClient:
    """A worker that runs: the version of its Spark, or its own release, which other engines have from their package."""

    def __init__(self, engine: str, folder: Path, process: subprocess.Popen[str]) -> None:
        self.engine = engine
        self.folder = folder
        self._process = process
        versions = self._read()
        self.spark, self.release = (str(versions.get(name, "")) for name in ("spark", "release"))

    def sql(self, *statements: str) -> Answer:
        """Runs statements; the result are the rows of the last one. Raises RuntimeError if one fails."""
        return self._ask({"statements": statements})

    def call(self, function: str, **arguments: Any) -> Answer:
        """Calls a function of the worker's side by `module:name`. Raises RuntimeError if it fails."""
        return self._ask({"function": function, "arguments": arguments})

    def _ask(self, command: dict[str, Any]) -> Answer:
        assert self._process.stdin is not None
        print(json.dumps(command), file=self._process.stdin, flush=True)
        told = self._read()
        if "error" in told:
            raise RuntimeError(f"{self.engine}: {told['error'][:4000]}")
        return Answer(told["result"], told["wall_s"], told["cpu_s"], told["peak_mib"])

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            log = (self.folder / "log").read_text(errors="replace")
            raise RuntimeError(f"the worker of {self.engine} has ended:\n{log[-4000:]}")
        message: dict[str, Any] = json.loads(line)
        return message


@contextmanager
def started_worker(engine: str, folder: Path, machine: Machine, metastore: str = "") -> Iterator[WorkerClient]:
    """A worker with its session, in a folder of its own; `metastore` is the address of the one that Trino needs.

    Raises RuntimeError if it does not start.
    """
    environment = prepare(engine)
    folder.mkdir(parents=True)
    options = {
        "engine": engine,
        "folder": str(folder),
        "cores": machine.cores,
        "memory": machine.memory,
        "jars": ",".join(map(str, environment.jars)),
        "metastore": metastore,
    }
    variables = foreign_variables() | {
        "PYTHONPATH": os.pathsep.join(_search_path(engine)),
        "PYSPARK_PYTHON": str(environment.python),
    }
    command = [str(environment.python), "-m", "peers.worker", json.dumps(options)]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True, env=variables, cwd=folder
        )
    assert process.stdin is not None
    try:
        yield WorkerClient(engine, folder, process)
    finally:
        process.stdin.close()  # the worker ends with its input
        try:
            process.wait(timeout=_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _search_path(engine: str) -> Sequence[str]:
    own = {OURS: ["python"], TRINO: ["python", "python/tests"]}.get(engine, [])
    return [str(_BENCHMARKS), *(str(ROOT / folder) for folder in own)]
