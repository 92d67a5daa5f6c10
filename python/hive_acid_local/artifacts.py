"""The files that the embedded metastore is made of."""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from hive_acid_downloads.artifacts import Artifact, parse_artifacts

HIVE_VERSION: Final = "4.0.0"
SCHEMA_SOURCE: Final = "hive-standalone-metastore"
_POSTGRESQL_BINARIES: Final = "embedded-postgres-binaries-"
_MACHINES: Final = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64v8", "arm64": "arm64v8"}


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


@cache
def _listed() -> tuple[Artifact, ...]:
    return parse_artifacts(files("hive_acid_local").joinpath("artifacts.txt").read_text("utf-8"))


def embedded_release() -> Release:
    """The embedded metastore, with both JDBC drivers."""
    kept = (artifact for artifact in _listed() if not artifact.name.startswith(_POSTGRESQL_BINARIES))
    return Release(HIVE_VERSION, tuple(kept), schema=HIVE_VERSION)


def postgresql_artifact() -> Artifact | None:
    """The PostgreSQL binaries for this machine, or None where none are published."""
    name = _POSTGRESQL_BINARIES + platform_name()
    return next((artifact for artifact in _listed() if artifact.name == name), None)


def platform_name() -> str:
    """This machine in the words of the PostgreSQL binaries, such as "linux-amd64" or "linux-amd64-alpine"."""
    machine = _MACHINES.get(platform.machine().lower(), platform.machine().lower())
    musl = sys.platform == "linux" and platform.libc_ver()[0] != "glibc"
    return f"{sys.platform}-{machine}" + ("-alpine" if musl else "")
