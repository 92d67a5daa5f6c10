"""A real HDFS on this machine: two NameNodes of one name service and two DataNodes, from jars that are fetched once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hive_acid_local.launch import free_port
from support.fetched_jars import fetch_jars
from support.request_server import RequestServer

NAME: Final = "lake"
ROOT: Final = f"hdfs://{NAME}"
_HERE: Final = Path(__file__).parent
PROXIES: Final = "org.apache.hadoop.hdfs.server.namenode.ha.ConfiguredFailoverProxyProvider"


@dataclass(frozen=True)
class Rights:
    """Who may do something with a file or folder; `permission` as in rwxr-xr-x, `acl` the entries of its ACL."""

    owner: str
    group: str
    permission: str
    acl: str


@dataclass(frozen=True)
class Login:
    """Makes an HDFS ask who is there: settings of clients and servers, and those of servers alone.

    `options` are Java's, `resources` a folder that is to be on the servers' class path.
    """

    shared: Mapping[str, str]
    servers: Mapping[str, str]
    options: Sequence[str]
    resources: Path


class HdfsServer(RequestServer):
    """A running HDFS: its name in paths, and the settings by which clients find it."""

    root: str
    settings: Mapping[str, str]

    def shell(self, *arguments: str) -> None:
        """As `hdfs dfs`."""
        self.ask("shell", *arguments)

    def tree(self, path: str) -> dict[str, Rights]:
        """All files and folders below a path, hidden ones too."""
        parts = (part.split("|") for part in self.ask("tree", path))
        return {path: Rights(owner, group, permission, acl) for path, owner, group, permission, acl in parts}


class Hdfs(HdfsServer):
    """Two NameNodes and two DataNodes. Without a login its folders belong to the user of the tests.

    He may do everything.
    """

    root = ROOT

    def __init__(self, folder: Path, login: Login | None = None) -> None:
        """Returns when it can be used. Skips the test, with the reason, where the files cannot be had."""
        jars = fetch_jars(_HERE / "hdfs.txt", "hdfs", "HDFS")
        folder.mkdir(parents=True)
        ports = free_port(), free_port()
        keys = f"jceks://file{folder.absolute()}/keys"
        self.settings = {
            "dfs.nameservices": NAME,
            f"dfs.ha.namenodes.{NAME}": "nn1,nn2",
            **{f"dfs.namenode.rpc-address.{NAME}.nn{n}": f"localhost:{port}" for n, port in enumerate(ports, 1)},
            f"dfs.client.failover.proxy.provider.{NAME}": PROXIES,
            "dfs.replication": "2",  # as many as there are DataNodes: three by default
            # one that is lost is not replaced where there is no third
            "dfs.client.block.write.replace-datanode-on-failure.best-effort": "true",
            "hadoop.security.key.provider.path": keys.replace(" ", "%20"),
            **(login.shared if login else {}),
        }
        servers = {
            **self.settings,
            "fs.defaultFS": ROOT,
            "dfs.namenode.acls.enabled": "true",  # off before Hadoop 3.3
            **(login.servers if login else {}),
        }
        told = (str(folder), *map(str, ports), *(f"{key}={value}" for key, value in servers.items()))
        options = ["-Xmx700m", "-XX:ReservedCodeCacheSize=256m", *(login.options if login else ())]
        class_path = [jars, *([login.resources] if login else [])]
        super().__init__(folder, options, class_path, _HERE / "Hdfs.java", *told)

    def admin(self, *arguments: str) -> None:
        """As `hdfs dfsadmin`."""
        self.ask("admin", *arguments)
