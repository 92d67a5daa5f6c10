"""A write ID is set aside as a whole: by whatever the process is struck, no reader sees a half of it."""

from __future__ import annotations

import io
from typing import Any

import pytest

from hive_acid.config import Settings
from hive_acid.errors import HiveAcidError
from hive_acid.metastore.compaction_types import CompactionKind, CompactionRequest
from hive_acid.metastore.types import LockComponent, LockKind, OperationKind
from hive_acid.reading.warehouse import Warehouse
from hive_acid.snapshot.table_snapshot import load_states
from hive_acid.transactions.locks import Identity
from hive_acid.transactions.manager import TransactionManager
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.writing.notes import NoteWriter
from hive_acid_ops.history.reader import load_history
from hive_acid_ops.set_aside.set_aside_plan import name_bar
from hive_acid_ops.set_aside.set_aside_report import format_json, format_text
from hive_acid_ops.set_aside.setting_aside import SetAside, SettingAside
from support.doctoring import make_partitioned
from support.fault_points import FILES, METASTORE, FaultPoints, Killed, build_failure
from support.statements import LOCATION, TABLE, World, build_table, keep_still

PARTITIONS = ("d=1", "d=2")
ROOTS = tuple(f"{LOCATION}/{name}" for name in PARTITIONS)
REFUSED = "refused"


def setting_aside(world: World, points: FaultPoints | None = None) -> SettingAside:
    """Of a process of its own."""
    metastore: Any = points.watch(METASTORE, world.metastore) if points else world.metastore
    files: Any = points.watch(FILES, world.file_system) if points else world.file_system
    identity = Identity("user", "host", "agent")
    transactions = keep_still(TransactionManager(metastore, identity, Settings({}), world.clock.timing))
    return SettingAside(Warehouse(metastore, files, transactions), NoteWriter(), Settings({}))


def run(world: World, write_id: int) -> SetAside:
    return setting_aside(world).run(TABLE, write_id)


def refusal(world: World, write_id: int) -> str:
    with pytest.raises(HiveAcidError) as raised:
        run(world, write_id)
    assert world.open_transactions() == []
    return raised.value.getCondition()


def fill_partitions(world: World) -> None:
    """Write ID 1 inserts into both partitions, 2 updates both."""
    make_partitioned(world)
    world.engine.partitions = PARTITIONS
    world.run(StatementKind.INSERT)
    world.run(StatementKind.UPDATE)


def add_deletes(world: World, path: str, *write_ids: int) -> None:
    """A delete file as Hive and this package write it, but for the columns that nobody asks for."""
    import pyarrow
    from pyarrow import orc

    buffer = io.BytesIO()
    orc.write_table(pyarrow.table({"originalTransaction": pyarrow.array(write_ids, pyarrow.int64())}), buffer)
    world.file_system.add_file(path, len(buffer.getvalue()))
    world.file_system.bytes[path] = buffer.getvalue()


def seen_at(world: World, root: str) -> str | tuple[str, ...]:
    """The folders that a reader takes there, but for that of the note; or that it is refused."""
    snapshot = world.memory.valid_transactions(0)
    write_ids = world.memory.valid_write_ids([TABLE], snapshot)[TABLE]
    try:
        (state,) = load_states(world.file_system, [root], write_ids, snapshot)
    except HiveAcidError as error:
        assert error.getCondition() == "HIVE_ACID_UNSUPPORTED_LAYOUT.BEING_SET_ASIDE"
        return REFUSED
    return tuple(folder.path for folder in (*state.deltas, *state.delete_deltas) if folder.files)


BEFORE = ("delta_0000001_0000001_0000", "delta_0000002_0000002_0001", "delete_delta_0000002_0000002_0000")
AFTER = ("delta_0000001_0000001_0000",)


