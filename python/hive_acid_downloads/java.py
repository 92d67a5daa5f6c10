"""Find the Java that fetches files, and that runs the embedded metastore."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hive_acid.api.conditions import build_error

SUPPORTED_RELEASES: Final = (17, 21)


@dataclass(frozen=True)
class Java:
    """A Java that was asked for its version. `release` is the feature release, such as 17."""

    path: Path
    release: int


def find_java() -> Java:
    """The Java of JAVA_HOME, or of the PATH where JAVA_HOME is not set.

    Raises HIVE_ACID_LOCAL_METASTORE, with a sub-condition JAVA_…, where there is none, and for any release but 17 and
    21: Hive 4.0.0 needs 17, and Hadoop's `Subject.getSubject` ends with Java 24.
    """
    home = os.environ.get("JAVA_HOME")
    if home:
        path, origin = Path(home) / "bin" / "java", "JAVA_HOME"
        if not os.access(path, os.X_OK):
            raise build_error("HIVE_ACID_LOCAL_METASTORE.JAVA_HOME_WITHOUT_JAVA", home=home)
    else:
        found = shutil.which("java")
        if found is None:
            raise build_error("HIVE_ACID_LOCAL_METASTORE.JAVA_NOT_FOUND")
        path, origin = Path(found), "the PATH"
    version = _version_text(path)
    number = re.search(r'version "(\d+)(?:\.(\d+))?', version)
    release = 0 if number is None else int(number[2] or 0) if number[1] == "1" else int(number[1])
    if not release:
        raise build_error(
            "HIVE_ACID_LOCAL_METASTORE.JAVA_VERSION_UNKNOWN", path=path, origin=origin, answer=repr(version[:200])
        )
    if release not in SUPPORTED_RELEASES:
        raise build_error("HIVE_ACID_LOCAL_METASTORE.JAVA_UNSUPPORTED", path=path, origin=origin, release=release)
    return Java(path, release)


def _version_text(path: Path) -> str:
    try:
        answer = subprocess.run([path, "-version"], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return answer.stderr + answer.stdout
