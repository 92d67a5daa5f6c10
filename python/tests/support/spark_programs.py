"""Spark's own programs as people start them: by settings alone, with no Python that sets the session up."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pyspark

import hive_acid
from hive_acid.local import EmbeddedMetastore
from hive_acid.session.setup_settings import find_sidecar_settings
from hive_acid.session.shim import find_shim_jar
from hive_acid.spark_lines import find_line, is_before, line_settings
from hive_acid_local.launch import free_port
from support.fetched_jars import fetch_jars
from support.polling import eventually
from support.processes import find_below
from support.spark_settings import SHORT_LIVED

SPARK_HOME = Path(pyspark.__file__).parent
SIDECAR = "hive_acid.session.sidecar"
_START_SECONDS = 240
_THRIFT_SERVER = "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2"
_CONNECT_SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"


def program_settings(metastore: EmbeddedMetastore, folder: Path) -> dict[str, str]:
    """What a user writes into spark-defaults.conf, and what keeps a test's Spark small."""
    return {
        **SHORT_LIVED,
        **line_settings(find_line(), {}),
        "spark.jars": str(find_shim_jar()),
        "spark.sql.extensions": "hiveacid.Extensions",
        "spark.sql.catalogImplementation": "hive",
        "spark.hadoop.hive.metastore.uris": metastore.uri,
        "spark.hiveacid.python": sys.executable,
        "spark.sql.warehouse.dir": metastore.warehouse.as_uri(),
        "spark.local.dir": str(folder),
        "spark.master": "local[2]",
    }


@dataclass(frozen=True)
class Program:
    """A running program of Spark's; what it prints goes to `output`, its errors and its log to `log`."""

    process: subprocess.Popen[bytes]
    output: Path
    log: Path

    def sidecars(self) -> list[int]:
        """The process IDs of its side-cars."""
        return find_below(self.process.pid, SIDECAR)

    def sidecar(self) -> int:
        """The process ID of its one side-car."""
        (found,) = self.sidecars()
        return found

    def say(self, text: str) -> None:
        """Writes to its standard input."""
        assert self.process.stdin is not None
        self.process.stdin.write(text.encode())
        self.process.stdin.flush()

    def wait_for(self, text: str, *, in_log: bool = False) -> None:
        """Until it has printed that."""
        place = self.log if in_log else self.output

        def is_there() -> bool:
            assert self.process.poll() is None or text in place.read_text(), (
                f"{self.output.read_text()}\n{self.log.read_text()}"
            )
            return text in place.read_text()

        assert eventually(is_there, _START_SECONDS), self._read_both()

    def _read_both(self) -> str:
        return f"{self.output.read_text()}\n{self.log.read_text()}"

    def end(self) -> None:
        """As a service is stopped."""
        self.process.terminate()
        self.process.wait(60)


@contextmanager
def started_thrift_server(metastore: EmbeddedMetastore, folder: Path) -> Iterator[tuple[Program, int]]:
    """Spark's server of JDBC, and the port at which it answers."""
    port = free_port()
    address = (f"hive.server2.thrift.port={port}", "hive.server2.thrift.bind.host=127.0.0.1")
    words = (word for setting in address for word in ("--hiveconf", setting))
    command = ["spark-submit", "--class", _THRIFT_SERVER, "spark-internal", *words]
    with started(command, program_settings(metastore, folder), folder) as server:
        _await_answer(port)
        yield server, port


@contextmanager
def started_connect_server(
    metastore: EmbeddedMetastore, folder: Path, others: Mapping[str, str] | None = None
) -> Iterator[tuple[Program, int]]:
    """A server of Spark Connect, with `others` too as settings, and the port at which it answers."""
    port = free_port()
    address = {"spark.connect.grpc.binding.port": str(port), "spark.connect.grpc.binding.address": "127.0.0.1"}
    command = ["spark-submit", "--class", _CONNECT_SERVER, "spark-internal"]
    settings = program_settings(metastore, folder) | find_sidecar_settings({})
    if is_before("4.0"):
        jars = fetch_jars(
            Path(__file__).with_name("connect_server.txt"), "connect-server", "the server of Spark Connect"
        )
        settings["spark.jars"] = ",".join((settings["spark.jars"], *map(str, jars.glob("*.jar"))))
    with started(command, {**settings, **address, **(others or {})}, folder) as server:
        _await_answer(port)
        yield server, port


def _await_answer(port: int) -> None:
    def is_answering() -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    assert eventually(is_answering, _START_SECONDS), "the server does not answer"


@contextmanager
def started(
    command: Sequence[str], settings: Mapping[str, str], folder: Path, variables: Mapping[str, str] | None = None
) -> Iterator[Program]:
    """A program of Spark's with these settings; killed in the end if it still runs."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "spark-defaults.conf").write_text("".join(f"{key} {value}\n" for key, value in settings.items()))
    output, log = folder / "output", folder / "log"
    with output.open("wb") as printed, log.open("wb") as logged:
        process = _start([str(SPARK_HOME / "bin" / command[0]), *command[1:]], folder, variables or {}, printed, logged)
        try:
            yield Program(process, output, log)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def _start(
    command: Sequence[str], folder: Path, variables: Mapping[str, str], output: IO[bytes], log: IO[bytes]
) -> subprocess.Popen[bytes]:
    outer = {key: value for key, value in os.environ.items() if not key.startswith(("SPARK_", "PYSPARK_"))}
    home = str(Path(hive_acid.__file__).parent.parent)
    found = {"SPARK_HOME": str(SPARK_HOME), "SPARK_CONF_DIR": str(folder), "PYTHONPATH": home}
    return subprocess.Popen(
        command, cwd=folder, env={**outer, **found, **variables}, stdin=subprocess.PIPE, stdout=output, stderr=log,
        start_new_session=True,
    )  # fmt: skip
