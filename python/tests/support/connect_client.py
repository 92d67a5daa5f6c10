"""The plain client of Spark Connect, which has no JVM and nothing of ours, in the cache folder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from hive_acid.local.cache import cache_folder, cache_lock, whole_entry
from hive_acid.local.start import print_progress

_WHEELS: Final = ("pyspark-client==4.2.0", "pandas==2.3.3")
"""The newest client there is, and a release of pandas that it knows."""
_LIMIT_SECONDS: Final = 300


def find_client() -> Path:
    """A folder of Python's packages. Skips the test where they cannot be had."""
    folder = cache_folder() / "spark-connect"

    def fetch(target: Path, _: Path | None) -> None:
        print_progress(f"fetching {', '.join(_WHEELS)}")
        options = ["-q", "--prefer-binary", "--target", str(target / "packages")]
        done = subprocess.run(
            [sys.executable, "-m", "pip", "install", *options, *_WHEELS], capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            pytest.skip(f"no client of Spark Connect: {done.stderr[-500:]}")

    with cache_lock(folder, print_progress):
        return whole_entry(folder / _WHEELS[0], fetch, print_progress) / "packages"


def run_client(script: Path, packages: Path, *, limit_s: int = _LIMIT_SECONDS) -> list[str]:
    """The lines that a program of the client prints; nothing of ours and no other PySpark is on its path."""
    outer = {key: value for key, value in os.environ.items() if not key.startswith(("SPARK_", "PYSPARK_", "PYTHON"))}
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(packages)!r}); {_RUN}", str(script)],
        capture_output=True, text=True, check=False, timeout=limit_s, env=outer,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


_RUN: Final = "import runpy; runpy.run_path(sys.argv[1], run_name='__main__')"
