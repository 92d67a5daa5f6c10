"""Jars of servers for tests, which are fetched once and kept in the cache folder."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from hive_acid.local import LocalMetastoreError
from hive_acid_downloads.artifacts import parse_artifacts
from hive_acid_downloads.cache import cache_folder, cache_lock, whole_entry
from hive_acid_downloads.download import download
from hive_acid_downloads.java import find_java
from hive_acid_downloads.progress import print_progress
from support.unreachable import is_unreachable


def fetch_jars(listed: Path, name: str, what: str) -> Path:
    """The folder with the jars that a file lists; `name` is its own in the cache, `what` for messages.

    Skips the test, with the reason, where they cannot be had.
    """
    artifacts = parse_artifacts(listed.read_text("utf-8"))
    digest = hashlib.sha256("".join(artifact.sha256 for artifact in artifacts).encode()).hexdigest()[:12]
    cache = cache_folder()

    def fetch(target: Path, damaged: Path | None) -> None:
        download(artifacts, target, damaged, find_java(), what, print_progress)

    try:
        with cache_lock(cache, print_progress):
            return whole_entry(cache / f"{name}-{digest}", fetch, print_progress)
    except LocalMetastoreError as error:
        if not is_unreachable(error):
            raise
        pytest.skip(f"{what} cannot be had on this machine: {error}")
