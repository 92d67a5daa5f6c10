"""A statement is visible wholly or not at all, whatever fails on its way."""

from __future__ import annotations

import pytest

from hive_acid.errors import (
    CommitStateUnknown,
    HiveAcidError,
    LockTimeout,
    MetastoreUnavailable,
    StorageError,
    UnsupportedOperation,
    WriteConflict,
    build_error,
)
from hive_acid.metastore.types import LockComponent, LockKind, MetastoreLine, OperationKind
from hive_acid.model.names import VERSION_FILE
from hive_acid.model.table import Column, Partition, TableName
from hive_acid.transaction.validity import StatementKind
from support.faults import Lost
from support.statements import TABLE, World, build_table

KINDS = list(StatementKind)
LINES = list(MetastoreLine)
STEPS = [
    "table",
    "open_transaction",
    "valid_transactions",
    "valid_write_ids",
    "allocate_write_id",
    "lock",
    "latest_conflict",
    "drop_statistics",
]


@pytest.fixture(params=LINES, ids=lambda line: line.value)
def world(request: pytest.FixtureRequest) -> World:
    return World(request.param)


@pytest.mark.parametrize("kind", KINDS)
def test_a_statement_leaves_complete_folders_and_nothing_open(world: World, kind: StatementKind) -> None:
    assert world.run(kind) == 3
    assert (
        world.folders()
        == {
            StatementKind.INSERT: ["delta_0000001_0000001_0000"],
            StatementKind.UPDATE: ["delete_delta_0000001_0000001_0000", "delta_0000001_0000001_0001"],
            StatementKind.DELETE: ["delete_delta_0000001_0000001_0000"],
        }[kind]
    )
    assert world.file_system.texts[f"/warehouse/t/{world.folders()[0]}/{VERSION_FILE}"] == "2"
    assert world.visible_write_ids() == [1]
    assert world.open_transactions() == []
    assert world.memory.held_locks() == []
    assert world.executor.snapshots == {}


@pytest.mark.parametrize("kind", KINDS)
def test_the_snapshot_is_taken_before_the_write_id_and_the_write_id_before_the_lock(
    world: World, kind: StatementKind
) -> None:
    world.run(kind)
    calls = world.metastore.calls
    order = [calls.index(step) for step in ("valid_transactions", "allocate_write_id", "lock", "commit")]
    assert order == sorted(order)


def test_a_statement_that_changes_nothing_aborts_and_leaves_no_file(world: World) -> None:
    world.engine.rows = 0
    assert world.run(StatementKind.DELETE) == 0
    assert world.folders() == []
    assert world.open_transactions() == []
    assert "commit" not in world.metastore.calls


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lost", list(Lost))
@pytest.mark.parametrize("step", STEPS)
def test_an_answer_that_never_comes_leaves_nothing_visible_and_nothing_open_past_the_timeout(
    world: World, kind: StatementKind, lost: Lost, step: str
) -> None:
    world.metastore.method, world.metastore.lost = step, lost
    if step == "latest_conflict" and (kind is StatementKind.INSERT or world.line is MetastoreLine.HIVE_3):
        assert world.run(kind) == 3  # the call is not part of this statement
        return
    with pytest.raises(MetastoreUnavailable):
        world.run(kind)
    assert world.visible_write_ids() == []
    assert world.folders() == []
    if step != "open_transaction":
        assert world.open_transactions() == []
    world.time_out()
    assert world.open_transactions() == []
    assert world.memory.held_locks() == []


@pytest.mark.parametrize("lost", list(Lost))
def test_a_lost_commit_reply_is_resolved_by_asking(world: World, lost: Lost) -> None:
    world.metastore.method, world.metastore.lost = "commit", lost
    assert world.run(StatementKind.INSERT) == 3
    assert world.visible_write_ids() == [1]
    assert world.open_transactions() == []


