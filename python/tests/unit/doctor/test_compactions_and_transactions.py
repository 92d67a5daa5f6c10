"""Compactions and transactions that somebody has to look after: each with its cause, and none without."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hive_acid.compaction.services import Services
from hive_acid.metastore.compaction_types import CompactionInfo, CompactionKind, CompactionRequest, CompactionState
from hive_acid.metastore.types import LockComponent, LockKind, MetastoreLine, OperationKind
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid_ops.doctor.compactions import find_stuck
from hive_acid_ops.doctor.finding import FindingKind, Subject
from support.doctoring import (
    DAY_MS,
    HOUR_MS,
    Kind,
    examine,
    fix,
    kinds,
    make_partitioned,
    pass_time,
)
from support.statements import LOCATION, TABLE, World, build_table

PATIENT_CLEANER = {"hive.compactor.cleaner.on": "true", "hive.compactor.clean.aborts.using.cleaner": "false"}


class TestCompactions:
    def test_a_pile_of_deltas_is_told_until_somebody_has_asked_for_a_compaction(self, world: World) -> None:
        for _ in range(10):
            world.run(StatementKind.INSERT)
        assert kinds(world) == []
        world.run(StatementKind.INSERT)
        (finding,) = examine(world)
        assert finding.kind is Kind.DELTA_PILE_UP
        assert finding.cure.startswith("ALTER TABLE db.t COMPACT 'major'")
        world.memory.request_compaction(CompactionRequest(TABLE, CompactionKind.MAJOR))
        assert kinds(world) == []

    def test_the_cure_names_a_partition_as_sql_does(self, world: World) -> None:
        make_partitioned(world)
        world.engine.partitions = ("d=it's 1%2F2",)
        for _ in range(11):
            world.run(StatementKind.INSERT)
        assert "db.t PARTITION (d='it\\'s 1/2') COMPACT" in examine(world)[-1].cure

    def test_no_compaction_is_advised_where_it_would_lose_files(self, world: World) -> None:
        for _ in range(11):
            world.run(StatementKind.INSERT)
        world.file_system.add_file(f"{LOCATION}/part-00000.orc")
        assert kinds(world) == [Kind.STRAY_FILES]

    def test_a_table_that_wants_no_compaction_has_no_pile(self, world: World) -> None:
        world.memory.add_table(build_table(parameters={"transactional": "true", "no_auto_compaction": "true"}))
        for _ in range(11):
            world.run(StatementKind.INSERT)
        assert kinds(world) == []

    def test_a_request_that_nobody_takes_is_told_after_an_hour(self, world: World) -> None:
        world.memory.request_compaction(CompactionRequest(TABLE, CompactionKind.MAJOR))
        assert kinds(world) == []
        pass_time(world, HOUR_MS)
        (finding,) = examine(world)
        assert finding.kind is Kind.COMPACTION_WAITS
        assert ("hive-acid worker" in finding.cure) == (world.line is MetastoreLine.HIVE_4)

    def compact(self, world: World, error: str | None = None) -> None:
        world.memory.request_compaction(CompactionRequest(TABLE, CompactionKind.MAJOR))
        job = world.memory.next_compaction("host-1", "1", None)
        assert job is not None
        if error:
            world.memory.mark_failed(replace(job, error=error))
        else:
            world.memory.mark_compacted(job)

    def test_a_compaction_that_failed_is_told_with_its_reason_until_one_succeeds(self) -> None:
        world = World(MetastoreLine.HIVE_4)
        self.compact(world, "no space left")
        (finding,) = examine(world)
        assert finding.kind is Kind.COMPACTION_FAILED
        assert "no space left" in finding.detail
        self.compact(world)
        assert kinds(world) == []

    @pytest.mark.parametrize(
        ("settings", "cure"),
        [({}, "no Cleaner runs; start one"), (PATIENT_CLEANER, "look into the metastore's log")],
    )
    def test_what_no_cleaner_has_cleaned_for_an_hour_is_told(self, settings: dict[str, str], cure: str) -> None:
        world = World(MetastoreLine.HIVE_4)
        world.memory._settings.update(settings)
        self.compact(world)
        assert kinds(world) == []
        pass_time(world, HOUR_MS)
        (finding,) = examine(world)
        assert finding.kind is Kind.CLEANING_WAITS
        assert finding.cure.startswith(cure)

    @pytest.mark.parametrize(
        ("error", "version", "cure"),
        [
            ("Permission denied", "4.1.0", "fails (Permission denied); remove the cause"),
            ("could not determine data type of parameter $4", "4.0.1", "preferQueryMode=simple"),
            (None, "4.0.0", "(Hive 4.0 on PostgreSQL), add preferQueryMode=simple"),
            (None, "4.1.0", "it also waits for the table's readers"),
        ],
    )
    def test_a_cleaner_that_fails_is_told_apart_from_one_that_waits(
        self, error: str | None, version: str, cure: str
    ) -> None:
        entry = CompactionInfo(
            7, TABLE, CompactionKind.MAJOR, CompactionState.READY, error=error, committed_ms=1, next_txn_id=5
        )
        service = Services(MetastoreLine.HIVE_4, False, True, None, version)
        (finding,) = find_stuck(Subject(TABLE), [entry], service, 1 + HOUR_MS)
        assert cure in finding.cure
        assert "transaction" not in finding.cure

    def test_nobody_is_told_to_compact_again_what_waits_for_its_cleaner(self, world: World) -> None:
        world.run(StatementKind.INSERT)
        world.run(StatementKind.OVERWRITE)
        for path in list(world.file_system.files):
            world.file_system.add_file(path, modified_ms=world.clock.now_ms)
        world.memory._settings |= {"hive.compactor.initiator.on": "true", "metastore.compactor.cleaner.on": "true"}
        if world.line is MetastoreLine.HIVE_4:
            self.compact(world)
        pass_time(world, DAY_MS)
        cures = {finding.kind: finding.cure for finding in examine(world)}
        again = "ALTER TABLE … COMPACT" in cures[Kind.OBSOLETE_FOLDERS]
        assert again == (world.line is MetastoreLine.HIVE_3)

    def test_what_was_replaced_a_day_ago_and_is_still_there_is_told(self, world: World) -> None:
        world.run(StatementKind.INSERT)
        world.run(StatementKind.OVERWRITE)
        for path in list(world.file_system.files):
            world.file_system.add_file(path, modified_ms=world.clock.now_ms)
        assert kinds(world) == []
        pass_time(world, DAY_MS)
        (finding,) = examine(world)
        assert finding.kind is Kind.OBSOLETE_FOLDERS
        assert "no Cleaner runs" in finding.cure
        world.memory._settings |= {"hive.compactor.initiator.on": "true", "metastore.compactor.cleaner.on": "true"}
        assert "a Cleaner removes them" in examine(world)[0].cure


class TestTransactions:
    def begin(self, world: World, agent: str, kind: LockKind | None = None) -> int:
        txn_id = world.memory.open_transaction("ada", "here", agent)
        if kind:
            operation = OperationKind.SELECT if kind is LockKind.SHARED_READ else OperationKind.INSERT
            world.memory.lock(txn_id, [LockComponent(TABLE, kind, operation)], "ada", "here", agent)
        return txn_id

    def beat_for(self, world: World, txn_id: int, ms: int) -> None:
        for _ in range(0, ms, 60_000):
            pass_time(world, 60_000)
            world.memory.heartbeat(txn_id)

    @pytest.mark.parametrize(
        ("agent", "lock", "expected"),
        [
            ("spark-hive-acid app-1", LockKind.SHARED_READ, Kind.LEAKED_READER),
            ("spark-hive-acid app-1", LockKind.EXCLUSIVE, Kind.OLD_TRANSACTION),
            ("hive", LockKind.SHARED_READ, Kind.OLD_TRANSACTION),
            ("hive", None, Kind.OLD_TRANSACTION),
        ],
    )
    def test_one_that_is_open_for_an_hour_is_told_with_its_holder(
        self, world: World, agent: str, lock: LockKind | None, expected: FindingKind
    ) -> None:
        txn_id = self.begin(world, agent, lock)
        self.beat_for(world, txn_id, HOUR_MS - 60_000)
        assert kinds(world) == []
        self.beat_for(world, txn_id, 60_000)
        (finding,) = examine(world, None)
        assert finding.kind is expected
        assert f"transaction {txn_id} of ada on here ({agent}), open for 60 min" in finding.detail
        assert ("EXCLUSIVE on db.t" in finding.detail) == (lock is LockKind.EXCLUSIVE)
        assert ("others wait" in finding.harm) == (lock is LockKind.EXCLUSIVE)
        world.memory.abort(txn_id)
        assert kinds(world) == []

    def test_one_without_a_heartbeat_that_nobody_ends_is_told(self, world: World) -> None:
        txn_id = self.begin(world, "spark-hive-acid app-1")
        world.memory._timeout_ms = DAY_MS  # no housekeeping ends it
        pass_time(world, 3 * 300_000 - 1)
        assert kinds(world) == []
        pass_time(world, 1)
        (finding,) = examine(world)
        assert finding.kind is Kind.DEAD_TRANSACTION
        assert f"ABORT TRANSACTIONS {txn_id}" in finding.cure
        assert fix(world) == []


@pytest.mark.parametrize(("aborts_by_cleaner", "is_told"), [("true", True), ("false", False)])
def test_a_cleaner_that_waits_for_no_reader_is_told(
    world: World, monkeypatch: pytest.MonkeyPatch, aborts_by_cleaner: str, is_told: bool
) -> None:
    said = PATIENT_CLEANER | {"hive.compactor.clean.aborts.using.cleaner": aborts_by_cleaner}
    monkeypatch.setattr(world.memory, "config_value", lambda name, default: said.get(name, default))
    assert kinds(world) == [Kind.IMPATIENT_CLEANER] * (is_told and world.line is MetastoreLine.HIVE_4)
