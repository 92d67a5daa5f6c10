"""The plain client of Spark Connect, which has nothing of ours, in the cache folder.

It is a package without a JVM. The client of 3.5 and 4.3, which have no such package, is the whole of PySpark.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import py4j
import pyspark
import pytest

import hive_acid
from hive_acid.spark_lines import find_line
from hive_acid_downloads.cache import cache_folder, cache_lock, whole_entry
from hive_acid_downloads.progress import print_progress

_WHEELS: Final[Mapping[str, Sequence[str]]] = {
    "3.5": ("grpcio-status==1.62.3", "pandas==2.3.3", "pyarrow==26.0.1"),
    "4.0": ("pyspark-client==4.0.4", "pandas==2.3.3"),
    "4.1": ("pyspark-client==4.1.3", "pandas==2.3.3"),
    "4.2": ("pyspark-client==4.2.0", "pandas==2.3.3"),
    "4.3": ("grpcio-status==1.85.3", "pandas==2.3.3", "pyarrow==26.0.1", "zstandard==0.25.0"),
}
"""The client for servers of each line, with a release of pandas that it knows.

For 3.5 and 4.3 all that PySpark asks for as a client, but for itself.
"""
_LIMIT_SECONDS: Final = 300


def find_client() -> Path:
    """A folder of Python's packages. Skips the test where they cannot be had."""
    folder = cache_folder() / "spark-connect"
    wheels = _WHEELS[find_line()]

    def fetch(target: Path, _: Path | None) -> None:
        print_progress(f"fetching {', '.join(wheels)}")
        options = ["-q", "--prefer-binary", "--target", str(target / "packages")]
        done = subprocess.run(
            [sys.executable, "-m", "pip", "install", *options, *wheels], capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            pytest.skip(f"no client of Spark Connect: {done.stderr[-500:]}")

    with cache_lock(folder, print_progress):
        return whole_entry(folder / wheels[0], fetch, print_progress) / "packages"


def run_client(script: Path, packages: Path, *, limit_s: int = _LIMIT_SECONDS, with_package: bool = False) -> list[str]:
    """The lines that a program of the client prints; nothing of ours is on its path unless it is asked for."""
    own = [str(Path(hive_acid.__file__).parents[1])] if with_package else []
    places = [str(packages), *_own_packages(script.parent), *own]
    outer = {key: value for key, value in os.environ.items() if not key.startswith(("SPARK_", "PYSPARK_", "PYTHON"))}
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:0] = {places!r}; {_RUN}", str(script)],
        capture_output=True, text=True, check=False, timeout=limit_s, env=outer,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def _own_packages(folder: Path) -> list[str]:
    """A folder in this one with the PySpark that tests run with, if that has the client in it."""
    if any(wheel.startswith("pyspark-client") for wheel in _WHEELS[find_line()]):
        return []
    own = folder / "pyspark-client"
    own.mkdir(exist_ok=True)
    for package in (pyspark, py4j):
        if not (own / package.__name__).exists():
            (own / package.__name__).symlink_to(Path(package.__file__).parent)
    return [str(own)]


_RUN: Final = "import runpy; runpy.run_path(sys.argv[1], run_name='__main__')"
