"""A metastore of the 3.1 line, whose Hadoop is older than the NameNodes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.hdfs.cluster import Hdfs
from support.hdfs.lake import BEFORE, NUMBERS, Lake, started_lake
from support.metastore_releases import GATE_VERSION
from support.mutations import MUTATIONS, TRUNCATIONS, Mutation

pytestmark = pytest.mark.slow
SOME = [
    mutation
    for mutation in (*MUTATIONS, *TRUNCATIONS)
    if mutation.name
    in ("insert-partitions", "update-flat", "delete-partitions", "merge-moves", "overwrite-flat", "truncate-partitions")
]


@pytest.fixture(scope="module")
def older(hdfs: Hdfs, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    with started_lake(tmp_path_factory.mktemp("older"), hdfs, GATE_VERSION) as started:
        yield started


@pytest.mark.parametrize("mutation", SOME, ids=str)
def test_each_statement_changes_what_it_says(older: Lake, mutation: Mutation) -> None:
    name = older.create(mutation)
    older.session.sql(mutation.text(name, NUMBERS))
    assert older.rows(name) == mutation.effect(BEFORE, NUMBERS)


def test_a_table_is_compacted(older: Lake) -> None:
    """Hive's own workers would be waited for; the base comes first."""
    update = next(m for m in MUTATIONS if m.name == "update-flat")
    name = older.create(update)
    older.session.sql(update.text(name, NUMBERS))
    older.session.sql(f"ALTER TABLE {name} COMPACT 'major'")
    assert older.rows(name) == update.effect(BEFORE, NUMBERS)
    assert any("/base_" in path for path in older.hdfs.tree(older.path(name)))
