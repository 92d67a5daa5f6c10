"""The environment of each engine, made by pip and Ivy when it is first needed."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

OURS = "ours"
TRINO = "trino"
"""Not a peer of its own: it works on a table of ours, in the metastore of ours."""
ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / ".build" / "peers"

_RESOLVE = """
import sys
from pyspark.sql import SparkSession
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
builder = builder.config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1")
builder.config("spark.jars.packages", sys.argv[1]).config("spark.jars.ivy", sys.argv[2]).getOrCreate().stop()
"""
"""Spark itself fetches a package and all that it needs, and leaves the jars in the folder `jars` of Ivy's."""


@dataclass(frozen=True)
class Peer:
    """An engine beside ours: the PySpark it works with, its Maven package, and the settings of its sessions."""

    pyspark: str
    package: str
    settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def release(self) -> str:
        """The version of the package."""
        return self.package.rpartition(":")[2]

    @property
    def digest(self) -> str:
        """Tells environments of different versions apart."""
        return hashlib.sha256(f"{self.pyspark} {self.package}".encode()).hexdigest()[:12]


PEERS: Mapping[str, Peer] = {
    "delta": Peer(
        "4.1.4",
        "io.delta:delta-spark_4.1_2.13:4.4.0",
        {
            "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
            "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
            "spark.databricks.delta.retentionDurationCheck.enabled": "false",
            # the default of 50 tasks for each reading of a log is meant for clusters
            "spark.databricks.delta.snapshotPartitions": "2",
        },
    ),
    "iceberg": Peer(
        "4.1.4",
        "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0",
        {
            "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
            "spark.sql.catalog.bench": "org.apache.iceberg.spark.SparkCatalog",
            "spark.sql.catalog.bench.type": "hadoop",
        },
    ),
}


@dataclass(frozen=True)
class Environment:
    """A Python with an engine's PySpark, and the jars of the engine that Spark does not bring."""

    python: Path
    jars: tuple[Path, ...] = ()


def prepare(engine: str) -> Environment:
    """The environment of an engine, made if it is not there. Raises CalledProcessError if it cannot be made."""
    if engine in (OURS, TRINO):
        return Environment(Path(sys.executable))
    peer = PEERS[engine]
    folder = FOLDER / f"{engine}-{peer.digest}"
    environment, ivy = folder / "venv", folder / "ivy"
    python = environment / "bin" / "python"
    is_complete = folder / "complete"
    if not is_complete.exists():
        print(f"making the environment of {engine} {peer.release}", file=sys.stderr, flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        venv.create(environment, with_pip=True)
        _run([str(python), "-m", "pip", "install", "-q", f"pyspark=={peer.pyspark}"], folder)
        _run([str(python), "-c", _RESOLVE, peer.package, str(ivy)], folder)
        is_complete.touch()
    return Environment(python, tuple(sorted((ivy / "jars").glob("*.jar"))))


def _run(command: list[str], folder: Path) -> None:
    log = folder / "log"
    with log.open("ab") as file:
        done = subprocess.run(command, stdout=file, stderr=file, env=foreign_variables(), check=False)
    if done.returncode:
        print(log.read_text(errors="replace")[-4000:], file=sys.stderr)
        done.check_returncode()


def foreign_variables() -> dict[str, str]:
    """The variables of this process but those that name its own Python and PySpark."""
    own = ("PYTHONPATH", "PYTHONHOME", "PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON", "SPARK_HOME", "VIRTUAL_ENV")
    return {name: value for name, value in os.environ.items() if name not in own}
