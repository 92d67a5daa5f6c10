"""A real router of HDFS in front of two name services on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from hive_acid_local.launch import free_port
from support.fetched_jars import fetch_jars
from support.hdfs.cluster import PROXIES, HdfsServer

NAME: Final = "routed"
_HERE: Final = Path(__file__).parent


class RoutedHdfs(HdfsServer):
    """Both name services behind one name; all that is not mounted lies in the first."""

    root = f"hdfs://{NAME}"

    def __init__(self, folder: Path) -> None:
        """Returns when it can be used. Skips the test, with the reason, where the files cannot be had."""
        jars = [fetch_jars(_HERE / f"{name}.txt", name, "HDFS and its routers") for name in ("hdfs", "routers")]
        folder.mkdir(parents=True)
        port = free_port()
        self.settings = {
            "dfs.nameservices": NAME,
            f"dfs.ha.namenodes.{NAME}": "r1",
            f"dfs.namenode.rpc-address.{NAME}.r1": f"localhost:{port}",
            f"dfs.client.failover.proxy.provider.{NAME}": PROXIES,
            "dfs.replication": "2",
        }
        clients = {**self.settings, "fs.defaultFS": self.root}
        told = (str(folder), str(port), *(f"{key}={value}" for key, value in clients.items()))
        options = ["-Xmx700m", "-XX:ReservedCodeCacheSize=256m"]
        super().__init__(folder, options, jars, _HERE / "Routers.java", *told)

    def mount(self, path: str, name: str) -> None:
        """What lies below the path belongs to `ns1` or `ns2` from now on."""
        self.ask("mount", path, name)
