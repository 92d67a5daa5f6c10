"""Compactions are asked for where they are needed, once, and where nobody else asks."""

from __future__ import annotations

import json
import logging
from dataclasses import replace

import pytest

from doubles.memory_metastore import MemoryMetastore
from hive_acid.compaction.after_write import AfterWrite
from hive_acid.compaction.services import has_initiator
from hive_acid.config import COMPACT_AFTER_WRITE, Settings
from hive_acid.errors import MetastoreUnavailable
from hive_acid.metastore.compaction_types import CompactionKind, CompactionRequest
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.table import Column, Partition, TableName
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid_ops.decision_report import format_json, format_text
from hive_acid_ops.initiator.initiator import (
    Action,
    Decision,
    Initiator,
    find_candidates,
    find_unknown_databases,
)
from support.faults import FaultyMetastore
from support.statements import LOCATION, TABLE, World, build_table

ELEVEN = 11
DAY_MS = 86_400_000
WORKER_POOL = "hive.compactor.worker.pool"


@pytest.fixture(params=list(MetastoreLine), ids=lambda line: line.value)
def world(request: pytest.FixtureRequest) -> World:
    return World(request.param)


def look(world: World, *names: TableName, is_dry_run: bool = False) -> list[Decision]:
    initiator = Initiator(world.metastore, world.file_system, "host-test", world.clock, is_dry_run)
    return list(initiator.look(names or (TABLE,)))


def fill(world: World, inserts: int = ELEVEN) -> None:
    for _ in range(inserts):
        world.run(StatementKind.INSERT)


def test_a_table_past_its_threshold_is_asked_for_once(world: World) -> None:
    fill(world)
    (decision,) = look(world)
    assert (decision.action, decision.kind, decision.request_id) == (Action.REQUESTED, CompactionKind.MAJOR, 1)
    (info,) = world.memory.compactions()
    assert (info.table, info.partition, info.kind) == (TABLE, None, CompactionKind.MAJOR)
    assert info.initiator == "host-test"
    (again,) = look(world)
    assert (again.action, again.reason) == (Action.PASSED_OVER, "its compaction 1 is initiated")
    assert len(world.memory.compactions()) == 1


@pytest.mark.parametrize(
    ("of_table", "of_database", "pool"),
    [
        ("heavy", None, "heavy"),
        (None, "night", "night"),
        ("heavy", "night", "heavy"),
        (" ", "night", "night"),
        (None, " ", None),
        (None, None, None),
    ],
)
def test_the_pool_of_the_table_or_its_database_is_asked_on_4(
    world: World, of_table: str | None, of_database: str | None, pool: str | None
) -> None:
    named = {} if of_table is None else {WORKER_POOL: of_table}
    world.memory.add_table(build_table(parameters={"transactional": "true", **named}))
    if of_database is not None:
        world.memory.database_properties["db"] = {WORKER_POOL: of_database}
    fill(world)
    assert [decision.action for decision in look(world)] == [Action.REQUESTED]
    (info,) = world.memory.compactions()
    assert info.pool == (pool if world.line is MetastoreLine.HIVE_4 else None)


def test_a_request_that_another_makes_meanwhile_is_not_made_again(world: World) -> None:
    fill(world)
    request = CompactionRequest(TABLE, CompactionKind.MAJOR)
    world.metastore.before["request_compaction"] = lambda: world.memory.request_compaction(request)
    (decision,) = look(world)
    assert decision.action is Action.PASSED_OVER
    assert len(world.memory.compactions()) == 1


def test_a_table_below_its_thresholds_is_left_alone(world: World) -> None:
    fill(world, 10)
    assert [decision.action for decision in look(world)] == [Action.NOT_NEEDED]
    assert world.memory.compactions() == []


def test_what_an_open_transaction_keeps_from_being_compacted_does_not_count(world: World) -> None:
    txn_id = world.memory.open_transaction("other", "host", "agent")
    world.memory.allocate_write_id(txn_id, TABLE)
    fill(world)
    assert [decision.action for decision in look(world)] == [Action.NOT_NEEDED]
    world.memory.commit(txn_id)
    assert [decision.action for decision in look(world)] == [Action.REQUESTED]


def test_a_dry_run_asks_for_nothing(world: World) -> None:
    fill(world)
    assert [decision.action for decision in look(world, is_dry_run=True)] == [Action.WOULD_REQUEST]
    assert world.memory.compactions() == []


