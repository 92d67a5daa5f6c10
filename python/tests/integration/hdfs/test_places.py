"""Tables and partitions in encryption zones, on other volumes, behind mounts, and with snapshots."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.hdfs.cluster import ROOT, Hdfs
from support.hdfs.lake import Lake, started_lake
from support.hdfs.tables import ACID, BEFORE, NUMBERS
from support.mutations import MUTATIONS, Mutation

pytestmark = pytest.mark.slow
PARTITIONED = [
    m for m in MUTATIONS if m.name in ("insert-partitions", "update-partitions", "merge-moves", "overwrite-partitions")
]
MOUNTS = "viewfs://mounts"


def zone(lake: Lake) -> str:
    """A new encryption zone."""
    path = f"/zone{next(lake.numbers)}"
    lake.hdfs.shell("-mkdir", "-p", path)
    lake.hdfs.ask("zone", path)
    return path


def create_at(lake: Lake, location: str) -> str:
    """A partitioned table with the rows BEFORE."""
    name = lake.new_name()
    lake.session.sql(f"CREATE TABLE {name} (id INT, v INT) PARTITIONED BY (d INT) {at(location)}")
    lake.fill(name, is_partitioned=True)
    return name


def at(location: str) -> str:
    return ACID.replace("TBLPROPERTIES", f"LOCATION '{location}' TBLPROPERTIES")


def create_with_partition_at(lake: Lake, location: str) -> str:
    """The same, with its partition of the odd ones elsewhere."""
    name = lake.create_empty("PARTITIONED BY (d INT)")
    lake.session.sql(f"ALTER TABLE {name} ADD PARTITION (d = 1) LOCATION '{location}'")
    lake.fill(name, is_partitioned=True)
    return name


def names(lake: Lake, path: str) -> list[str]:
    """Of what lies directly there, hidden too."""
    return sorted(found.removeprefix(f"{path}/") for found in lake.hdfs.tree(path) if found.rpartition("/")[0] == path)


def assert_kept(lake: Lake, name: str, mutation: Mutation) -> None:
    lake.session.sql(mutation.text(name, NUMBERS))
    assert lake.rows(name) == mutation.effect(BEFORE, NUMBERS)


def compact(lake: Lake, name: str, partition: int) -> None:
    ((*_, state, accepted, reason),) = lake.session.sql(
        f"ALTER TABLE {name} PARTITION (d = {partition}) COMPACT 'major' AND WAIT"
    )
    assert accepted, (state, reason)


@pytest.mark.parametrize("mutation", PARTITIONED, ids=str)
def test_a_table_in_an_encryption_zone_is_changed(lake: Lake, mutation: Mutation) -> None:
    name = create_at(lake, f"{ROOT}{zone(lake)}/t")
    assert_kept(lake, name, mutation)
    compact(lake, name, 1)
    assert lake.rows(name) == mutation.effect(BEFORE, NUMBERS)


@pytest.mark.parametrize("mutation", PARTITIONED, ids=str)
def test_a_partition_in_an_encryption_zone_of_its_own_is_changed(lake: Lake, mutation: Mutation) -> None:
    place = f"{zone(lake)}/d1"
    name = create_with_partition_at(lake, f"{ROOT}{place}")
    assert_kept(lake, name, mutation)
    assert [found for found in names(lake, place) if found.startswith(("delta_", "base_"))]
    assert not [found for found in names(lake, place) if found.startswith(".")]
    compact(lake, name, 1)
    assert lake.rows(name) == mutation.effect(BEFORE, NUMBERS)


@pytest.mark.parametrize("mutation", PARTITIONED, ids=str)
def test_a_partition_on_another_file_system_is_changed(lake: Lake, mutation: Mutation) -> None:
    place = lake.folder / f"elsewhere-{next(lake.numbers)}"
    name = create_with_partition_at(lake, place.as_uri())
    assert_kept(lake, name, mutation)
    assert [found for found in place.iterdir() if found.name.startswith(("delta_", "base_"))]
    assert not [found for found in place.iterdir() if found.name.startswith(".hive-acid")]


def test_a_table_with_a_snapshot_is_compacted_and_truncated(lake: Lake) -> None:
    insert = next(m for m in MUTATIONS if m.name == "insert-flat")
    name = lake.create(insert)
    lake.hdfs.admin("-allowSnapshot", lake.path(name))
    lake.hdfs.shell("-createSnapshot", lake.path(name), "before")
    lake.session.sql(insert.text(name, NUMBERS))
    ((*_, accepted, _),) = lake.session.sql(f"ALTER TABLE {name} COMPACT 'major' AND WAIT")
    assert accepted
    assert lake.rows(name) == insert.effect(BEFORE, NUMBERS)
    lake.session.sql(f"TRUNCATE TABLE {name}")
    assert lake.rows(name) == []
    assert any("/.snapshot/before/delta_" in path for path in lake.hdfs.tree(f"{lake.path(name)}/.snapshot"))


@pytest.fixture(scope="module")
def mounts(hdfs: Hdfs, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lake]:
    """A lake whose clients know two mounts of the one HDFS."""
    hdfs.shell("-mkdir", "-p", "/hot", "/cold")
    table = {f"fs.viewfs.mounttable.mounts.link./{name}": f"{ROOT}/{name}" for name in ("hot", "cold")}
    with started_lake(tmp_path_factory.mktemp("mounts"), hdfs, more=table) as started:
        yield started


@pytest.mark.parametrize("mutation", PARTITIONED, ids=str)
def test_a_table_behind_a_mount_is_changed(mounts: Lake, mutation: Mutation) -> None:
    name = create_at(mounts, f"{MOUNTS}/hot/t{next(mounts.numbers)}")
    assert_kept(mounts, name, mutation)
    compact(mounts, name, 1)
    assert mounts.rows(name) == mutation.effect(BEFORE, NUMBERS)


@pytest.mark.parametrize("mutation", PARTITIONED, ids=str)
def test_a_partition_behind_another_mount_is_changed(mounts: Lake, mutation: Mutation) -> None:
    number = next(mounts.numbers)
    name = mounts.new_name()
    location = f"{MOUNTS}/hot/p{number}"
    mounts.session.sql(f"CREATE TABLE {name} (id INT, v INT) PARTITIONED BY (d INT) {at(location)}")
    mounts.session.sql(f"ALTER TABLE {name} ADD PARTITION (d = 1) LOCATION '{MOUNTS}/cold/p{number}'")
    mounts.fill(name, is_partitioned=True)
    assert_kept(mounts, name, mutation)