class TestWhatIsDone:
    def test_the_statement_is_taken_back_and_its_files_are_kept(self, world: World) -> None:
        fill_partitions(world)
        assert {seen_at(world, root) for root in ROOTS} == {BEFORE}
        found = run(world, 2)
        assert {seen_at(world, root) for root in ROOTS} == {AFTER}
        for root in ROOTS:
            for folder in BEFORE[1:]:
                assert world.file_system.exists(f"{root}/_hive_acid_set_aside/{folder}/bucket_00000")
        assert found.is_done
        assert len(found.folders) == 4
        assert world.open_transactions() == []

    def test_nothing_is_changed_without_confirmation(self, world: World) -> None:
        fill_partitions(world)
        before = dict(world.file_system.files)
        world.metastore.calls.clear()
        found = setting_aside(world).foresee(TABLE, 2)
        assert not found.is_done
        assert dict(world.file_system.files) == before
        assert "open_transaction" not in world.metastore.calls

    def test_what_is_lost_is_told_before(self, world: World) -> None:
        world.run(StatementKind.INSERT)
        world.run(StatementKind.UPDATE)
        world.file_system.rows[f"{LOCATION}/{BEFORE[1]}/bucket_00000"] = 3
        world.file_system.add_file(f"{LOCATION}/{BEFORE[2]}/bucket_00000", 0)
        told = format_text(setting_aside(world).foresee(TABLE, 2))
        assert "write ID 2 would be set aside" in told
        assert "UPDATE" in told
        assert f"{BEFORE[1]}: files 1, bytes 100; rows that are lost: 3" in told
        assert f"{BEFORE[2]}: files 1, bytes 0; deleted rows that come back: not known" in told
        assert "nothing was changed; --yes moves these folders" in told
        assert '"rows": null' in format_json(setting_aside(world).foresee(TABLE, 2))

    def test_the_history_tells_it_and_who_did(self, world: World) -> None:
        fill_partitions(world)
        run(world, 2)
        entries = load_history(world.metastore, world.file_system, TABLE)
        assert [(entry.write_id, entry.operation) for entry in entries] == [(3, "SET ASIDE"), (1, "INSERT")]
        assert entries[0].statement == "hive-acid doctor db.t --set-aside 2 --yes"

    def test_statistics_are_not_accurate_any_more(self, world: World) -> None:
        world.memory.add_table(build_table())
        world.run(StatementKind.INSERT)
        world.memory.add_table(build_table())  # somebody has counted
        run(world, 1)
        assert "COLUMN_STATS_ACCURATE" not in world.memory.table(TABLE).parameters

    def test_statements_go_on_and_another_write_id_can_follow(self, world: World) -> None:
        fill_partitions(world)
        run(world, 2)
        world.run(StatementKind.UPDATE)
        run(world, 4)
        run(world, 1)
        assert {seen_at(world, root) for root in ROOTS} == {()}

    def test_deltas_of_an_insert_only_table_are_set_aside_without_a_version_file(self, world: World) -> None:
        parameters = {"transactional": "true", "transactional_properties": "insert_only"}
        world.memory.add_table(
            build_table(parameters=parameters, input_format="org.apache.hadoop.hive.ql.io.orc.OrcInputFormat")
        )
        world.run(StatementKind.INSERT)
        run(world, 1)
        assert seen_at(world, LOCATION) == ()
        assert not world.file_system.exists(f"{LOCATION}/delta_0000002_0000002_0000/_orc_acid_version")


class TestRefusals:
    def test_rows_that_a_later_statement_has_deleted_or_updated_keep_the_write_id(self, world: World) -> None:
        world.run(StatementKind.INSERT)
        world.run(StatementKind.UPDATE)
        world.run(StatementKind.UPDATE)
        later = f"{LOCATION}/delete_delta_0000003_0000003_0000/bucket_00000"
        add_deletes(world, later, 1, 2, 2)
        with pytest.raises(HiveAcidError, match=f"{later} deletes 2 of its rows") as raised:
            setting_aside(world).foresee(TABLE, 2)
        assert raised.value.getCondition() == "HIVE_ACID_SET_ASIDE.DELETED_LATER"
        assert refusal(world, 2) == "HIVE_ACID_SET_ASIDE.DELETED_LATER"
        assert seen_at(world, LOCATION) != REFUSED
        run(world, 3)
        run(world, 2)
        assert seen_at(world, LOCATION) == AFTER

    def test_later_deletes_of_other_rows_do_not(self, world: World) -> None:
        world.run(StatementKind.INSERT)
        world.run(StatementKind.UPDATE)
        world.run(StatementKind.DELETE)
        add_deletes(world, f"{LOCATION}/delete_delta_0000003_0000003_0000/bucket_00000", 1, 1)
        assert run(world, 2).is_done

    @pytest.mark.parametrize("content", [b"", b"ORC", b"x" * 200])
    def test_deletes_that_cannot_be_read_do(self, world: World, content: bytes) -> None:
        world.run(StatementKind.INSERT)
        world.run(StatementKind.DELETE)
        path = f"{LOCATION}/delete_delta_0000002_0000002_0000/bucket_00000"
        world.file_system.add_file(path, len(content))
        world.file_system.bytes[path] = content
        assert refusal(world, 1) == "HIVE_ACID_SET_ASIDE.DELETES_UNREADABLE"
        assert run(world, 2).is_done

    def test_a_compaction_that_is_at_work_is_waited_for_and_no_bar_is_left(self) -> None:
        world = World()
        world.run(StatementKind.INSERT)
        world.memory.request_compaction(CompactionRequest(TABLE, CompactionKind.MAJOR))
        world.memory.next_compaction("worker", "1", None)
        assert refusal(world, 1) == "HIVE_ACID_SET_ASIDE.COMPACTING"
        assert seen_at(world, LOCATION) == AFTER

    def test_a_reader_is_waited_for(self, world: World) -> None:
        world.run(StatementKind.INSERT)
        txn_id = world.memory.open_transaction("ada", "here", "a reader")
        world.memory.lock(
            txn_id, [LockComponent(TABLE, LockKind.SHARED_READ, OperationKind.SELECT)], "ada", "here", "a reader"
        )
        world.clock.after_pause = lambda: world.memory.heartbeat(txn_id)
        with pytest.raises(HiveAcidError) as raised:
            run(world, 1)
        assert raised.value.getCondition() == "HIVE_ACID_LOCK_TIMEOUT"
        assert seen_at(world, LOCATION) == AFTER

    def test_tables_without_transactions_and_storage_without_renames_are_refused(self, world: World) -> None:
        world.memory.add_table(build_table(parameters={}))
        assert refusal(world, 1) == "HIVE_ACID_UNSUPPORTED_TABLE.NOT_TRANSACTIONAL"
        world.memory.add_table(build_table(location="s3a://bucket/t"))
        assert refusal(world, 1) == "HIVE_ACID_UNSUPPORTED_TABLE.NON_ATOMIC_RENAME"


