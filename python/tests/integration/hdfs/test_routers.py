"""Tables behind a router, which renames nothing from one name service to another."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hive_acid.spark_lines import is_before
from support.hdfs.lake import Lake, started_lake
from support.hdfs.routers import RoutedHdfs
from support.hdfs.tables import BEFORE, NUMBERS
from support.mutations import BUCKETED, MUTATIONS, TRUNCATIONS, Mutation
from support.session_process import StatementFailed
from support.spark_lines import since

pytestmark = pytest.mark.slow
PARTITIONED = [mutation for mutation in MUTATIONS if mutation.is_partitioned]


@pytest.fixture(scope="module")
def routed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    """A lake behind a router, whose database lies in the first name service."""
    folder = tmp_path_factory.mktemp("routed")
    with RoutedHdfs(folder / "servers") as hdfs, started_lake(folder / "lake", hdfs) as started:
        yield started


@pytest.mark.parametrize("mutation", (*MUTATIONS, *BUCKETED, *TRUNCATIONS), ids=str)
def test_each_statement_changes_what_it_says(routed: Lake, mutation: Mutation) -> None:
    routed.assert_changes(mutation)


def test_a_table_is_compacted(routed: Lake) -> None:
    routed.assert_compacts(next(m for m in MUTATIONS if m.name == "update-flat"))


def with_partition_elsewhere(lake: Lake, *, is_mounted: bool) -> tuple[str, str]:
    """A table with the rows BEFORE, whose odd ones lie in the second name service, and the folder of these.

    The partition's own folder is a mount, or it has a location below one.
    """
    name = lake.create_empty("PARTITIONED BY (d INT)")
    if is_mounted:
        place = f"{lake.path(name)}/d=1"
        lake.hdfs.ask("mount", place, "ns2")
    else:
        place = f"/second/p{next(lake.numbers)}"
        lake.session.sql(f"ALTER TABLE {name} ADD PARTITION (d = 1) LOCATION '{lake.hdfs.root}{place}'")
    lake.fill(name, is_partitioned=True)
    return name, place


@since("4.0", "a Hadoop that tells mounts of a router apart")
@pytest.mark.parametrize("is_mounted", [False, True])
@pytest.mark.parametrize("mutation", PARTITIONED, ids=str)
def test_a_partition_in_another_name_service_is_changed_and_compacted(
    routed: Lake, mutation: Mutation, *, is_mounted: bool
) -> None:
    name, place = with_partition_elsewhere(routed, is_mounted=is_mounted)
    routed.session.sql(mutation.text(name, NUMBERS))
    assert routed.rows(name) == mutation.effect(BEFORE, NUMBERS)
    routed.session.sql(f"ALTER TABLE {name} PARTITION (d = 1) COMPACT 'major' AND WAIT")
    assert routed.rows(name) == mutation.effect(BEFORE, NUMBERS)
    left = [path.removeprefix(f"{place}/") for path in routed.hdfs.tree(place)]
    assert any(path.startswith("base_") for path in left)
    assert not [path for path in left if path.startswith(".")]


@pytest.mark.skipif(not is_before("4.0"), reason="newer clients tell mounts of a router apart")
def test_a_client_that_cannot_tell_mounts_apart_changes_nothing(routed: Lake) -> None:
    name = routed.create_empty("PARTITIONED BY (d INT)")
    routed.session.sql(f"ALTER TABLE {name} ADD PARTITION (d = 1) LOCATION '{routed.hdfs.root}/second/old'")
    with pytest.raises(StatementFailed, match=r"HIVE_ACID_STORAGE.*Nothing was committed"):
        routed.fill(name, is_partitioned=True)
    assert routed.rows(name) == []
    assert not [path for path in routed.hdfs.tree(routed.path(name)) if "delta" in path]
    routed.wait_ended()
