"""A metastore of the 3.1 line, whose Hadoop is older than the NameNodes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.hdfs.cluster import Hdfs
from support.hdfs.lake import Lake, started_lake
from support.metastore_releases import GATE_VERSION
from support.mutations import MUTATIONS, Mutation, named

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def older(hdfs: Hdfs, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    with started_lake(tmp_path_factory.mktemp("older"), hdfs, GATE_VERSION) as started:
        yield started


@named("merge-moves", "overwrite-flat", "truncate-partitions")
def test_each_statement_changes_what_it_says(older: Lake, mutation: Mutation) -> None:
    older.assert_changes(mutation)


def test_a_table_is_compacted(older: Lake) -> None:
    older.assert_compacts(next(m for m in MUTATIONS if m.name == "update-flat"))
