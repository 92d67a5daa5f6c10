"""A standalone cluster of Spark in processes of its own: a master, and two workers with a core each on two hosts.

Spark starts no speculative attempt of a task on the host that runs the first one; therefore two.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pyspark

from hive_acid.spark_lines import is_before
from hive_acid_downloads.java import find_java
from support.polling import eventually
from support.spark_settings import SHORT_LIVED

HOSTS: Final = ("127.0.0.1", "127.0.0.2")
SPECULATION: Final[Mapping[str, str]] = {
    "spark.speculation": "true",
    "spark.speculation.interval": "100ms",
    "spark.speculation.multiplier": "1.1",
    "spark.speculation.quantile": "0.5",
    "spark.speculation.minTaskRuntime": "500ms",
    "spark.speculation.efficiency.enabled": "false",
    "spark.executor.memory": "512m",
    "spark.executor.cores": "1",
}
"""Settings of a session on it: a second attempt is soon begun of a task that waits."""
_CLASSES: Final = str(Path(pyspark.__file__).parent / "jars" / "*")
_DEPLOY: Final = "org.apache.spark.deploy"
_START_SECONDS: Final = 120


@dataclass
class StandaloneCluster:
    """Its address for `spark.master`, and its processes."""

    folder: Path
    settings: Mapping[str, str]
    address: str = ""
    workers: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    """By their hosts; those that run."""
    _processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self) -> None:
        """Returns when the master knows both workers."""
        log = self.folder / "master.log"
        self._launch("master.Master", ["--host", HOSTS[0], "--port", "0", "--webui-port", "0"], log)
        assert eventually(lambda: bool(self._find_address(log)), _START_SECONDS), log.read_text()
        self.address = self._find_address(log)
        for host in HOSTS:
            self.start_worker(host)

    def start_worker(self, host: str) -> None:
        """A worker, with a core, on a host of the loopback interface that has none."""
        log, folder = self.folder / f"worker-{host}.log", self.folder / f"worker-{host}"
        size = ["--cores", "1", "--memory", "1g", "--work-dir", str(folder)]
        known = log.read_text().count("Successfully registered") if log.exists() else 0
        where = ["--host", host, "--port", "0", "--webui-port", "0"]
        self.workers[host] = self._launch("worker.Worker", [*where, *size, self.address], log)
        assert eventually(lambda: log.read_text().count("Successfully registered") > known, _START_SECONDS), (
            log.read_text()
        )

    def find_executors(self) -> dict[str, list[int]]:
        """The process IDs of the executors of every worker, by the worker's host."""
        lines = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
        parents = [tuple(map(int, line.split())) for line in lines.splitlines()]
        return {host: [pid for pid, parent in parents if parent == worker.pid] for host, worker in self.workers.items()}

    def kill_worker(self, host: str) -> None:
        """The worker and its executors, as a machine that is switched off."""
        executors = self.find_executors()[host]
        worker = self.workers.pop(host)
        for pid in (worker.pid, *executors):
            os.kill(pid, signal.SIGKILL)
        worker.wait()

    def decommission_worker(self, host: str) -> None:
        """As a machine that is to be taken away soon; the worker ends when its executors have moved their blocks."""
        self.workers.pop(host).send_signal(signal.SIGPWR)

    def stop(self) -> None:
        """Ends what runs. The executors of a worker end with it."""
        for process in reversed(self._processes):
            process.kill()
            process.wait()

    def _find_address(self, log: Path) -> str:
        found = re.search(r"Starting Spark master at (spark://\S+)", log.read_text() if log.exists() else "")
        return found[1] if found else ""

    def _launch(self, program: str, arguments: Sequence[str], log: Path) -> subprocess.Popen[bytes]:
        options = shlex.split(SHORT_LIVED["spark.executor.extraJavaOptions"])
        opened = [f"-D{key}={value}" for key, value in self.settings.items()]
        command = [str(find_java().path), "-Xmx256m", *options, *opened, "-cp", _CLASSES, f"{_DEPLOY}.{program}"]
        environment = {key: value for key, value in os.environ.items() if not key.startswith(("SPARK_", "PYSPARK_"))}
        # what Spark's scripts find out: a worker looks for Spark's own files, and starts Python for its executors
        scala = "2.12" if is_before("4.0") else "2.13"
        home = str(Path(pyspark.__file__).parent)
        found = {"SPARK_HOME": home, "SPARK_SCALA_VERSION": scala, "PYSPARK_PYTHON": sys.executable}
        with log.open("ab") as sink:
            process = subprocess.Popen(
                [*command, *arguments], cwd=self.folder, env={**environment, **found}, stdout=sink, stderr=sink
            )
        self._processes.append(process)
        return process


@contextmanager
def started_cluster(folder: Path, settings: Mapping[str, str] | None = None) -> Iterator[StandaloneCluster]:
    """A cluster, with settings for its master and workers; its logs and the workers' files are in the folder."""
    folder.mkdir(parents=True)
    cluster = StandaloneCluster(folder, settings or {})
    try:
        cluster.start()
        yield cluster
    finally:
        cluster.stop()