@pytest.mark.parametrize("lost", list(Lost))
def test_a_commit_that_nobody_can_tell_about_is_reported_as_unknown_and_its_files_are_kept(
    world: World, lost: Lost
) -> None:
    world.metastore.method, world.metastore.lost, world.metastore.forever = "commit", lost, True
    if lost is Lost.ANSWER:
        world.metastore.method = "transaction_state"

        def lose_commit() -> None:
            world.memory.commit(max(world.open_transactions()))
            raise build_error("HIVE_ACID_METASTORE_UNAVAILABLE", uri="here", method="commit", reason="on purpose")

        world.metastore.before["commit"] = lose_commit
    with pytest.raises(CommitStateUnknown) as caught:
        world.run(StatementKind.INSERT)
    assert caught.value.getSqlState() == "40003"
    assert world.folders() == ["delta_0000001_0000001_0000"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("error", [RuntimeError("task failed"), KeyboardInterrupt(), SystemExit()], ids=repr)
def test_an_error_or_interrupt_in_the_job_aborts_and_removes_staging(
    world: World, kind: StatementKind, error: BaseException
) -> None:
    world.engine.fails = error
    with pytest.raises(type(error)):
        world.run(kind)
    assert world.folders() == []
    assert world.open_transactions() == []
    assert world.memory.held_locks() == []


@pytest.mark.parametrize("method", ["write_text", "rename"])
def test_storage_that_fails_while_folders_are_published_leaves_nothing_visible(
    world: World, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: str) -> None:
        raise build_error("HIVE_ACID_STORAGE", path="/", action=method, reason="disk full")

    monkeypatch.setattr(world.file_system, method, fail)
    with pytest.raises(StorageError):
        world.run(StatementKind.INSERT)
    assert world.folders() == []
    assert world.open_transactions() == []


def test_an_abort_that_fails_does_not_hide_the_first_error(world: World) -> None:
    world.engine.fails = RuntimeError("the cause")
    world.metastore.method, world.metastore.forever = "abort", True
    with pytest.raises(RuntimeError, match="the cause") as caught:
        world.run(StatementKind.INSERT)
    assert any("was not aborted" in note for note in caught.value.__notes__)


def test_a_transaction_that_the_metastore_ended_during_the_job_is_not_published(world: World) -> None:
    def lose_heartbeat(_: str) -> None:
        world.time_out()
        world.transactions.heartbeat.beat()

    world.engine.before = lose_heartbeat
    with pytest.raises(HiveAcidError) as caught:
        world.run(StatementKind.INSERT)
    assert caught.value.getCondition() == "HIVE_ACID_TRANSACTION_ABORTED"
    assert world.folders() == []


def test_a_delete_that_raced_with_another_runs_again_in_a_new_transaction(world: World) -> None:
    def other_delete() -> None:
        other = World(world.line)
        other.memory, other.metastore.real = world.memory, world.memory
        other.file_system = other.engine.file_system = world.file_system
        other.executor._file_system = world.file_system
        other.run(StatementKind.DELETE)

    world.metastore.before["lock"] = other_delete
    assert world.run(StatementKind.DELETE) == 3
    assert world.metastore.calls.count("open_transaction") == 2
    # the loser's write ID 1 was given up, the winner has 2, and the second try 3
    assert world.visible_write_ids() == [2, 3]
    assert world.engine.specs[-1].write_id == 3
    assert len(world.engine.specs) == 1, "nothing is written under a snapshot that no longer serves"


def test_a_delete_that_loses_every_race_ends_with_a_write_conflict(world: World) -> None:
    def winning_delete() -> None:
        txn_id = world.memory.open_transaction("other", "host", "agent")
        world.memory.valid_transactions(txn_id)
        world.memory.allocate_write_id(txn_id, TABLE)
        kind = LockKind.EXCL_WRITE if world.line is MetastoreLine.HIVE_4 else LockKind.SHARED_WRITE
        world.memory.lock(txn_id, [LockComponent(TABLE, kind, OperationKind.UPDATE)], "other", "host", "agent")
        world.memory.commit(txn_id)
        world.metastore.before["lock"] = winning_delete

    world.metastore.before["lock"] = winning_delete
    with pytest.raises(WriteConflict) as caught:
        world.run(StatementKind.DELETE)
    assert caught.value.getSqlState() == "40001"
    assert world.folders() == []
    assert world.open_transactions() == []


def test_an_insert_behind_an_overwrite_of_another_client_runs_again(world: World) -> None:
    def overwrite() -> None:
        txn_id = world.memory.open_transaction("other", "host", "agent")
        write_id = world.memory.allocate_write_id(txn_id, TABLE)
        world.file_system.add_file(f"/warehouse/t/base_{write_id:07d}/bucket_00000")
        world.memory.commit(txn_id)

    world.metastore.before["lock"] = overwrite
    assert world.run(StatementKind.INSERT) == 3
    assert world.engine.specs[-1].write_id == 3, "rows under write ID 1 would be hidden by base 2"


@pytest.mark.parametrize("kind", [StatementKind.UPDATE, StatementKind.DELETE])
def test_a_truncate_that_the_metastore_does_not_count_as_a_conflict_is_noticed(
    world: World, kind: StatementKind
) -> None:
    truncating = world.memory.open_transaction("hive", "host", "agent")
    world.memory.allocate_write_id(truncating, TABLE)

    def truncate() -> None:
        marker = '{"thisFileVersion": "0", "dataFormat": "truncated"}'
        world.file_system.add_file("/warehouse/t/base_0000001/_metadata_acid", text=marker)
        world.memory.commit(truncating)

    world.metastore.before["lock"] = truncate
    assert world.run(kind) == 3
    assert world.metastore.calls.count("open_transaction") == 2
    assert world.engine.specs[-1].write_id == 3, "rows under write ID 2 were read before the truncate"


def test_a_table_that_was_dropped_and_made_again_while_the_lock_was_awaited_is_not_written(world: World) -> None:
    real = world.memory.allocate_write_id
    asked = []

    def allocate(txn_id: int, table: TableName) -> int:
        asked.append(txn_id)
        return real(txn_id, table) if len(asked) != 2 else 1000

    world.memory.allocate_write_id = allocate  # type: ignore[method-assign]
    assert world.run(StatementKind.INSERT) == 3
    assert world.metastore.calls.count("open_transaction") == 2
    assert len(world.engine.specs) == 1


def test_a_table_that_was_altered_while_the_lock_was_awaited_is_not_written(world: World) -> None:
    def alter() -> None:
        world.memory.add_table(build_table(columns=(Column("id", "int"), Column("renamed", "string"))))

    world.metastore.before["lock"] = alter
    with pytest.raises(WriteConflict) as caught:
        world.run(StatementKind.INSERT)
    assert caught.value.getCondition() == "HIVE_ACID_TABLE_CHANGED"
    assert world.engine.specs == []
    assert world.open_transactions() == []


def test_a_lock_that_is_not_granted_in_time_names_its_holder(world: World) -> None:
    holder = world.memory.open_transaction("somebody", "elsewhere", "their tool")
    world.memory.lock(
        holder, [LockComponent(TABLE, LockKind.EXCLUSIVE, OperationKind.UPDATE)], "somebody", "elsewhere", "their tool"
    )
    beat = world.clock.pause_ms

    def pause(pause_ms: int) -> None:
        beat(pause_ms)
        world.memory.heartbeat(holder)

    object.__setattr__(world.transactions.waiting, "pause_ms", pause)
    object.__setattr__(world.transactions.waiting, "timeout_ms", 10_000)
    with pytest.raises(LockTimeout, match="somebody on elsewhere") as caught:
        world.run(StatementKind.DELETE)
    assert caught.value.getSqlState() == "57033"
    assert world.open_transactions() == [holder]
    assert len(world.memory.held_locks()) == 1


def test_the_statistics_that_the_write_makes_stale_are_dropped_before_the_commit(world: World) -> None:
    world.run(StatementKind.INSERT)
    assert "COLUMN_STATS_ACCURATE" not in world.memory.table(TABLE).parameters
    calls = world.metastore.calls
    assert calls.index("drop_statistics") < calls.index("commit")


def test_delete_tasks_follow_the_buckets_that_hold_rows(world: World) -> None:
    for bucket in range(3):
        world.file_system.add_file(f"/warehouse/t/delta_0000001_0000001_0000/bucket_{bucket:05d}")
    txn_id = world.memory.open_transaction("u", "h", "a")
    world.memory.allocate_write_id(txn_id, TABLE)
    world.memory.commit(txn_id)
    world.run(StatementKind.DELETE)
    assert world.engine.specs[-1].delete_tasks == 3


@pytest.fixture
def partitioned(world: World) -> World:
    """The table with partitions by `d`: `d=old` is there, elsewhere, and statements write to it and to `d=new`."""
    world.memory.add_table(build_table(partition_columns=(Column("d", "string"),)))
    old = Partition("d=old", ("old",), "/elsewhere/old", {"COLUMN_STATS_ACCURATE": "{}"})
    world.memory.add_partition(TABLE, old)
    world.engine.partitions = ("d=new", "d=old")
    return world


@pytest.mark.parametrize("kind", KINDS)
def test_each_partition_gets_its_folders_at_its_own_location(partitioned: World, kind: StatementKind) -> None:
    assert partitioned.run(kind) == 6
    kinds = {path.split("/")[-2].split("_0")[0] for path in partitioned.file_system.files}
    assert (
        kinds
        == {
            StatementKind.INSERT: {"delta"},
            StatementKind.UPDATE: {"delta", "delete_delta"},
            StatementKind.DELETE: {"delete_delta"},
        }[kind]
    )
    roots = {path.rsplit("/", 2)[0] for path in partitioned.file_system.files}
    assert roots == {"/warehouse/t/d=new", "/elsewhere/old"}
    assert [p.location for p in partitioned.memory.partitions(TABLE, ["d=new", "d=old"])] == [
        "/warehouse/t/d=new",
        "/elsewhere/old",
    ]
    assert partitioned.memory.partitions(TABLE, ["d=old"])[0].parameters == {}
    calls = partitioned.metastore.calls
    assert calls.index("add_partitions") < calls.index("add_dynamic_partitions") < calls.index("commit")
    assert partitioned.open_transactions() == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lost", list(Lost))
@pytest.mark.parametrize(
    "step", ["partitions", "add_partitions", "add_dynamic_partitions", "drop_partition_statistics"]
)
def test_a_step_for_partitions_that_gets_no_answer_leaves_nothing_visible(
    partitioned: World, kind: StatementKind, lost: Lost, step: str
) -> None:
    partitioned.metastore.method, partitioned.metastore.lost = step, lost
    with pytest.raises(MetastoreUnavailable):
        partitioned.run(kind)
    assert partitioned.file_system.files == {}
    assert partitioned.open_transactions() == []


def test_an_insert_behind_an_overwrite_of_one_partition_runs_again(partitioned: World) -> None:
    def overwrite() -> None:
        txn_id = partitioned.memory.open_transaction("other", "host", "agent")
        write_id = partitioned.memory.allocate_write_id(txn_id, TABLE)
        partitioned.file_system.add_file(f"/elsewhere/old/base_{write_id:07d}/bucket_00000")
        partitioned.memory.commit(txn_id)

    partitioned.metastore.before["lock"] = overwrite
    assert partitioned.run(StatementKind.INSERT) == 6
    assert partitioned.engine.specs[-1].write_id == 3


@pytest.mark.parametrize(
    ("line", "settings", "buckets"),
    [
        (MetastoreLine.HIVE_3, {}, 1),
        (MetastoreLine.HIVE_4, {}, 4096),
        (MetastoreLine.HIVE_3, {"spark.hiveacid.insert.buckets": "8"}, 8),
    ],
)
def test_an_insert_makes_files_of_one_bucket_where_hive_3_1_compacts(
    line: MetastoreLine, settings: dict[str, str], buckets: int
) -> None:
    world = World(line, settings)
    world.run(StatementKind.INSERT)
    assert world.engine.specs[-1].max_buckets == buckets


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"bucket_count": 4, "bucket_columns": ("id",)}, "bucketed"),
        ({"partition_columns": (Column("at", "timestamp"),)}, "partition column at has type timestamp"),
        ({"parameters": {}}, "plain"),
        ({"parameters": {"transactional": "true", "transactional_properties": "insert_only"}}, "insert_only"),
        ({"location": "s3a://bucket/t"}, "not atomic on s3a"),
        ({"location": "/warehouse/_hidden/t"}, "begins with _ or"),
    ],
)
def test_what_cannot_be_written_right_is_refused_before_a_transaction_is_opened(
    world: World, changes: dict[str, object], reason: str
) -> None:
    world.memory.add_table(build_table(**changes))
    with pytest.raises(UnsupportedOperation, match=reason):
        world.run(StatementKind.INSERT)
    assert "open_transaction" not in world.metastore.calls