def test_each_partition_is_judged_by_itself(world: World) -> None:
    world.memory.add_table(build_table(partition_columns=(Column("d", "string"),)))
    world.memory.add_partition(TABLE, Partition("d=2", ("2",), f"{LOCATION}/d=2", {}))
    world.engine.partitions = ("d=1",)
    fill(world)
    found = {decision.partition: decision.action for decision in look(world)}
    assert found == {"d=1": Action.REQUESTED, "d=2": Action.NOT_NEEDED}


def test_tables_that_want_no_compaction_or_are_not_transactional_are_left_alone(world: World) -> None:
    fill(world)
    world.memory.add_table(build_table(parameters={"transactional": "true", "NO_AUTO_COMPACTION": "true"}))
    plain = replace(build_table(parameters={}), name=TableName("db", "plain"))
    world.memory.add_table(plain)
    (decision,) = look(world, TABLE, plain.name)
    assert (decision.table, decision.action) == (TABLE, Action.PASSED_OVER)
    assert world.memory.compactions() == []


def fail_compaction(world: World) -> None:
    world.memory.request_compaction(CompactionRequest(TABLE, CompactionKind.MAJOR))
    job = world.memory.next_compaction("host-1", "1", None)
    assert job is not None
    world.memory.mark_failed(replace(job, error="no space left"))


def test_after_two_failures_in_a_row_nothing_is_asked_for_until_a_week_has_passed() -> None:
    world = World(MetastoreLine.HIVE_4)
    fill(world)
    fail_compaction(world)
    assert [decision.action for decision in look(world, is_dry_run=True)] == [Action.WOULD_REQUEST]
    fail_compaction(world)
    (decision,) = look(world)
    assert decision.action is Action.PASSED_OVER
    assert decision.reason == "its last 2 compactions failed: no space left"
    world.clock.now_ms += 7 * DAY_MS
    assert [decision.action for decision in look(world)] == [Action.REQUESTED]


@pytest.mark.parametrize("path", ["part-00000.orc", "delta_0000001_0000001_0000/part-00000.orc"])
def test_nothing_is_asked_for_where_a_compaction_would_lose_files(world: World, path: str) -> None:
    fill(world)
    world.file_system.add_file(f"{LOCATION}/{path}")
    (decision,) = look(world)
    assert decision.action is Action.PASSED_OVER
    assert path in decision.reason


def test_an_error_about_one_table_does_not_keep_the_next_one_from_being_looked_at(world: World) -> None:
    fill(world)
    world.file_system.make_folder(f"{LOCATION}/delta_nonsense")
    other = replace(build_table(), name=TableName("db", "u"), location="/warehouse/u")
    world.memory.add_table(other)
    found = {
        str(decision.table): decision.action for decision in look(world, TableName("db", "gone"), TABLE, other.name)
    }
    assert found == {"db.gone": Action.FAILED, "db.t": Action.FAILED, "db.u": Action.NOT_NEEDED}


def test_without_a_metastore_there_is_no_next_one(world: World) -> None:
    lost = FaultyMetastore(world.memory, "table")
    with pytest.raises(MetastoreUnavailable):
        list(Initiator(lost, world.file_system, "host-test", world.clock).look([TABLE, TABLE]))


def test_a_threshold_that_is_no_number_is_told(world: World) -> None:
    wrong = {"transactional": "true", "compactorthreshold.hive.compactor.delta.pct.threshold": "much"}
    world.memory.add_table(build_table(parameters=wrong))
    (decision,) = look(world)
    assert decision.action is Action.FAILED
    assert "not a number" in decision.reason


def test_the_candidates_are_the_tables_named_those_of_databases_or_all(world: World) -> None:
    names = [TableName("a", "x"), TableName("b", "y"), TABLE]
    for name in names[:2]:
        world.memory.add_table(replace(build_table(), name=name))
    assert find_candidates(world.memory) == names
    assert find_candidates(world.memory, ["B"]) == [TableName("b", "y")]
    assert find_candidates(world.memory, ["B"], [TABLE]) == [TableName("b", "y"), TABLE]
    assert find_candidates(world.memory, tables=[TABLE]) == [TABLE]


