"""The files that the embedded metastore is made of."""

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


@cache
def _all_artifacts() -> tuple[Artifact, ...]:
    text = files("hive_acid.local").joinpath("artifacts.txt").read_text("utf-8")
    return tuple(_parse(line) for line in text.splitlines() if line and not line.startswith("#"))


def _parse(line: str) -> Artifact:
    coordinates, sha256 = line.split()
    group, name, version, *kind = coordinates.split(":")
    classifier, _, extension = kind[0].partition("@") if kind else ("", "", "jar")
    return Artifact(group, name, version, classifier, extension, sha256)


def metastore_artifacts() -> Sequence[Artifact]:
    """The jars of the metastore with both JDBC drivers, and the source archive that holds the schema scripts."""
    return [artifact for artifact in _all_artifacts() if not artifact.name.startswith(_POSTGRESQL_BINARIES)]


def postgresql_artifact() -> Artifact | None:
    """The PostgreSQL binaries for this machine, or None where none are published."""
    name = _POSTGRESQL_BINARIES + platform_name()
    return next((artifact for artifact in _all_artifacts() if artifact.name == name), None)


def platform_name() -> str:
    """This machine in the words of the PostgreSQL binaries, such as "linux-amd64" or "linux-amd64-alpine"."""
    machine = _MACHINES.get(platform.machine().lower(), platform.machine().lower())
    musl = sys.platform == "linux" and platform.libc_ver()[0] != "glibc"
    return f"{sys.platform}-{machine}" + ("-alpine" if musl else "")
