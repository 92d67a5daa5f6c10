"""A real Trino on the metastore of another engine, in a process of its own that only this machine reaches."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from interop.hive_engine import Result
from interop.trino_installation import TrinoInstallation, trino_installation
from support.polling import eventually

START_LIMIT_S: Final = 300.0
STOP_LIMIT_S: Final = 20.0
REQUEST_LIMIT_S: Final = 60.0
RETRY_AFTER_S: Final = 0.1
"""A server that is too busy answers 502, 503 or 504, and wants to be asked again after this time."""
NODE_LIMIT_S: Final = 60.0
NO_NODE: Final = ("NO_NODES_AVAILABLE", "nodes is empty")
"""How an answer names a server that does not know itself: it announces itself, and forgets it on a busy machine."""
USER: Final = "tester"


@dataclass(frozen=True)
class Share:
    """What a server gets of the machine: its JVM's options, the memory of a query, and what it keeps beside queries."""

    java_options: tuple[str, ...]
    query_mib: int
    headroom_mib: int


BRIEF: Final = Share(("-Xmx2g", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"), 600, 400)
"""For tests: it is up soon, and each statement runs once."""


class TrinoError(Exception):
    """Trino refused or failed a statement; the text is Trino's, with the name of the error."""


class NoNodeError(TrinoError):
    """The statement was given up before any of it was done."""


class TrinoServer:
    """One Trino server. Statements may come from several threads; each sees the catalog `hive`."""

    def __init__(self, address: str, folder: Path, process: subprocess.Popen[bytes]) -> None:
        self.log = folder / "trino.log"
        self.process_id = process.pid
        self._address = address
        self._process = process

    @classmethod
    @contextmanager
    def started(
        cls,
        folder: Path,
        metastore_uri: str,
        time_zone: str = "UTC",
        metastores_catalog: str | None = None,
        share: Share = BRIEF,
    ) -> Iterator[TrinoServer]:
        """A server on the metastore that keeps everything below `folder` and ends with the block.

        `time_zone` is that of its JVM, by which it reads and writes ORC. Of the metastore it has the catalog `hive`
        unless another is named. Raises EngineUnavailable.
        """
        installation = trino_installation()
        folder.mkdir(parents=True, exist_ok=True)
        port = _free_port()
        catalog = _hive_catalog(metastore_uri, metastores_catalog)
        _configure(folder.resolve() / "etc", _config(port, installation.plugins, share), catalog)
        process = _spawn(installation, folder.resolve(), time_zone, share)
        server = cls(f"http://127.0.0.1:{port}", folder.resolve(), process)
        try:
            if not eventually(server._is_up, START_LIMIT_S):
                raise TrinoError(f"Trino is not up after {START_LIMIT_S:.0f} s; its log is {server.log}")
            yield server
        finally:
            server.close()

    def sql(self, statement: str, database: str = "default", session: Mapping[str, str] | None = None) -> Result:
        """Runs one statement, with names looked up in `database`, under the settings of `session`. Raises TrinoError.

        Numbers, booleans and NULL are Python values; decimals, times and characters are text; binary values base64.
        """
        until = time.monotonic() + NODE_LIMIT_S
        while True:
            try:
                return self._run(statement, database, session or {})
            except NoNodeError:
                if time.monotonic() > until:
                    raise
                time.sleep(RETRY_AFTER_S)

    def _run(self, statement: str, database: str, session: Mapping[str, str]) -> Result:
        headers = {
            "X-Trino-User": USER,
            "X-Trino-Catalog": "hive",
            "X-Trino-Schema": database,
            "X-Trino-Time-Zone": "UTC",
            "X-Trino-Session": ",".join(f"{name}={value}" for name, value in session.items()),
            "X-Trino-Client-Capabilities": "PARAMETRIC_DATETIME",
        }
        columns: list[dict[str, Any]] = []
        rows: list[tuple[Any, ...]] = []
        answer = self._ask(f"{self._address}/v1/statement", headers, statement.encode())
        while True:
            if "error" in answer:
                told = f"{answer['error']['errorName']}: {answer['error']['message']}"
                kind = NoNodeError if any(words in told for words in NO_NODE) else TrinoError
                raise kind(f"{statement.strip()}\n{told}")
            columns = answer.get("columns", columns)
            rows += [tuple(row) for row in answer.get("data", ())]
            if "nextUri" not in answer:
                names, types = (tuple(column[key] for column in columns) for key in ("name", "type"))
                return Result(names, types, rows)
            answer = self._ask(answer["nextUri"], headers)

    def close(self) -> None:
        """Ends the process, by a signal to it and to nobody else."""
        self._process.terminate()
        try:
            self._process.wait(STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _is_up(self) -> bool:
        if self._process.poll() is not None:
            raise TrinoError(f"Trino has ended; its log is {self.log}")
        try:
            # a node takes statements on a catalog only once it has told of it, and may be known before
            return bool(self.sql("SELECT count(*) FROM hive.information_schema.schemata").rows[0][0])
        except (OSError, TrinoError):  # nobody listens yet, or the catalog is not loaded yet
            return False

    def _ask(self, url: str, headers: Mapping[str, str], body: bytes | None = None) -> dict[str, Any]:
        request = urllib.request.Request(url, data=body, headers=dict(headers))
        until = time.monotonic() + REQUEST_LIMIT_S
        while True:
            try:
                with urllib.request.urlopen(request, timeout=REQUEST_LIMIT_S) as response:
                    answer: dict[str, Any] = json.load(response)
                    return answer
            except urllib.error.HTTPError as error:
                if error.code not in (502, 503, 504) or time.monotonic() > until:
                    raise TrinoError(f"{url}: {error.code} {error.read()[:500]!r}") from error
                time.sleep(RETRY_AFTER_S)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _configure(etc: Path, server: Mapping[str, str], catalog: Mapping[str, str]) -> None:
    (etc / "catalog").mkdir(parents=True)
    _write(etc / "config.properties", server)
    _write(etc / "catalog" / "hive.properties", catalog)


def _spawn(installation: TrinoInstallation, folder: Path, time_zone: str, share: Share) -> subprocess.Popen[bytes]:
    etc = folder / "etc"
    (folder / "data").mkdir()
    java = [str(installation.java.path), *share.java_options]
    java += ["-Djdk.attach.allowAttachSelf=true", "-Djdk.nio.maxCachedBufferSize=2000000"]
    java += [f"-Duser.timezone={time_zone}", f"-Djava.io.tmpdir={folder}/data"]
    java += [f"-Dconfig={etc}/config.properties", f"-Dcatalog.config-dir={etc}/catalog"]
    java += ["-cp", f"{installation.lib}{os.sep}*", "io.trino.server.TrinoServer"]
    with (folder / "trino.log").open("ab") as log:
        return subprocess.Popen(java, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log)


def _write(path: Path, properties: Mapping[str, str]) -> None:
    path.write_text("".join(f"{name}={value}\n" for name, value in properties.items()), "utf-8")


def _config(port: int, plugins: Path, share: Share) -> dict[str, str]:
    return {
        "node.environment": "test",  # which has no default
        "node.id": "only",
        # no other machine can reach it, and it works by itself
        "node.internal-address": "127.0.0.1",
        "node.bind-ip": "127.0.0.1",
        "coordinator": "true",
        "node-scheduler.include-coordinator": "true",
        "http-server.http.port": str(port),
        "discovery.uri": f"http://127.0.0.1:{port}",
        "plugin.dir": str(plugins),
        # its files describe the one catalog
        "catalog.management": "static",
        # by default these are shares of a heap that is larger
        "query.max-memory": f"{share.query_mib}MB",
        "query.max-memory-per-node": f"{share.query_mib}MB",
        "memory.heap-headroom-per-node": f"{share.headroom_mib}MB",
    }


def _hive_catalog(metastore_uri: str, metastores_catalog: str | None) -> dict[str, str]:
    named = {"hive.metastore.thrift.catalog-name": metastores_catalog} if metastores_catalog else {}
    return named | {
        "connector.name": "hive",
        "hive.metastore": "thrift",
        "hive.metastore.uri": metastore_uri,
        "fs.hadoop.enabled": "true",  # serves the file: locations that Hive and Spark write
        "hive.metastore-cache-ttl": "0s",  # others change tables meanwhile
        "hive.security": "allow-all",  # by default it drops no table that it has not made
    }
