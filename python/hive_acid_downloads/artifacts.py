"""Published files that are fetched, each pinned by its hash."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass


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


def parse_artifacts(text: str) -> tuple[Artifact, ...]:
    """A list of artifacts: a line `group:name:version[:classifier@extension] sha256` each, `#` begins a comment."""
    return tuple(_parse(line) for line in text.splitlines() if line and not line.startswith("#"))


def digest_artifacts(artifacts: Iterable[Artifact], extra: str = "") -> str:
    """Twelve hexadecimal digits that tell a set of artifacts, and what else belongs to it, from any other."""
    text = "\n".join([*(artifact.sha256 for artifact in artifacts), extra])
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _parse(line: str) -> Artifact:
    coordinates, sha256 = line.split()
    group, name, version, *kind = coordinates.split(":")
    classifier, _, extension = kind[0].partition("@") if kind else ("", "", "jar")
    return Artifact(group, name, version, classifier, extension, sha256)
