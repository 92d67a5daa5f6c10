"""On a cluster a table at `file:` is not written to: each machine would have rows of its own."""

from __future__ import annotations

import pytest

from hive_acid.errors import HiveAcidError
from hive_acid.metastore.compaction_types import CompactionKind
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.table import Column, Partition
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.writing.publishing.local_files import runs_on_one_machine
from support.statements import TABLE, World, build_table
from unit.compaction.worker_shop import Shop

CONDITION = "HIVE_ACID_UNSUPPORTED_TABLE.LOCAL_FILES_ON_CLUSTER"
SETTING = "spark.hiveacid.storage.allowLocalFilesOnCluster"
LOCAL, SHARED, MOUNTED = "file:/warehouse/t", "hdfs://lake/warehouse/t", "viewfs://mounts/t"


def build_world(location: str, *, on_cluster: bool = True) -> World:
    world = World()
    world.memory.add_table(build_table(location=location))
    world.file_system.tasks_see_local_files = not on_cluster
    world.file_system.make_folder(MOUNTED)
    world.file_system.zones[MOUNTED] = "file:///"
    return world


@pytest.mark.parametrize("master", ["local", "local[2]", "local[*]", "local[2,3]", "local-cluster[1,1,1024]"])
def test_these_masters_have_all_tasks_on_the_machine_of_the_driver(master: str) -> None:
    assert runs_on_one_machine(master)


@pytest.mark.parametrize("master", ["yarn", "spark://127.0.0.1:7077", "k8s://https://api:443", "localhost", ""])
def test_these_masters_may_have_tasks_elsewhere(master: str) -> None:
    assert not runs_on_one_machine(master)


@pytest.mark.parametrize("kind", StatementKind)
@pytest.mark.parametrize("location", [LOCAL, MOUNTED])
def test_a_statement_that_writes_there_is_refused_before_anything_is_opened(kind: StatementKind, location: str) -> None:
    world = build_world(location)
    with pytest.raises(HiveAcidError, match=rf"{SETTING}=true") as raised:
        world.run(kind)
    assert raised.value.getCondition() == CONDITION
    assert "open_transaction" not in world.metastore.calls


@pytest.mark.parametrize("kind", StatementKind)
def test_on_one_machine_or_on_shared_storage_it_is_carried_out(kind: StatementKind) -> None:
    build_world(LOCAL, on_cluster=False).run(kind)
    build_world(SHARED).run(kind)


def test_the_setting_admits_a_folder_that_all_machines_share() -> None:
    build_world(LOCAL).run(StatementKind.INSERT, settings={SETTING: "true"})


def test_a_partition_there_is_refused_before_its_files_are_put_in_place() -> None:
    world = build_world(SHARED)
    world.memory.add_table(build_table(location=SHARED, partition_columns=(Column("d", "string"),)))
    world.memory.add_partition(TABLE, Partition("d=a", ("a",), "file:/other/d=a", {}))
    world.engine.partitions = ("d=a",)
    with pytest.raises(HiveAcidError) as raised:
        world.run(StatementKind.INSERT)
    assert raised.value.getCondition() == CONDITION
    assert not [path for path in world.file_system.files if path.startswith("file:/other")]


@pytest.mark.parametrize("line", MetastoreLine)
def test_a_compaction_there_is_refused_unless_the_folder_is_shared(line: MetastoreLine) -> None:
    for settings in ({}, {SETTING: "true"}):
        shop = Shop(line, settings, {"location": LOCAL})
        shop.world.file_system.tasks_see_local_files = False
        if settings:
            shop.worker._compactor.find_place(TABLE, None, CompactionKind.MAJOR)
            continue
        with pytest.raises(HiveAcidError) as raised:
            shop.worker._compactor.find_place(TABLE, None, CompactionKind.MAJOR)
        assert raised.value.getCondition() == CONDITION
