"""Tables of a world in memory that statements alter: one with partitions, and another one."""

from __future__ import annotations

from hive_acid.config import Settings
from hive_acid.execution.ddl import DdlExecutor
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.table import Column, Partition, TableName
from support.statements import TABLE, World, build_table

OTHER = TableName("db", "other")
NAMES = ("d=a/h=1", "d=a/h=2", "d=b/h=1")
KEY = "COLUMN_STATS_ACCURATE"


def build_altered_world(line: MetastoreLine) -> World:
    """A world in which the table has the partitions NAMES, with statistics, and OTHER is flat."""
    world = World(line)
    columns = (Column("d", "string"), Column("h", "string"))
    world.memory.add_table(build_table(partition_columns=columns))
    world.memory.add_table(build_table(name=OTHER, location="/warehouse/other"))
    for name in NAMES:
        values = tuple(part[2:] for part in name.split("/"))
        world.memory.add_partition(TABLE, Partition(name, values, f"/warehouse/t/{name}", {KEY: "{}"}))
    return world


def build(world: World) -> DdlExecutor:
    """The executor of a statement there."""
    return DdlExecutor(world.warehouse, Settings(world.settings))
