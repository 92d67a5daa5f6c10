"""The storage behind a mount of viewfs counts: a rename there need not be atomic."""

from __future__ import annotations

import pytest

from hive_acid.errors import HiveAcidError
from hive_acid.metastore.compaction_types import CompactionKind
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.table import Column, Partition
from hive_acid.wire.statement_kinds import StatementKind
from support.statements import TABLE, World, build_table
from unit.compaction.worker_shop import Shop

MOUNTED = "viewfs://mounts/archive/t"
CONDITION = "HIVE_ACID_UNSUPPORTED_TABLE.MOUNTED_STORAGE"
ALLOWED = {"spark.hiveacid.storage.allowNonAtomicRename": "true"}


def mount(world: World, home: str, place: str = MOUNTED) -> None:
    world.file_system.make_folder(place)
    world.file_system.zones[place] = home


@pytest.mark.parametrize("home", ["hdfs://lake|staff|zone", "file:///"])
def test_a_mount_of_storage_that_renames_is_written_to(home: str) -> None:
    world = World()
    world.memory.add_table(build_table(location=MOUNTED))
    mount(world, home)
    world.run(StatementKind.INSERT)


def test_a_mount_of_an_object_store_is_refused_before_a_transaction() -> None:
    world = World()
    world.memory.add_table(build_table(location=MOUNTED))
    mount(world, "s3a://lake")
    with pytest.raises(HiveAcidError, match="s3a") as raised:
        world.run(StatementKind.INSERT)
    assert raised.value.getCondition() == CONDITION
    assert "open_transaction" not in world.metastore.calls


def test_a_partition_behind_such_a_mount_is_refused_before_its_files_are_put_in_place() -> None:
    world = World()
    world.memory.add_table(build_table(partition_columns=(Column("d", "string"),)))
    world.memory.add_partition(TABLE, Partition("d=a", ("a",), MOUNTED, {}))
    world.engine.partitions = ("d=a",)
    mount(world, "s3a://lake")
    with pytest.raises(HiveAcidError) as raised:
        world.run(StatementKind.INSERT)
    assert raised.value.getCondition() == CONDITION
    assert not [path for path in world.file_system.files if path.startswith(MOUNTED)]


@pytest.mark.parametrize("line", MetastoreLine)
def test_a_compaction_there_is_refused_and_on_the_older_line_whatever_is_set(line: MetastoreLine) -> None:
    for settings in ({}, ALLOWED):
        shop = Shop(line, settings, {"location": MOUNTED})
        mount(shop.world, "s3a://lake")
        if settings and line is MetastoreLine.HIVE_4:
            find_place(shop)
            continue
        with pytest.raises(HiveAcidError) as raised:
            find_place(shop)
        assert raised.value.getCondition() == CONDITION


def find_place(shop: Shop) -> None:
    shop.worker._compactor.find_place(TABLE, None, CompactionKind.MAJOR)
