"""An archive of Spark's classes as the JVM loads them (class data sharing): a session of tests starts in half the time.

`make_class_archive.py` makes it. Without it, or with one of another Java, sessions start as ever: the JVM compares the
archive with its own build and with the jars.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path
from typing import Final

import pyspark

_BUILD: Final = Path(__file__).resolve().parents[3] / ".build"
_PREFIX: Final = f"spark-{'.'.join(pyspark.__version__.split('.')[:2])}-classes-"
_JARS: Final = Path(pyspark.__file__).parent / "jars"


def archive_path() -> Path:
    """Where the archive for the installed Spark and this machine's Java lies, or would lie."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    files = [Path(java or os.devnull).resolve(), *sorted(_JARS.glob("*.jar"))]
    known = "\n".join(f"{file} {file.stat().st_mtime_ns} {file.stat().st_size}" for file in files)
    return _BUILD / f"{_PREFIX}{hashlib.sha256(known.encode()).hexdigest()[:12]}.jsa"


def find_archives() -> list[Path]:
    """Those of this line of Spark, for whatever release and Java; other lines have theirs beside them, and use them."""
    return sorted(_BUILD.glob(f"{_PREFIX}*.jsa"))


def archive_options() -> str:
    """The JVM's options to use the archive; none, where there is no archive."""
    archive = archive_path()
    return f" {quote(f'-XX:SharedArchiveFile={archive}')} -Xlog:cds*=off" if archive.exists() else ""


def quote(option: str) -> str:
    """The option as Spark's launcher takes it from a text of several: the path in it may have a blank."""
    return f'"{option}"'
