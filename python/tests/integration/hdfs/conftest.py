"""One HDFS and one lake on it for all tests of the folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.hdfs.cluster import Hdfs
from support.hdfs.lake import Lake, started_lake


@pytest.fixture(scope="package")
def hdfs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hdfs]:
    with Hdfs(tmp_path_factory.mktemp("hdfs") / "servers") as started:
        yield started


@pytest.fixture(scope="package")
def lake(hdfs: Hdfs, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    with started_lake(tmp_path_factory.mktemp("lake"), hdfs) as started:
        yield started
