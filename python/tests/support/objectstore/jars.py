"""The jars of the object store for tests, and of Hadoop's S3A in Spark and in the embedded metastore."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

import pytest

from hive_acid.local import LocalMetastoreError
from hive_acid.local.artifacts import parse_artifacts
from hive_acid.local.cache import cache_folder, cache_lock, whole_entry
from hive_acid.local.download import download
from hive_acid.local.java import find_java
from hive_acid.local.start import print_progress

_HERE: Final = Path(__file__).parent


def fetch_jars(name: str) -> Path:
    """The folder with the jars of the list `name`: server, spark or metastore.

    Skips the test, with the reason, where they cannot be had.
    """
    artifacts = parse_artifacts((_HERE / f"{name}.txt").read_text("utf-8"))
    digest = hashlib.sha256("".join(artifact.sha256 for artifact in artifacts).encode()).hexdigest()[:12]
    cache = cache_folder()

    def fetch(target: Path, damaged: Path | None) -> None:
        download(artifacts, target, damaged, find_java(), f"the object store's {name}", print_progress)

    try:
        with cache_lock(cache, print_progress):
            return whole_entry(cache / f"objectstore-{name}-{digest}", fetch, print_progress)
    except LocalMetastoreError as error:
        if error.condition != "HIVE_ACID_LOCAL_ARTIFACT_UNAVAILABLE":
            raise
        pytest.skip(f"no object store on this machine: {error}")