def count_steps() -> int:
    world, points = World(), FaultPoints()
    fill_partitions(world)
    setting_aside(world, points).run(TABLE, 2)
    return len(points.steps)


STEPS = range(count_steps())


def views(world: World) -> set[str | tuple[str, ...]]:
    return {seen_at(world, root) for root in ROOTS}


def check_whole(world: World) -> None:
    """Whoever is not refused sees the statement as a whole, or nothing of it."""
    assert len(views(world) - {REFUSED}) <= 1, views(world)
    assert views(world) <= {REFUSED, BEFORE, AFTER}


def end_open(world: World) -> None:
    """As the metastore does once the time of a transaction is over."""
    for txn_id in world.open_transactions():
        world.memory.abort(txn_id)


class TestKills:
    @pytest.mark.parametrize("is_done", [False, True], ids=["before", "after"])
    @pytest.mark.parametrize("at", STEPS)
    def test_no_half_is_seen_and_a_second_call_goes_on(self, at: int, is_done: bool) -> None:
        world = World()
        fill_partitions(world)
        points = FaultPoints(at)

        def strike(step: object, call: Any) -> Any:
            if is_done:
                call()
            raise points.kill()

        points.strike = strike
        with pytest.raises(Killed):
            setting_aside(world, points).run(TABLE, 2)
        check_whole(world)
        end_open(world)
        check_whole(world)
        if views(world) == {AFTER}:
            assert refusal(world, 2) == "HIVE_ACID_SET_ASIDE.NOT_THERE"
            return
        run(world, 2)
        assert views(world) == {AFTER}
        assert "SET ASIDE" in [entry.operation for entry in load_history(world.metastore, world.file_system, TABLE)]

    @pytest.mark.parametrize("at", STEPS)
    def test_after_an_error_no_half_is_seen_and_a_second_call_goes_on(self, at: int) -> None:
        world = World()
        fill_partitions(world)
        points = FaultPoints(at)
        points.strike = lambda step, call: fail_once(points, step)
        try:
            setting_aside(world, points).run(TABLE, 2)
        except HiveAcidError:
            end_open(world)
            check_whole(world)
            if views(world) != {AFTER}:
                run(world, 2)
        assert views(world) == {AFTER}
        assert not any(name_bar(2) in path for path in world.file_system.files)

    @pytest.mark.parametrize("at", STEPS)
    def test_a_process_that_is_killed_while_it_goes_on_is_followed_by_a_third(self, at: int) -> None:
        world = World()
        fill_partitions(world)
        for position in (len(STEPS) // 2 + 2, at):
            points = FaultPoints(position)
            points.strike = lambda step, call, points=points: kill(points)  # type: ignore[misc]
            with pytest.raises((Killed, HiveAcidError)):
                setting_aside(world, points).run(TABLE, 2)
                raise Killed  # it has fewer steps by now
            end_open(world)
            check_whole(world)
        if views(world) != {AFTER}:
            run(world, 2)
        assert views(world) == {AFTER}


def kill(points: FaultPoints) -> None:
    raise points.kill()


def fail_once(points: FaultPoints, step: Any) -> None:
    points.heal()
    raise build_failure(step)
