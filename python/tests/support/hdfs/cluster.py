"""A real HDFS on this machine: two NameNodes of one name service and two DataNodes, from jars that are fetched once."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from hive_acid.local import LocalMetastoreError
from hive_acid.local.artifacts import parse_artifacts
from hive_acid.local.cache import cache_folder, cache_lock, whole_entry
from hive_acid.local.download import download
from hive_acid.local.java import find_java
from hive_acid.local.launch import free_port
from hive_acid.local.start import print_progress

if TYPE_CHECKING:
    from typing_extensions import Self

NAME: Final = "lake"
ROOT: Final = f"hdfs://{NAME}"
_HERE: Final = Path(__file__).parent
_PROXIES: Final = "org.apache.hadoop.hdfs.server.namenode.ha.ConfiguredFailoverProxyProvider"


@dataclass(frozen=True)
class Rights:
    """Who may do something with a file or folder; `permission` as in rwxr-xr-x, `acl` the entries of its ACL."""

    owner: str
    group: str
    permission: str
    acl: str


class Hdfs:
    """A running HDFS. Its folders belong to the user of the tests, who may do everything."""

    def __init__(self, folder: Path) -> None:
        """Returns when it can be used. Skips the test, with the reason, where the files cannot be had."""
        jars = _fetch_jars()
        folder.mkdir(parents=True)
        ports = free_port(), free_port()
        keys = f"jceks://file{folder.absolute()}/keys"
        self.settings: Mapping[str, str] = {
            "dfs.nameservices": NAME,
            f"dfs.ha.namenodes.{NAME}": "nn1,nn2",
            **{f"dfs.namenode.rpc-address.{NAME}.nn{n}": f"localhost:{port}" for n, port in enumerate(ports, 1)},
            f"dfs.client.failover.proxy.provider.{NAME}": _PROXIES,
            "dfs.replication": "2",
            # one that is lost is not replaced where there is no third
            "dfs.client.block.write.replace-datanode-on-failure.best-effort": "true",
            "hadoop.security.key.provider.path": keys.replace(" ", "%20"),
        }
        servers = {
            **self.settings,
            "fs.defaultFS": ROOT,
            "dfs.namenode.acls.enabled": "true",
            "dfs.namenode.fs-limits.min-block-size": "1024",
        }
        command = [
            *(str(find_java().path), "-Xmx700m", "-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=256m"),
            *("-XX:+UseSerialGC", "-cp", f"{jars}/*", str(_HERE / "Hdfs.java"), str(folder), *map(str, ports)),
            *(f"{key}={value}" for key, value in servers.items()),
        ]
        with (folder / "log").open("wb") as log:
            self._process = subprocess.Popen(
                command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True
            )
        self._log = folder / "log"
        if self._read_line() != "ready":
            raise RuntimeError(f"HDFS did not start: {self._log.read_text()}")

    def ask(self, *words: str) -> list[str]:
        """One of the requests of `Hdfs.java`; the parts of its answer. Raises RuntimeError if it fails."""
        assert self._process.stdin is not None
        self._process.stdin.write("\t".join(words) + "\n")
        self._process.stdin.flush()
        done, *parts = self._read_line().split("\t")
        if done != "done":
            raise RuntimeError(f"{words}: {done}\n{self._log.read_text()[-2000:]}")
        return parts

    def shell(self, *arguments: str) -> None:
        """As `hdfs dfs`."""
        self.ask("shell", *arguments)

    def admin(self, *arguments: str) -> None:
        """As `hdfs dfsadmin`."""
        self.ask("admin", *arguments)

    def tree(self, path: str) -> dict[str, Rights]:
        """All files and folders below a path, hidden ones too."""
        parts = (part.split("|") for part in self.ask("tree", path))
        return {path: Rights(owner, group, permission, acl) for path, owner, group, permission, acl in parts}

    def _read_line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _fetch_jars() -> Path:
    """The folder of the servers' jars."""
    artifacts = parse_artifacts((_HERE / "hdfs.txt").read_text("utf-8"))
    digest = hashlib.sha256("".join(artifact.sha256 for artifact in artifacts).encode()).hexdigest()[:12]
    cache = cache_folder()

    def fetch(target: Path, damaged: Path | None) -> None:
        download(artifacts, target, damaged, find_java(), "HDFS", print_progress)

    try:
        with cache_lock(cache, print_progress):
            return whole_entry(cache / f"hdfs-{digest}", fetch, print_progress)
    except LocalMetastoreError as error:
        if error.condition != "HIVE_ACID_LOCAL_ARTIFACT_UNAVAILABLE":
            raise
        pytest.skip(f"no HDFS on this machine: {error}")
