"""The files that the embedded metastore, and the Hive client for Spark, are made of."""

from __future__ import annotations

import platform
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

HIVE_VERSION: Final = "4.0.0"
SCHEMA_SOURCE: Final = "hive-standalone-metastore"
_POSTGRESQL_BINARIES: Final = "embedded-postgres-binaries-"
_MACHINES: Final = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64v8", "arm64": "arm64v8"}


@dataclass(frozen=True)
class Artifact:
    """One published file. `sha256` is the hash of the file in hexadecimal; `classifier` is "" for the main jar."""

    group: str
    name: str
    version: str
    classifier: str
    extension: str
    sha256: str

    @property
    def file_name(self) -> str:
        """The name of the file where it is stored, as Maven names it."""
        suffix = f"-{self.classifier}" if self.classifier else ""
        return f"{self.name}-{self.version}{suffix}.{self.extension}"


@dataclass(frozen=True)
class Release:
    """A release of the metastore: what it is made of, and how an empty database for it is made.

    `artifacts` are jars and, under the name SCHEMA_SOURCE, the archive of the schema scripts; `schema` is the version
    of the script to run, `schema_changes` what is run after it, in SQL for Derby.
    """

    version: str
    artifacts: tuple[Artifact, ...]
    schema: str
    schema_changes: str = ""


def parse_artifacts(text: str) -> tuple[Artifact, ...]:
    """A list of artifacts: a line `group:name:version[:classifier@extension] sha256` each, `#` begins a comment."""
    return tuple(_parse(line) for line in text.splitlines() if line and not line.startswith("#"))


@cache
def _listed(name: str) -> tuple[Artifact, ...]:
    return parse_artifacts(files("hive_acid.local").joinpath(name).read_text("utf-8"))


def _parse(line: str) -> Artifact:
    coordinates, sha256 = line.split()
    group, name, version, *kind = coordinates.split(":")
    classifier, _, extension = kind[0].partition("@") if kind else ("", "", "jar")
    return Artifact(group, name, version, classifier, extension, sha256)


def embedded_release() -> Release:
    """The embedded metastore, with both JDBC drivers."""
    kept = (artifact for artifact in _listed("artifacts.txt") if not artifact.name.startswith(_POSTGRESQL_BINARIES))
    return Release(HIVE_VERSION, tuple(kept), schema=HIVE_VERSION)


def spark_client_artifacts(version: str) -> Sequence[Artifact]:
    """The jars of Hive's metastore client for Spark, but for those that Spark brings itself.

    `version` is that of the embedded metastore, which holds them too, or that of hive-exec in spark_client.txt. Raises
    ValueError for others.
    """
    newest = _listed("spark_client.txt")
    if version == HIVE_VERSION:
        names = {artifact.name for artifact in newest}
        return [artifact for artifact in _listed("artifacts.txt") if artifact.name in names]
    if version not in {artifact.version for artifact in newest if artifact.name == "hive-exec"}:
        raise ValueError(f"no Hive client {version} is known")
    return newest


def postgresql_artifact() -> Artifact | None:
    """The PostgreSQL binaries for this machine, or None where none are published."""
    name = _POSTGRESQL_BINARIES + platform_name()
    return next((artifact for artifact in _listed("artifacts.txt") if artifact.name == name), None)


def platform_name() -> str:
    """This machine in the words of the PostgreSQL binaries, such as "linux-amd64" or "linux-amd64-alpine"."""
    machine = _MACHINES.get(platform.machine().lower(), platform.machine().lower())
    musl = sys.platform == "linux" and platform.libc_ver()[0] != "glibc"
    return f"{sys.platform}-{machine}" + ("-alpine" if musl else "")
