"""An archive of the metastore's classes as the JVM loads them (class data sharing), for a quicker start.

It is written once for each release and Java, by a metastore that is started for nothing else. The JVM compares an
archive with its own build and with the jars, and goes without one that does not fit.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from hive_acid_downloads.java import Java

_FIRST_RELEASE: Final = 17
"""The oldest Java that this was tried with. Older ones refuse to start with options that they do not know."""


def archive_path(lib: Path, java: Java, door: Path | None = None) -> Path | None:
    """Where the archive lies, beside the folder of jars; None if this Java takes none.

    `lib` and the folder of `door`, a jar beside those of `lib`, are whole entries of the cache. In a path with a colon
    the JVM would see two archives.
    """
    if java.release < _FIRST_RELEASE or os.pathsep in str(lib):
        return None
    binary = java.path.resolve()
    status = binary.stat()
    known = f"{binary} {status.st_size} {status.st_mtime_ns}" + (f" {door}" if door else "")
    return lib.with_name(f"{lib.name}-classes-{hashlib.sha256(known.encode()).hexdigest()[:12]}.jsa")


def archive_options(archive: Path | None) -> Sequence[str]:
    """The JVM's options to use the archive. An empty one says that this Java could not write any."""
    if archive is None or not archive.exists() or not archive.stat().st_size:
        return ()
    return (f"-XX:SharedArchiveFile={archive}", "-Xlog:cds*=off")


def recording_options(archive: Path) -> Sequence[str]:
    """The JVM's options to write the archive when it ends."""
    return (f"-XX:ArchiveClassesAtExit={archive}", "-Xlog:cds*=off")
