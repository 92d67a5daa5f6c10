"""A real YARN on this machine: a ResourceManager and two NodeManagers, from jars that are fetched once."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pyspark

from support.fetched_jars import fetch_jars
from support.hdfs.cluster import Login
from support.processes import find_below
from support.request_server import RequestServer
from support.secured.metastore import write_site

_HERE: Final = Path(__file__).parent
_OPTIONS: Final = ("-Xmx500m", "-XX:ReservedCodeCacheSize=128m", "--add-opens", "java.base/java.lang=ALL-UNNAMED")
_SETTINGS: Final = {
    # two small nodes share a machine: 8 GiB each, in pieces of one, by default
    "yarn.nodemanager.resource.memory-mb": "3072",
    "yarn.scheduler.minimum-allocation-mb": "256",
    # queues have no default, and an application's master may have a tenth
    "yarn.scheduler.capacity.root.queues": "default",
    "yarn.scheduler.capacity.root.default.capacity": "100",
    "yarn.scheduler.capacity.maximum-am-resource-percent": "1",
    # a JVM asks for more addresses than it uses
    "yarn.nodemanager.vmem-check-enabled": "false",
    # a machine of tests has a full disk sooner than a node of a cluster
    "yarn.nodemanager.disk-health-checker.enable": "false",
    # logs of containers are there after a test that failed
    "yarn.nodemanager.delete.debug-delay-sec": "600",
}


class Yarn(RequestServer):
    """A running YARN. Its containers are processes below its own."""

    def __init__(self, folder: Path, login: Login | None = None) -> None:
        """Returns when both nodes are there. Skips the test, with the reason, where the files cannot be had.

        What a login has for clients and servers is their core-site.xml.
        """
        jars = (
            fetch_jars(_HERE.parent / "hdfs" / "hdfs.txt", "hdfs", "HDFS"),
            fetch_jars(_HERE / "yarn.txt", "yarn", "YARN"),
        )
        folder.mkdir(parents=True)
        settings = dict(_SETTINGS)
        if login:
            write_site(folder / "core-site.xml", login.shared)
            settings |= {**login.shared, **login.servers}
        told = (str(folder), *(f"{key}={value}" for key, value in settings.items()))
        options = [*_OPTIONS, *(login.options if login else ())]
        class_path = [*jars, *([folder] if login else [])]  # nodes look for settings there that nobody handed them
        super().__init__(folder, options, class_path, _HERE / "Yarn.java", *told)
        classes = (Path(pyspark.__file__).parent / "jars").as_uri().replace("file:", "local:")
        self.settings: Mapping[str, str] = {
            "spark.master": "yarn",
            "spark.yarn.jars": f"{classes}/*",
            "spark.yarn.stagingDir": folder.as_uri(),
            "spark.yarn.am.memory": "512m",
            "spark.executor.instances": "2",
            "spark.executor.cores": "1",
            "spark.executor.memory": "512m",
            "spark.yarn.appMasterEnv.PYSPARK_PYTHON": sys.executable,
            "spark.executorEnv.PYSPARK_PYTHON": sys.executable,
        }
        """Of a session on it."""
        self.variables: Mapping[str, str] = {"HADOOP_CONF_DIR": str(folder)}
        """Of the environment of whatever starts one."""

    def find_applications(self) -> dict[str, tuple[str, str]]:
        """State and final state of all applications, by their IDs."""
        parts = (part.split("|") for part in self.ask("applications"))
        return {name: (state, final) for name, state, final in parts}

    def find_executors(self) -> list[int]:
        """The process IDs of the JVMs of Spark's executors that run."""
        found = find_below(self.process_id, "YarnCoarseGrainedExecutorBackend")
        shells = {pid for pid in found if any(child in found for child in find_below(pid, "java"))}
        return [pid for pid in found if pid not in shells]
