"""A compaction is visible wholly or not at all, and the queue hears what became of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hive_acid.errors import HiveAcidError, UnsupportedOperation, build_error
from hive_acid.metastore.compaction_types import CompactionKind, CompactionRequest
from hive_acid.metastore.types import LockKind, MetastoreLine
from hive_acid.model.names import METADATA_FILE, VERSION_FILE
from hive_acid.model.table import Column
from hive_acid.wire.statement_kinds import StatementKind
from support.statements import LOCATION, TABLE, build_table
from unit.compaction.worker_shop import FAILED, INSERT_ONLY, MAJOR, MINOR, ORC, READY, REFUSED, Shop


def test_the_result_is_there_and_the_cleaner_is_told() -> None:
    shop = Shop()
    shop.request()
    outcome = shop.worker.run_next(None)
    assert outcome is not None
    assert not outcome.is_refused
    assert outcome.folders == ("base_0000002_v0000003",)
    assert shop.world.folders() == sorted([*shop.before, "base_0000002_v0000003"])
    assert f"{LOCATION}/base_0000002_v0000003/{VERSION_FILE}" in shop.world.file_system.files
    assert (shop.entry().state, shop.entry().highest_write_id, shop.entry().txn_id) == (READY, 2, 3)
    assert shop.entry().user == "user", "without one the Cleaner fails for ever"
    assert shop.world.open_transactions() == []


def test_nothing_is_done_without_a_request() -> None:
    assert Shop().worker.run_next(None) is None


def test_the_calls_come_in_hives_order_but_for_the_transaction_which_is_first() -> None:
    shop = Shop()
    shop.request()
    shop.worker.run_next(None)
    calls = [name for name in shop.world.metastore.calls if name != "config_value"]
    assert calls == [
        "compactions", "open_compaction", "next_compaction", "table", "lock",
        "valid_transactions", "valid_write_ids", "table", "start_compaction", "heartbeat", "commit", "mark_compacted",
    ]  # fmt: skip


def test_the_lock_is_one_that_readers_and_writers_hold_too() -> None:
    shop = Shop()
    shop.request()
    seen: list[LockKind] = []
    shop.engine.before = lambda: seen.extend(lock.kind for lock in shop.world.memory.held_locks())
    shop.worker.run_next(None)
    assert seen == [LockKind.SHARED_READ]


def test_what_is_open_is_not_folded() -> None:
    shop = Shop()
    writer = shop.world.memory.open_transaction("other", "host", "agent")
    write_id = shop.world.memory.allocate_write_id(writer, TABLE)
    shop.world.file_system.add_file(f"{LOCATION}/delta_{write_id:07d}_{write_id:07d}_0000/bucket_00000")
    shop.request()
    outcome = shop.worker.run_next(None)
    assert outcome is not None
    assert outcome.folders[0].startswith("base_0000002_v")


def test_a_column_that_is_added_before_the_snapshot_is_not_lost() -> None:
    """The table was altered, and a row written, after the worker had first looked at it."""
    shop = Shop()
    shop.request()

    def alter() -> None:
        columns = (*build_table().columns, Column("added", "int"))
        shop.world.memory.add_table(build_table(columns=columns))

    shop.world.metastore.before["lock"] = alter
    shop.worker.run_next(None)
    assert "`added`:int" in shop.engine.specs[0].row_type


def test_nothing_to_do_is_said() -> None:
    shop = Shop()
    shop.request()
    shop.worker.run_next(None)
    for path in [path for path in shop.world.file_system.files if "/delta_" in path]:
        shop.world.file_system.delete_tree(path.rpartition("/")[0])
    shop.request()
    outcome = shop.worker.run_next(None)
    assert outcome is not None
    assert outcome.is_refused
    assert shop.entry().state is REFUSED
    assert shop.world.open_transactions() == []


def test_what_nobody_needs_is_cleaned_even_if_nothing_is_made() -> None:
    shop = Shop()
    shop.request()
    shop.worker.run_next(None)
    shop.request()
    outcome = shop.worker.run_next(None)
    assert outcome is not None
    assert (outcome.folders, outcome.is_refused) == ((), False)
    assert shop.entry().state is READY


def test_a_write_id_that_was_aborted_above_the_base_is_not_told_to_the_cleaner_if_nothing_is_made() -> None:
    shop = Shop()
    shop.request()
    shop.worker.run_next(None)
    aborted = shop.world.memory.open_transaction("killed", "host", "agent")
    write_id = shop.world.memory.allocate_write_id(aborted, TABLE)
    shop.world.file_system.add_file(f"{LOCATION}/delta_{write_id:07d}_{write_id:07d}_0000/bucket_00000")
    shop.world.memory.abort(aborted)
    shop.world.run(StatementKind.INSERT)
    shop.request(MINOR)
    outcome = shop.worker.run_next(None)
    assert outcome is not None
    assert (outcome.folders, write_id) == ((), 3)
    assert (shop.entry().state, shop.entry().highest_write_id) == (READY, 2)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"parameters": {}}, "not transactional"),
        ({"parameters": INSERT_ONLY, "input_format": "a.TextInputFormat"}, "TEXTFILE"),
        ({"parameters": INSERT_ONLY, "input_format": "a.JsonInputFormat"}, "JsonInputFormat"),
        ({"parameters": INSERT_ONLY, "input_format": ORC, "has_skew_folders": True}, "SKEWED"),
        ({"sort_columns": ("id",)}, "SORTED BY id"),
        ({"location": "wasb://bucket/t"}, "not atomic"),
        ({"columns": (Column("u", "uniontype<int,string>"),)}, "uniontype"),
    ],
)
def test_what_cannot_be_compacted_is_refused_before_anything_is_locked(changes: dict[str, object], reason: str) -> None:
    shop = Shop()
    shop.request()
    shop.world.memory.add_table(build_table(**changes))  # type: ignore[arg-type]
    with pytest.raises(UnsupportedOperation, match=reason):
        shop.worker.run_next(None)
    assert "lock" not in shop.world.metastore.calls
    assert shop.entry().state is FAILED
    assert shop.world.open_transactions() == []


LAKE = {"location": "s3a://lake/t"}


@pytest.mark.parametrize("fails", [None, RuntimeError("on purpose")])
def test_on_an_object_store_the_result_is_put_in_place_by_a_committer(fails: BaseException | None) -> None:
    shop = Shop(table=LAKE)
    shop.engine.fails = fails
    shop.request()
    if fails is None:
        outcome = shop.worker.run_next(None)
        assert outcome is not None
        (folder,) = outcome.folders
        assert f"s3a://lake/t/{folder}/bucket_00000" in shop.world.file_system.files
    else:
        with pytest.raises(RuntimeError):
            shop.worker.run_next(None)
        assert not [path for path in shop.world.file_system.files if "base" in path or "_v0" in path]
    assert shop.world.file_system.calls.count("rename") == 0
    assert shop.world.file_system.lengths == {}


@pytest.mark.parametrize("setting", ["true", "false"])
def test_on_the_older_line_an_object_store_is_refused_whatever_is_set(setting: str) -> None:
    """A base counts there as soon as its first file is there."""
    shop = Shop(MetastoreLine.HIVE_3, {"spark.hiveacid.storage.allowNonAtomicRename": setting}, LAKE)
    with pytest.raises(UnsupportedOperation) as refusal:
        shop.worker.publish_base(TABLE, None)
    assert refusal.value.getCondition() == "HIVE_ACID_UNSUPPORTED_TABLE.COMPACTION_ON_OBJECT_STORE"
    assert "lock" not in shop.world.metastore.calls


@pytest.mark.parametrize("line", MetastoreLine)
def test_an_insert_only_table_gets_no_marks_of_acid_files(line: MetastoreLine) -> None:
    shop = Shop(line, table={"parameters": INSERT_ONLY, "input_format": ORC})
    if line is MetastoreLine.HIVE_4:
        shop.request()
        outcome = shop.worker.run_next(None)
    else:
        outcome = shop.worker.publish_base(TABLE, None)
    assert outcome is not None
    (name,) = outcome.folders
    found = {path.rpartition("/")[2] for path in shop.world.file_system.files if f"/{name}/" in path}
    marks = {METADATA_FILE} if line is MetastoreLine.HIVE_3 else set()
    assert {file for file in found if file in (METADATA_FILE, VERSION_FILE)} == marks
    (spec,) = shop.engine.specs
    assert (spec.layout.name, spec.plan.applies_deletes, spec.partition.deletes.folders) == ("orc", False, ())


def test_properties_of_the_entry_count_for_its_files() -> None:
    shop = Shop()
    properties = (("tblprops.orc.compress", "SNAPPY"), ("tblprops.orc.row.index.stride", "5000"), ("a", "b"))
    shop.world.memory.request_compaction(CompactionRequest(TABLE, MAJOR, properties=properties))
    assert shop.worker.run_next(None) is not None
    (spec,) = shop.engine.specs
    assert (spec.compression, spec.options) == ("SNAPPY", (("orc.row.index.stride", "5000"),))


def test_a_property_that_cannot_be_applied_is_a_failure() -> None:
    shop = Shop()
    properties = (("tblprops.orc.stripe.size", "large"),)
    shop.world.memory.request_compaction(CompactionRequest(TABLE, MAJOR, properties=properties))
    with pytest.raises(UnsupportedOperation, match="large"):
        shop.worker.run_next(None)
    assert shop.entry().state is FAILED
    assert shop.world.folders() == shop.before
    assert shop.world.open_transactions() == []


@pytest.mark.parametrize(
    ("line", "kind", "pool", "is_refused"),
    [
        (MetastoreLine.HIVE_4, MAJOR, None, True),
        (MetastoreLine.HIVE_4, MINOR, None, True),
        (MetastoreLine.HIVE_4, MAJOR, "p", False),
        (MetastoreLine.HIVE_3, MAJOR, None, True),
        (MetastoreLine.HIVE_3, MINOR, None, False),
    ],
)
def test_what_hive_would_do_by_a_property_is_not_begun_by_us(
    line: MetastoreLine, kind: CompactionKind, pool: str | None, is_refused: bool
) -> None:
    """Requests for a pool, and minor ones on 3.1, are for others to do."""
    request = CompactionRequest(TABLE, kind, properties=(("compactor.a", "b"),), pool=pool)
    if not is_refused:
        Shop(line).worker.check(request)
        return
    with pytest.raises(UnsupportedOperation, match=r"compactor\.a = 'b' is not supported"):
        Shop(line).worker.check(request)


def test_an_order_of_rows_is_refused() -> None:
    shop = Shop()
    shop.world.memory.request_compaction(CompactionRequest(TABLE, CompactionKind.REBALANCE, order_by="id DESC"))
    with pytest.raises(UnsupportedOperation, match="ORDER BY id DESC"):
        shop.worker.run_next(None)
    assert shop.entry().state is FAILED
    assert shop.world.folders() == shop.before


def test_a_rebalance_that_was_not_expected_gets_a_transaction_of_its_type() -> None:
    shop = Shop()
    shop.request(MAJOR)
    other = replace(TABLE, table="other")
    shop.world.memory.add_table(build_table(name=other, location="/warehouse/other"))
    shop.world.memory.request_compaction(CompactionRequest(other, CompactionKind.REBALANCE))
    kinds: list[CompactionKind] = []
    opened = shop.world.memory.open_compaction

    def open_compaction(user: str, host: str, agent: str, kind: CompactionKind) -> int:
        kinds.append(kind)
        return opened(user, host, agent, kind)

    shop.world.memory.open_compaction = open_compaction  # type: ignore[method-assign]
    shop.world.metastore.before["next_compaction"] = lambda: shop.world.memory.next_compaction("faster-1", "test", None)
    outcome = shop.worker.run_next(None)
    assert outcome is not None
    assert (outcome.kind, kinds) == (CompactionKind.REBALANCE, [MAJOR, CompactionKind.REBALANCE])
    assert shop.worker.fail_dead() == []
    assert shop.world.open_transactions() == []


class TestBesideHive31:
    """There the rename makes the base visible, and the queue is Hive's."""

    def test_a_base_with_the_mark_of_a_compaction_is_published(self) -> None:
        shop = Shop(MetastoreLine.HIVE_3)
        outcome = shop.worker.publish_base(TABLE, None)
        assert outcome.folders == ("base_0000002",)
        marker = shop.world.file_system.read_text(f"{LOCATION}/base_0000002/{METADATA_FILE}")
        assert '"dataFormat":"compacted"' in marker
        assert shop.world.open_transactions() == []

    def test_properties_count_for_the_base(self) -> None:
        shop = Shop(MetastoreLine.HIVE_3)
        shop.worker.publish_base(TABLE, None, {"tblprops.orc.compress": "NONE"})
        assert shop.engine.specs[0].compression == "NONE"

    def test_a_failure_leaves_the_table_as_it_was(self) -> None:
        shop = Shop(MetastoreLine.HIVE_3)
        shop.engine.fails = build_error("HIVE_ACID_STORAGE", path="p", action="writing", reason="full")
        with pytest.raises(HiveAcidError, match="full"):
            shop.worker.publish_base(TABLE, None)
        assert shop.world.folders() == shop.before
        assert shop.world.open_transactions() == []
        assert shop.world.memory.held_locks() == []

    def test_an_end_that_gets_no_answer_is_no_failure(self) -> None:
        shop = Shop(MetastoreLine.HIVE_3)
        shop.world.metastore.method, shop.world.metastore.forever = "commit", True
        assert shop.worker.publish_base(TABLE, None).folders == ("base_0000002",)
        assert "base_0000002" in shop.world.folders()
