"""What the doctor looks at, and how it tells of it; nothing is found where nothing is wrong."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from hive_acid.errors import InvalidStatement, MetastoreUnavailable, UnsupportedOperation
from hive_acid.metastore.types import OperationKind
from hive_acid.model.table import TableName
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid_ops.doctor.finding import Finding
from hive_acid_ops.doctor.findings import Doctor, Treatment, treat
from hive_acid_ops.doctor.report import format_json, format_line
from support.doctoring import Kind, RefusingFileSystem, examine, stage
from support.faults import FaultyMetastore
from support.statements import LOCATION, TABLE, World, build_table
from support.trino_statement import Trino


def test_nothing_is_found_in_a_table_that_is_well(world: World) -> None:
    for _ in range(3):
        world.run(StatementKind.INSERT)
    world.engine.rows = 0
    assert examine(world) == []
    assert examine(world, None) == []


def test_a_writer_that_keeps_nobody_out_is_told_while_it_is_under_way(world: World) -> None:
    world.file_system.make_folder(LOCATION)
    reader, insert = Trino(world), Trino(world, OperationKind.INSERT)
    insert.begin_write()
    reader.begin_read()
    reader.begin_read()
    assert examine(world) == []
    trino = Trino(world).begin()
    (finding,) = examine(world)
    assert (finding.kind, finding.table) == (Kind.UNLOCKED_WRITER, TABLE)
    assert finding.detail.startswith(f"transaction {trino.txn_id} of user on host")


class TestScope:
    def test_a_table_that_is_not_there_is_a_named_error(self, world: World) -> None:
        with pytest.raises(InvalidStatement, match="has no table"):
            examine(world, TableName("db", "nope"))

    def test_a_table_that_is_not_transactional_is_a_named_error(self, world: World) -> None:
        world.memory.add_table(build_table(parameters={}))
        with pytest.raises(UnsupportedOperation, match="not transactional"):
            examine(world)
        assert examine(world, None) == []

    def test_of_all_tables_one_that_cannot_be_looked_at_is_a_finding(self, world: World) -> None:
        wrong = {"transactional": "true", "compactorthreshold.hive.compactor.delta.num.threshold": "?"}
        world.memory.add_table(replace(build_table(parameters=wrong), name=TableName("db", "s")))
        world.file_system.make_folder(f"{LOCATION}/_temporary")
        found = [(str(finding.table), finding.kind) for finding in examine(world, None)]
        assert found == [("db.s", Kind.NOT_EXAMINED), ("db.t", Kind.FOREIGN_STAGING)]

    def test_without_a_metastore_there_is_no_next_table(self, world: World) -> None:
        lost = FaultyMetastore(world.memory, "compactions")
        with pytest.raises(MetastoreUnavailable):
            list(Doctor(lost, world.file_system, world.clock).examine(None))


class TestReport:
    FINDING = Finding(Kind.ORPHAN_STAGING, TABLE, "d=1", "/t/x", "staging", "only space", "remove it", True)

    @pytest.mark.parametrize(
        ("treatment", "would_fix", "end"),
        [
            (Treatment(FINDING), False, "cure: remove it (--fix)"),
            (Treatment(FINDING), True, "would be removed"),
            (Treatment(FINDING, is_done=True), False, "removed"),
            (Treatment(FINDING, failure="denied"), False, "not removed: denied"),
            (Treatment(replace(FINDING, is_fixable=False)), True, "cure: remove it"),
        ],
    )
    def test_a_line_tells_what_where_and_what_was_done(self, treatment: Treatment, would_fix: bool, end: str) -> None:
        expected = f"/t/x: orphan-staging: staging; harm: only space; {end}"
        assert format_line(treatment, would_fix) == expected

    def test_a_hint_is_told_and_is_no_fault_that_is_left(self) -> None:
        hint = Treatment(Finding(Kind.IMPATIENT_CLEANER, None, None, None, "hasty", "only time", "slow it"))
        assert format_line(hint) == "metastore: impatient-cleaner (hint): hasty; harm: only time; cure: slow it"
        assert not hint.is_left
        faults = [kind for kind in Kind if Treatment(replace(self.FINDING, kind=kind)).is_left]
        assert faults == [kind for kind in Kind if kind is not Kind.IMPATIENT_CLEANER]
        assert not Treatment(self.FINDING, is_done=True).is_left

    def test_what_is_no_file_is_named_by_its_table(self) -> None:
        finding = replace(self.FINDING, path=None)
        assert format_line(Treatment(finding)).startswith("db.t d=1: ")
        assert format_line(Treatment(replace(finding, partition=None))).startswith("db.t: ")
        assert format_line(Treatment(replace(finding, table=None))).startswith("metastore: ")

    def test_programs_get_every_field(self) -> None:
        (fields,) = json.loads(format_json([Treatment(self.FINDING, is_done=True)]))["findings"]
        assert fields == {
            "kind": "orphan-staging",
            "hint": False,
            "database": "db",
            "table": "t",
            "partition": "d=1",
            "path": "/t/x",
            "detail": "staging",
            "harm": "only space",
            "cure": "remove it",
            "fix": True,
            "fixed": True,
            "failure": None,
        }

    def test_a_removal_that_fails_is_told_and_a_dry_run_removes_nothing(self, world: World) -> None:
        path = stage(world, 1)
        world.memory.abort(world.memory.open_transaction("u", "h", "a"))
        (finding,) = examine(world)
        assert treat(world.file_system, finding, is_dry_run=True) == Treatment(finding)
        assert world.file_system.exists(path)
        refusing = RefusingFileSystem()
        treatment = treat(refusing, finding, is_dry_run=False)
        assert (treatment.is_done, "read-only" in (treatment.failure or "")) == (False, True)
