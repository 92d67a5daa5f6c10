"""What `hive-acid doctor` finds and removes: each finding with its cause, and none without."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from hive_acid.errors import InvalidStatement, MetastoreUnavailable, UnsupportedOperation, build_error
from hive_acid.inspect.doctor import Doctor, Treatment, treat
from hive_acid.inspect.finding import Finding, FindingKind, Subject
from hive_acid.inspect.partitions import find_unknown_partitions
from hive_acid.inspect.report import format_json, format_line
from hive_acid.metastore.compaction_types import CompactionKind, CompactionRequest
from hive_acid.metastore.types import LockComponent, LockKind, MetastoreLine, OperationKind
from hive_acid.model.names import METADATA_FILE, OVERWRITE_FILE
from hive_acid.model.table import Column, Partition, TableName
from hive_acid.snapshot.listing import ListedFile, Listing
from hive_acid.transactions.validity import StatementKind
from support.faults import FaultyMetastore
from support.memory_file_system import MemoryFileSystem
from support.statements import LOCATION, TABLE, World, build_table

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
PARTITIONED = (Column("d", "string"),)
Kind = FindingKind


class RefusingFileSystem(MemoryFileSystem):
    def delete_tree(self, path: str) -> None:
        raise build_error("HIVE_ACID_STORAGE", path=path, action="removing", reason="read-only")


@pytest.fixture(params=list(MetastoreLine), ids=lambda line: line.value)
def world(request: pytest.FixtureRequest) -> World:
    world = World(request.param)
    world.memory.add_table(build_table(parameters={"transactional": "true"}))
    return world


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


def test_nothing_is_found_in_a_table_that_is_well(world: World) -> None:
    for _ in range(3):
        world.run(StatementKind.INSERT)
    world.engine.rows = 0
    assert examine(world) == []
    assert examine(world, None) == []


class TestAbortedOverwrites:
    def leave_base(
        self, world: World, root: str = LOCATION, mark: str = OVERWRITE_FILE, *, is_open: bool = False
    ) -> str:
        """A base under an aborted or open write ID."""
        txn_id = world.memory.open_transaction("other", "host", "agent")
        base = f"{root}/base_{world.memory.allocate_write_id(txn_id, TABLE):07d}"
        world.file_system.add_file(f"{base}/bucket_00000")
        world.file_system.add_file(f"{base}/{mark}", text=str(txn_id) if mark == OVERWRITE_FILE else "{}")
        if not is_open:
            world.memory.abort(txn_id)
        return base

    def test_the_base_is_found_and_removed(self, world: World) -> None:
        world.run(StatementKind.OVERWRITE)
        base = self.leave_base(world)
        (finding,) = [found for found in examine(world) if found.kind is Kind.ABORTED_OVERWRITE]
        assert finding.path == base
        assert ("cannot read" in finding.harm) == (world.line is MetastoreLine.HIVE_3)
        assert fix(world) == [base]
        assert world.folders() == ["base_0000001"]
        assert examine(world) == []

    def test_every_partition_is_looked_at(self, world: World) -> None:
        make_partitioned(world)
        world.memory.add_partition(TABLE, Partition("d=1", ("1",), "/elsewhere/1", {}))
        world.engine.partitions = ("d=1",)
        world.run(StatementKind.INSERT)  # 4.x tells little of a table without a visible write ID
        bases = [self.leave_base(world, "/elsewhere/1"), self.leave_base(world, f"{LOCATION}/d=2")]
        assert [found.path for found in examine(world) if found.kind is Kind.ABORTED_OVERWRITE] == bases

    def test_what_may_still_count_or_is_not_ours_is_left_alone(self, world: World) -> None:
        self.leave_base(world, is_open=True)
        assert Kind.ABORTED_OVERWRITE not in kinds(world)
        world.file_system.delete_tree(LOCATION)
        self.leave_base(world, mark=METADATA_FILE)
        assert Kind.ABORTED_OVERWRITE not in kinds(world)
        assert fix(world) == []

    def test_a_base_whose_own_transaction_was_not_aborted_is_not_removed(self, world: World) -> None:
        """As in a table that was dropped and made anew since it was listed: its write IDs begin anew too."""
        other = world.memory.open_transaction("other", "host", "agent")
        base = self.leave_base(world)
        world.file_system.add_file(f"{base}/{OVERWRITE_FILE}", text=str(other))
        assert fix(world) == []
        world.memory.commit(other)
        assert fix(world) == []
        world.file_system.add_file(f"{base}/{OVERWRITE_FILE}", text="nonsense")
        assert fix(world) == []
        world.file_system.add_file(f"{base}/{OVERWRITE_FILE}", text="2")
        assert fix(world) == [base]


class TestStaging:
    def stage(self, world: World, txn_id: int) -> str:
        path = f"{LOCATION}/.hive-acid-staging-{txn_id}-0123abcd"
        world.file_system.add_file(f"{path}/delta_0000001_0000001_0000/bucket_00000")
        return path

    def test_a_folder_of_an_ended_transaction_is_found_and_removed(self, world: World) -> None:
        aborted, committed = (world.memory.open_transaction("u", "h", "a") for _ in range(2))
        world.memory.abort(aborted)
        world.memory.commit(committed)
        paths = [self.stage(world, aborted), self.stage(world, committed)]
        assert kinds(world) == [Kind.ORPHAN_STAGING] * 2
        assert fix(world) == paths
        assert kinds(world) == []

    def test_a_folder_of_an_open_transaction_is_left_alone(self, world: World) -> None:
        path = self.stage(world, world.memory.open_transaction("u", "h", "a"))
        assert kinds(world) == []
        assert fix(world) == []
        assert world.file_system.exists(path)

    def test_a_folder_of_a_transaction_that_this_metastore_never_had_is_left_alone(self, world: World) -> None:
        path = self.stage(world, 77)
        assert kinds(world) == []
        assert fix(world) == []
        assert world.file_system.exists(path)

    def test_a_statement_that_is_writing_keeps_its_folder(self, world: World) -> None:
        world.engine.before = lambda _: self.fixed_meanwhile.extend(fix(world))
        self.fixed_meanwhile: list[str | None] = []
        assert world.run(StatementKind.INSERT) == 3
        assert self.fixed_meanwhile == []

    def test_folders_of_others_are_told_and_left_alone(self, world: World) -> None:
        for name in (".spark-staging-4711", "_temporary", ".hive-staging_hive_2026", ".ours-perhaps"):
            world.file_system.make_folder(f"{LOCATION}/{name}")
        assert kinds(world) == [Kind.FOREIGN_STAGING] * 3
        assert fix(world) == []


def test_what_aborted_transactions_have_left_is_told_after_an_hour(world: World) -> None:
    world.run(StatementKind.INSERT)
    txn_id = world.memory.open_transaction("u", "h", "a")
    write_id = world.memory.allocate_write_id(txn_id, TABLE)
    path = f"{LOCATION}/delta_{write_id:07d}_{write_id:07d}_0000"
    world.file_system.add_file(f"{path}/bucket_00000", modified_ms=world.clock.now_ms)
    world.memory.abort(txn_id)
    assert kinds(world) == []
    pass_time(world, HOUR_MS)
    (finding,) = examine(world)
    assert (finding.kind, finding.path, finding.is_fixable) == (Kind.ABORTED_FOLDERS, path, False)


class TestFileNames:
    def test_a_file_of_plain_spark_is_told(self, world: World) -> None:
        world.file_system.add_file(f"{LOCATION}/000000_0")
        world.file_system.add_file(f"{LOCATION}/_SUCCESS", 0)
        assert kinds(world) == [Kind.SPARK_MARKER]
        world.file_system.delete_tree(f"{LOCATION}/_SUCCESS")
        world.file_system.add_file(f"{LOCATION}/part-00000-0000.snappy.orc")
        (finding,) = examine(world)
        assert (finding.kind, finding.path) == (Kind.STRAY_FILES, f"{LOCATION}/part-00000-0000.snappy.orc")
        assert "refused" in finding.harm
        world.run(StatementKind.OVERWRITE)
        assert "a Cleaner removes them" in examine(world)[0].harm

    def test_in_an_insert_only_table_no_file_lies_outside_of_a_delta(self, world: World) -> None:
        parameters = {"transactional": "true", "transactional_properties": "insert_only"}
        world.memory.add_table(build_table(parameters=parameters))
        world.file_system.add_file(f"{LOCATION}/delta_0000001_0000001_0000/000000_0")
        assert kinds(world) == []
        world.file_system.add_file(f"{LOCATION}/000000_0")
        assert kinds(world) == [Kind.STRAY_FILES]

    def test_a_file_in_no_partition_is_told(self, world: World) -> None:
        make_partitioned(world)
        world.file_system.add_file(f"{LOCATION}/d=1/delta_0000001_0000001_0000/bucket_00000")
        assert kinds(world) == []
        world.file_system.add_file(f"{LOCATION}/000000_0")
        (finding,) = examine(world)
        assert (finding.kind, finding.partition) == (Kind.STRAY_FILES, None)

    @pytest.mark.parametrize(
        ("path", "expected"),
        [
            ("delete_delta_0000001_0000001_0000/bucket_00000", []),
            ("delta_0000001_0000001_0000/bucket_00000_0", []),
            ("delete_delta_0000001_0000001_0000/bucket_00000_0", [Kind.NAME_TRINO_IGNORES]),
            ("delta_0000001_0000001_0000/000000_0", []),
            ("delta_0000001_0000001_0000/bucket_0", [Kind.NAME_NOT_HIVES]),
            ("delta_0000001_0000001_0000/part-00000.orc", [Kind.NAME_NOT_HIVES]),
            ("delete_delta_0000001_0000001_0000/000000_0", [Kind.NAME_NOT_HIVES]),
            ("delete_delta_1_1_0/bucket_00000", [Kind.NAME_NOT_HIVES]),
            ("delta_1_1/bucket_00000", []),
            ("delta_nonsense/bucket_00000", [Kind.UNREADABLE]),
        ],
    )
    def test_names_that_an_engine_passes_over_are_told(
        self, world: World, path: str, expected: list[FindingKind]
    ) -> None:
        world.run(StatementKind.INSERT)
        world.file_system.delete_tree(f"{LOCATION}/delta_0000001_0000001_0000")
        world.file_system.add_file(f"{LOCATION}/{path}")
        assert kinds(world) == expected


class TestPartitions:
    def test_a_folder_that_is_gone_is_told(self, world: World) -> None:
        make_partitioned(world)
        world.file_system.delete_tree(f"{LOCATION}/d=2")
        (finding,) = examine(world)
        assert (finding.kind, finding.partition) == (Kind.PARTITION_WITHOUT_FOLDER, "d=2")

    def test_a_folder_that_the_metastore_does_not_know_is_told_if_there_is_something_in_it(self, world: World) -> None:
        make_partitioned(world)
        world.file_system.add_file(f"{LOCATION}/d=2/.hidden")
        world.file_system.make_folder(f"{LOCATION}/d=3")
        world.file_system.add_file(f"{LOCATION}/d=1/delta_0000001_0000001_0000/bucket_00000")
        world.file_system.add_file(f"{LOCATION}/D=4/delta_0000001_0000001_0000/bucket_00000")
        world.file_system.add_file(f"{LOCATION}/e=4/delta_0000001_0000001_0000/bucket_00000")
        found = [each for each in examine(world) if each.kind is Kind.FOLDER_WITHOUT_PARTITION]
        assert [(each.partition, each.path) for each in found] == [("D=4", f"{LOCATION}/D=4")]

    def test_spellings_of_a_location_that_mean_the_same_are_one_place(self) -> None:
        table = build_table(partition_columns=PARTITIONED)
        listing = Listing("file:/w/t", (ListedFile("d=1/delta_0000001_0000001_0000/bucket_00000", 1, 1),), ())
        known = Partition("d=1", ("1",), "file:///w/t/d=1/")
        assert list(find_unknown_partitions(Subject(TABLE), table, listing, [known])) == []
        assert len(list(find_unknown_partitions(Subject(TABLE), table, listing, []))) == 1


class TestStatistics:
    def claim(self, world: World, rows: str, accurate: str = '{"BASIC_STATS":"true"}') -> None:
        parameters = {"transactional": "true", "COLUMN_STATS_ACCURATE": accurate, "numRows": rows}
        world.memory.add_table(build_table(parameters=parameters))

    @pytest.fixture(autouse=True)
    def write(self, world: World) -> None:
        world.run(StatementKind.INSERT)
        world.file_system.rows[f"{LOCATION}/delta_0000001_0000001_0000/bucket_00000"] = 3

    def test_a_number_of_rows_that_is_wrong_and_counts_as_accurate_is_told(self, world: World) -> None:
        self.claim(world, "3")
        assert kinds(world) == []
        self.claim(world, "2")
        (finding,) = examine(world)
        assert finding.kind is Kind.STALE_STATISTICS
        assert finding.detail == "the metastore says 2 rows and calls that accurate; there are 3"

    def test_a_number_that_is_an_estimate_may_be_wrong(self, world: World) -> None:
        self.claim(world, "2", "{}")
        assert kinds(world) == []
        self.claim(world, "2", "nonsense")
        assert kinds(world) == []

    def test_where_footers_do_not_tell_the_rows_nothing_is_said(self, world: World) -> None:
        self.claim(world, "2")
        world.file_system.add_file(f"{LOCATION}/delete_delta_0000001_0000001_0001/bucket_00000")
        assert kinds(world) == []

    def test_of_what_streaming_ingest_still_writes_nothing_is_said(self, world: World) -> None:
        self.claim(world, "2")
        world.file_system.add_file(f"{LOCATION}/delta_0000001_0000001_0000/bucket_00000_flush_length", 8)
        assert kinds(world) == []

    @pytest.mark.parametrize(
        ("condition", "expected"),
        [("HIVE_ACID_CORRUPT_FILE", [Kind.UNREADABLE]), ("HIVE_ACID_SNAPSHOT_UNAVAILABLE", [])],
    )
    def test_a_file_that_is_none_of_orc_is_told_and_one_that_has_gone_is_not(
        self, world: World, condition: str, expected: list[FindingKind], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.claim(world, "2")

        def fail(table: str, files: object) -> list[int]:
            raise build_error(condition, table=table, path="/x", reason="its end is missing")

        monkeypatch.setattr(world.file_system, "row_counts", fail)
        assert kinds(world) == expected

    def test_while_somebody_writes_nothing_is_said(self, world: World) -> None:
        self.claim(world, "2")
        txn_id = world.memory.open_transaction("u", "h", "a")
        world.memory.allocate_write_id(txn_id, TABLE)
        assert kinds(world) == []
        world.memory.commit(txn_id)
        assert kinds(world) == [Kind.STALE_STATISTICS]

    def test_the_rows_of_a_partition_are_compared_with_its_own_number(self, world: World) -> None:
        make_partitioned(world)
        world.file_system.delete_tree(f"{LOCATION}/delta_0000001_0000001_0000")
        world.file_system.add_file(f"{LOCATION}/d=1/delta_0000001_0000001_0000/bucket_00000")
        world.file_system.rows[f"{LOCATION}/d=1/delta_0000001_0000001_0000/bucket_00000"] = 3
        parameters = {"COLUMN_STATS_ACCURATE": '{"BASIC_STATS":"true"}', "numRows": "0"}
        for name in ("d=1", "d=2"):
            world.memory.add_partition(TABLE, Partition(name, (name[2:],), f"{LOCATION}/{name}", parameters))
        (finding,) = examine(world)
        assert (finding.kind, finding.partition) == (Kind.STALE_STATISTICS, "d=1")


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
        [({}, "no Cleaner runs; start one"), ({"hive.compactor.cleaner.on": "true"}, "look into the metastore's log")],
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

    def test_what_is_no_file_is_named_by_its_table(self) -> None:
        finding = replace(self.FINDING, path=None)
        assert format_line(Treatment(finding)).startswith("db.t d=1: ")
        assert format_line(Treatment(replace(finding, partition=None))).startswith("db.t: ")
        assert format_line(Treatment(replace(finding, table=None))).startswith("metastore: ")

    def test_programs_get_every_field(self) -> None:
        (fields,) = json.loads(format_json([Treatment(self.FINDING, is_done=True)]))["findings"]
        assert fields == {
            "kind": "orphan-staging",
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
        path = TestStaging().stage(world, 1)
        world.memory.abort(world.memory.open_transaction("u", "h", "a"))
        (finding,) = examine(world)
        assert treat(world.file_system, finding, is_dry_run=True) == Treatment(finding)
        assert world.file_system.exists(path)
        refusing = RefusingFileSystem()
        treatment = treat(refusing, finding, is_dry_run=False)
        assert (treatment.is_done, "read-only" in (treatment.failure or "")) == (False, True)