def test_databases_that_nobody_knows_are_told(world: World) -> None:
    world.memory.database_properties["empty"] = {}
    assert find_unknown_databases(world.memory, ["DB", "empty"]) == []
    assert find_unknown_databases(world.memory, ["Slaes", "db", "gone"]) == ["gone", "slaes"]
    assert find_unknown_databases(world.memory, []) == []


def test_the_metastores_own_initiator_is_known() -> None:
    assert not has_initiator(MemoryMetastore())
    for prefix in ("hive", "metastore"):
        assert has_initiator(MemoryMetastore(settings={f"{prefix}.compactor.initiator.on": "true"}))


def test_decisions_are_told_to_people_and_programs() -> None:
    decision = Decision(TABLE, "d=1", Action.REQUESTED, CompactionKind.MINOR, "11 deltas", 7)
    assert format_text(decision) == "db.t d=1: requested minor (compaction 7): 11 deltas"
    assert json.loads(format_json(decision)) == {
        "database": "db",
        "table": "t",
        "partition": "d=1",
        "action": "requested",
        "kind": "minor",
        "compactionId": 7,
        "reason": "11 deltas",
    }


class TestAfterWrite:
    @pytest.fixture
    def world(self, request: pytest.FixtureRequest) -> World:
        return self.build({COMPACT_AFTER_WRITE.key: "true"})

    def build(self, settings: dict[str, str], server: dict[str, str] | None = None) -> World:
        world = World(settings=settings)
        world.memory._settings.update(server or {})
        world.executor._after_commit = AfterWrite(world.metastore, world.file_system, "host-app", world.clock)
        return world

    def test_the_statement_that_passes_the_threshold_asks(self, world: World) -> None:
        fill(world, 10)
        assert world.memory.compactions() == []
        fill(world, 2)
        assert [info.initiator for info in world.memory.compactions()] == ["host-app"]

    def test_only_partitions_that_were_written_are_looked_at(self, world: World) -> None:
        world.memory.add_table(build_table(partition_columns=(Column("d", "string"),)))
        world.engine.partitions = ("d=1",)
        fill(world, 10)
        world.engine.partitions = ("d=2",)
        fill(world, 11)
        assert [info.partition for info in world.memory.compactions()] == ["d=2"]

    def test_a_transaction_of_several_statements_asks_when_it_commits(self, world: World) -> None:
        fill(world, 10)
        begun = world.executor.begin_transaction({})
        world.executor.run_within(begun.token, world.statement(StatementKind.INSERT), world.engine)
        assert world.memory.compactions() == []
        world.executor.end_transaction(begun, None)
        assert len(world.memory.compactions()) == 1

    def test_off_by_default(self) -> None:
        world = self.build({})
        fill(world, 11)
        assert world.memory.compactions() == []

    def test_beside_an_initiator_of_the_metastore_nobody_asks(self) -> None:
        world = self.build({COMPACT_AFTER_WRITE.key: "true"}, {"hive.compactor.initiator.on": "true"})
        fill(world, 11)
        assert world.memory.compactions() == []

    @pytest.mark.parametrize("method", ["database_parameters", "compactions", "request_compaction", "config_value"])
    def test_a_check_that_fails_is_a_warning_and_the_statement_stays_committed(
        self, world: World, method: str, caplog: pytest.LogCaptureFixture
    ) -> None:
        fill(world, 10)
        world.metastore.method, world.metastore.forever = method, True
        world.metastore.nth = world.metastore.calls.count(method) + 1
        with caplog.at_level(logging.WARNING):
            assert world.run(StatementKind.INSERT) == 3
        assert len(world.visible_write_ids()) == ELEVEN
        assert "db.t" in caplog.text and "could not be found out" in caplog.text

    def test_a_statement_that_fails_asks_for_nothing(self, world: World) -> None:
        fill(world, 10)
        world.engine.fails = RuntimeError("a task failed")
        with pytest.raises(RuntimeError):
            world.run(StatementKind.INSERT)
        assert "request_compaction" not in world.metastore.calls
        assert world.memory.compactions() == []


def test_a_setting_that_is_neither_true_nor_false_is_told_when_the_statement_is_done(
    caplog: pytest.LogCaptureFixture,
) -> None:
    world = World()
    AfterWrite(world.memory, world.file_system, "host-app", world.clock)(
        {TABLE: ()}, Settings({COMPACT_AFTER_WRITE.key: "?"})
    )
    assert "not true or false" in caplog.text
