"""A real Hive engine of one release in a process of its own, without a cluster."""

import json
import os
import queue
import socket
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from interop.hive_jars import Installation, hive_installation

HIVE_VERSIONS = ("3.1.3", "4.1.0")
START_LIMIT_S = 180.0
STATEMENT_LIMIT_S = 300.0
STOP_LIMIT_S = 20.0
OPENED_PACKAGES = (
    *("lang", "lang.invoke", "lang.ref", "lang.reflect", "math", "net", "nio", "io", "text", "time", "util"),
    *("util.concurrent", "util.concurrent.atomic", "util.regex", "util.zip"),
)


class HiveError(Exception):
    """Hive refused or failed a statement, or the engine died; the text is Hive's, with all causes."""


@dataclass(frozen=True)
class Result:
    """The rows of a statement.

    Integers, finite floating numbers, booleans and NULL are Python values; binary values are hexadecimal text; all else
    is text as HiveServer2 gives it, nested values as JSON text.
    """

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: list[tuple[Any, ...]]

    def dicts(self) -> list[dict[str, Any]]:
        """The rows by column name."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


class HiveEngine:
    """One Hive engine. Other processes reach the metastore it works on at `metastore_uri`."""

    def __init__(self, version: str, folder: Path, metastore_uri: str, process: "subprocess.Popen[str]") -> None:
        self.version = version
        self.folder = folder
        self.metastore_uri = metastore_uri
        self.warehouse = folder / "warehouse"
        self.log = folder / "hive.log"
        self.process_id = process.pid
        self._process = process
        self._answers: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read_answers, daemon=True, name=f"hive-{version}-answers").start()

    @classmethod
    @contextmanager
    def started(
        cls,
        version: str,
        folder: Path,
        *,
        metastore_uri: str | None = None,
        settings: Mapping[str, str] | None = None,
        time_zone: str = "UTC",
    ) -> "Iterator[HiveEngine]":
        """An engine of Hive `version` that keeps everything below `folder` and ends with the block.

        Without `metastore_uri` it brings a metastore of its own release, served to other processes at a free port.
        `settings` go into its hive-site.xml, over the defaults here. `time_zone` is that of its JVM.
        """
        folder.mkdir(parents=True, exist_ok=True)
        port = None if metastore_uri else _free_port()
        chosen = {"hive.metastore.uris": metastore_uri or "", **(settings or {})}
        process = _spawn(hive_installation(version), folder.resolve(), port, chosen, time_zone)
        engine = cls(version, folder.resolve(), metastore_uri or f"thrift://127.0.0.1:{port}", process)
        try:
            engine._answer(START_LIMIT_S)
            yield engine
        finally:
            engine.close()

    def sql(self, statement: str, limit_s: float = STATEMENT_LIMIT_S) -> Result:
        """Runs one statement (or one of the driver's own requests, see HiveDriver.java). Raises HiveError."""
        request = statement.strip().removesuffix(";").replace("\\", "\\\\").replace("\n", "\\n")
        try:
            print(request, file=self._process.stdin, flush=True)
        except OSError as error:
            raise HiveError(f"Hive {self.version} has ended; its log is {self.log}") from error
        try:
            answer = self._answer(limit_s)
        except HiveError as error:
            raise HiveError(f"{statement.strip()}\n{error}") from None
        columns, types = zip(*answer["columns"], strict=True) if answer["columns"] else ((), ())
        return Result(columns, types, [tuple(row) for row in answer["rows"]])

    def close(self) -> None:
        """Ends the process: it stops when its input ends, and is killed if it does not."""
        if self._process.stdin and not self._process.stdin.closed:
            self._process.stdin.close()
        try:
            self._process.wait(STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _read_answers(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            self._answers.put(line)
        self._answers.put("")

    def _answer(self, limit_s: float) -> dict[str, Any]:
        try:
            line = self._answers.get(timeout=limit_s)
        except queue.Empty:
            self._process.kill()
            raise HiveError(f"no answer within {limit_s:.0f} s, engine killed; its log is {self.log}") from None
        if not line:
            raise HiveError(f"Hive {self.version} has ended; its log is {self.log}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise HiveError(answer["error"])
        return answer


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _spawn(
    hive: Installation, folder: Path, port: int | None, chosen: Mapping[str, str], time_zone: str
) -> "subprocess.Popen[str]":
    """Starts the JVM with the driver; `port` is where it shall serve its own metastore."""
    conf = folder / "conf"
    for name in (conf, folder / "tmp", folder / "warehouse"):
        name.mkdir(exist_ok=True)
    (conf / "hive-site.xml").write_text(_site_xml({**_defaults(folder), **chosen}))
    (conf / "log4j2.properties").write_text(_LOG4J)
    java = [str(hive.java.path), "-Xmx1200m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
    java += [f"--add-opens=java.base/java.{name}=ALL-UNNAMED" for name in OPENED_PACKAGES]
    java += ["--add-opens=java.base/sun.nio.ch=ALL-UNNAMED", "--add-opens=java.sql/java.sql=ALL-UNNAMED"]
    java += [
        f"-Duser.timezone={time_zone}",
        f"-Djava.io.tmpdir={folder}/tmp",
        f"-Dderby.stream.error.file={folder}/derby.log",
    ]
    java += [f"-Dlog4j2.configurationFile={conf}/log4j2.properties"]
    if port is not None:
        java += [f"-Ddriver.schema={','.join(map(str, hive.schema))}", f"-Ddriver.port={port}"]
    java += ["-cp", os.pathsep.join(map(str, (conf, hive.classes, *hive.jars)))]
    java += ["Boot" if hive.version.startswith("3.") else "HiveDriver"]
    with (folder / "hive.log").open("ab") as log:
        pipe = subprocess.PIPE
        return subprocess.Popen(java, cwd=folder, stdin=pipe, stdout=pipe, stderr=log, text=True, encoding="utf-8")


def _defaults(folder: Path) -> dict[str, str]:
    """hive-site.xml of an engine that runs its jobs in its own process and compacts only when told to."""
    return {
        # its metastore ends with it
        "javax.jdo.option.ConnectionURL": "jdbc:derby:memory:metastore;create=true",
        "javax.jdo.option.ConnectionDriverName": "org.apache.derby.jdbc.EmbeddedDriver",
        "hive.metastore.warehouse.dir": f"file:{folder}/warehouse",
        # Spark's client of Hive 2.3 says of no capability that it has it, and would see no insert-only table; with the
        # check, as shipped: integration/test_metastore_releases.py
        "hive.metastore.client.capability.check": "false",
        # transactional tables need both
        "hive.support.concurrency": "true",
        "hive.txn.manager": "org.apache.hadoop.hive.ql.lockmgr.DbTxnManager",
        # the partitions of an INSERT … VALUES are those of its rows
        "hive.exec.dynamic.partition.mode": "nonstrict",
        # as shipped; a test asks for a pass of each by a request to the driver
        "hive.compactor.initiator.on": "false",
        "hive.compactor.cleaner.on": "false",
        "hive.compactor.worker.threads": "0",
        # jobs in its own process: Tez needs a cluster
        "hive.execution.engine": "mr",
        "mapreduce.framework.name": "local",
        "fs.defaultFS": "file:///",
        # Hadoop's own starts a process to read or set permissions
        "fs.file.impl": "JavaFileSystem",
        # how often a job is looked at: a compaction's waits for five seconds otherwise
        "mapreduce.client.completion.pollinterval": "20",
        "mapreduce.client.progressmonitor.pollinterval": "20",
        "hive.exec.counters.pull.interval": "20",
        # each map task clears so many megabytes of memory before it begins
        "mapreduce.task.io.sort.mb": "4",
        # each would start one more JVM
        "hive.exec.submit.local.task.via.child": "false",
        "hive.auto.convert.join": "false",
        # a plain SELECT is a fetch without a job: the row reader; see hive_tables for the vectorised one
        "hive.fetch.task.conversion": "more",
        # a query that is asked again reads files again
        "hive.query.results.cache.enabled": "false",
        # nothing is kept outside its folder
        "hadoop.tmp.dir": f"{folder}/tmp",
        # a local job's default is one folder for all users of the machine: the second of them fails
        "mapreduce.jobtracker.staging.root.dir": f"{folder}/tmp/staging",
        "hive.exec.scratchdir": f"{folder}/tmp/scratch",
        "hive.exec.local.scratchdir": f"{folder}/tmp/local",
        "hive.downloaded.resources.dir": f"{folder}/tmp/resources",
        "hive.querylog.location": f"{folder}/tmp/querylog",
        "hive.query.results.cache.directory": f"{folder}/tmp/results",
    }


def _site_xml(settings: Mapping[str, str]) -> str:
    properties = (f"<property><name>{k}</name><value>{escape(v)}</value></property>" for k, v in settings.items())
    return "\n".join(['<?xml version="1.0"?>', "<configuration>", *properties, "</configuration>", ""])


_LOG4J = """\
status = error
appender.err.type = Console
appender.err.name = err
appender.err.target = SYSTEM_ERR
appender.err.layout.type = PatternLayout
appender.err.layout.pattern = %d{HH:mm:ss.SSS} %p %c{1} %m%n%ex{40}
rootLogger.level = warn
rootLogger.appenderRef.err.ref = err
"""
