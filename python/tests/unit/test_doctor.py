"""What `hive-acid doctor` finds and removes."""

from __future__ import annotations

import json

import pytest

from hive_acid.errors import InvalidStatement
from hive_acid.inspect.doctor import examine, format_json, format_text, repair
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.names import METADATA_FILE, OVERWRITE_FILE
from hive_acid.model.table import Column, Partition, TableName
from hive_acid.transactions.validity import StatementKind
from support.statements import LOCATION, TABLE, World, build_table


@pytest.fixture(params=list(MetastoreLine), ids=lambda line: line.value)
def world(request: pytest.FixtureRequest) -> World:
    return World(request.param)


def leave_base(world: World, root: str = LOCATION, mark: str = OVERWRITE_FILE, *, is_open: bool = False) -> str:
    """A base under an aborted or open write ID."""
    txn_id = world.memory.open_transaction("other", "host", "agent")
    base = f"{root}/base_{world.memory.allocate_write_id(txn_id, TABLE):07d}"
    world.file_system.add_file(f"{base}/bucket_00000")
    world.file_system.add_file(f"{base}/{mark}")
    if not is_open:
        world.memory.abort(txn_id)
    return base


def test_the_base_of_an_aborted_overwrite_is_found_and_removed(world: World) -> None:
    world.run(StatementKind.OVERWRITE)
    base = leave_base(world)
    (finding,) = findings = examine(world.memory, world.file_system, TABLE)
    assert finding.path == base
    assert ("cannot read" in finding.harm) == (world.line is MetastoreLine.HIVE_3)
    repair(world.file_system, findings)
    assert world.folders() == ["base_0000001"]
    assert examine(world.memory, world.file_system, TABLE) == ()


def test_every_partition_is_looked_at(world: World) -> None:
    world.memory.add_table(build_table(partition_columns=(Column("d", "string"),)))
    world.memory.add_partition(TABLE, Partition("d=1", ("1",), "/elsewhere/1", {}))
    world.memory.add_partition(TABLE, Partition("d=2", ("2",), f"{LOCATION}/d=2", {}))
    world.engine.partitions = ("d=1",)
    world.run(StatementKind.INSERT)  # 4.x tells little of a table without a visible write ID
    bases = [leave_base(world, "/elsewhere/1"), leave_base(world, f"{LOCATION}/d=2")]
    assert [finding.path for finding in examine(world.memory, world.file_system, TABLE)] == bases


def test_what_may_still_count_or_is_not_ours_is_left_alone(world: World) -> None:
    leave_base(world, is_open=True)
    leave_base(world, mark=METADATA_FILE)
    assert examine(world.memory, world.file_system, TABLE) == ()


def test_a_table_that_is_not_there_is_a_named_error(world: World) -> None:
    with pytest.raises(InvalidStatement, match="has no table"):
        examine(world.memory, world.file_system, TableName("db", "nope"))


def test_the_findings_are_told_to_people_and_programs(world: World) -> None:
    base = leave_base(world)
    findings = examine(world.memory, world.file_system, TABLE)
    assert format_text((), is_fixed=False) == "nothing found"
    assert format_text(findings, is_fixed=False).startswith(f"{base}: base of an aborted overwrite")
    assert format_text(findings, is_fixed=True).endswith("; removed")
    assert json.loads(format_json(findings, is_fixed=True))["findings"][0]["path"] == base
