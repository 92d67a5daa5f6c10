"""The doctor in a world of memory, and what its tests share."""

from __future__ import annotations

from hive_acid.errors import build_error
from hive_acid.model.table import Column, Partition, TableName
from hive_acid_ops.doctor.finding import Finding, FindingKind
from hive_acid_ops.doctor.findings import Doctor, treat
from support.memory_file_system import MemoryFileSystem
from support.statements import LOCATION, TABLE, World, build_table

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
PARTITIONED = (Column("d", "string"),)
Kind = FindingKind


class RefusingFileSystem(MemoryFileSystem):
    def delete_tree(self, path: str) -> None:
        raise build_error("HIVE_ACID_STORAGE", path=path, action="removing", reason="read-only")


def examine(world: World, name: TableName | None = TABLE) -> list[Finding]:
    return list(Doctor(world.metastore, world.file_system, world.clock).examine(name))


def kinds(world: World) -> list[FindingKind]:
    return [finding.kind for finding in examine(world)]


def fix(world: World) -> list[str | None]:
    """The paths that were removed."""
    doctor = Doctor(world.metastore, world.file_system, world.clock)
    treatments = [treat(world.file_system, finding, is_dry_run=False) for finding in doctor.examine(TABLE)]
    return [treatment.finding.path for treatment in treatments if treatment.is_done]


def make_partitioned(world: World) -> None:
    world.memory.add_table(build_table(partition_columns=PARTITIONED, parameters={"transactional": "true"}))
    for name in ("d=1", "d=2"):
        world.memory.add_partition(TABLE, Partition(name, (name[2:],), f"{LOCATION}/{name}", {}))
        world.file_system.make_folder(f"{LOCATION}/{name}")


def pass_time(world: World, ms: int) -> None:
    """Nothing times out: nobody has asked the metastore meanwhile."""
    world.clock.now_ms += ms


def stage(world: World, txn_id: int) -> str:
    """Leaves a staging folder of the transaction; its path."""
    path = f"{LOCATION}/.hive-acid-staging-{txn_id}-0123abcd"
    world.file_system.add_file(f"{path}/delta_0000001_0000001_0000/bucket_00000")
    return path
