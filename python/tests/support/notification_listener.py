"""A metastore that keeps notifications, as replication and Impala want it: Hive's own listener on its class path."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from hive_acid.local import EmbeddedMetastore, LocalMetastoreError
from hive_acid_downloads.artifacts import Artifact
from hive_acid_downloads.cache import cache_folder, cache_lock, whole_entry
from hive_acid_downloads.download import download
from hive_acid_downloads.java import find_java
from support.metastore_class_path import on_the_class_path
from support.metastore_releases import started_release
from support.unreachable import is_unreachable

LISTENER: Final = "org.apache.hive.hcatalog.listener.DbNotificationListener"
HASHES: Final = {
    "3.1.3": "d4ea218078966887846a0b05bee6e6a15b41d35eb94ee53bc6b98e0aa3ce3b9c",
    "4.2.0": "c0b7fab084793a369f3958d1c1d7ae2c0d8f09626035a26e1f52ddebfe92a573",
}
"""The releases whose listener is published in a jar of its own."""


@contextmanager
def started_with_listener(version: str, folder: Path) -> Iterator[EmbeddedMetastore]:
    """A running metastore of one of HASHES. Skips the test, with the reason, where the files cannot be had."""
    try:
        jar = _listener_jar(version)
    except LocalMetastoreError as error:
        if not is_unreachable(error):
            raise
        pytest.skip(f"no notification listener {version} on this machine: {error}")
    names = ("metastore.transactional.event.listeners", "hive.metastore.transactional.event.listeners")
    with on_the_class_path(jar), started_release(version, folder, dict.fromkeys(names, LISTENER)) as metastore:
        yield metastore


def _listener_jar(version: str) -> Path:
    name = "hive-hcatalog-server-extensions"
    artifact = Artifact("org.apache.hive.hcatalog", name, version, "", "jar", HASHES[version])

    def fetch(target: Path, _: Path | None) -> None:
        download([artifact], target, None, find_java(), name, _print_progress)

    with cache_lock(cache_folder(), _print_progress):
        entry: Any = whole_entry(cache_folder() / f"listener-{version}-{artifact.sha256[:12]}", fetch, _print_progress)
    return Path(entry) / artifact.file_name


def _print_progress(line: str) -> None:
    sys.stderr.write(f"listener: {line}\n")
