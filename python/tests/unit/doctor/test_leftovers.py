"""What dead transactions have left: each finding with its cause, and none without."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hive_acid.errors import build_error
from hive_acid.metastore.compaction_types import CompactionKind, CompactionRequest, CompactionState
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.names import METADATA_FILE, OVERWRITE_FILE
from hive_acid.model.table import Partition
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.wire.storage import PendingUpload
from support.doctoring import HOUR_MS, Kind, examine, fix, kinds, make_partitioned, pass_time, stage
from support.statements import LOCATION, TABLE, World

COMPACTED = ("base_0000002", "delta_0000001_0000002", "delete_delta_0000001_0000002", "delta_0000002_0000002")
"""Names that a compaction of Hive 3.1 gives to its results."""


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
        assert ("cannot read" if world.line is MetastoreLine.HIVE_3 else "may read its rows") in finding.harm
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
    def test_a_folder_of_an_ended_transaction_is_found_and_removed(self, world: World) -> None:
        aborted, committed = (world.memory.open_transaction("u", "h", "a") for _ in range(2))
        world.memory.abort(aborted)
        world.memory.commit(committed)
        paths = [stage(world, aborted), stage(world, committed)]
        assert kinds(world) == [Kind.ORPHAN_STAGING] * 2
        assert fix(world) == paths
        assert kinds(world) == []

    def test_a_folder_of_an_open_transaction_is_left_alone(self, world: World) -> None:
        path = stage(world, world.memory.open_transaction("u", "h", "a"))
        assert kinds(world) == []
        assert fix(world) == []
        assert world.file_system.exists(path)

    def test_a_folder_of_a_transaction_that_this_metastore_never_had_is_left_alone(self, world: World) -> None:
        path = stage(world, 77)
        assert kinds(world) == []
        assert fix(world) == []
        assert world.file_system.exists(path)

    def test_a_statement_that_is_writing_keeps_its_folder(self, world: World) -> None:
        world.engine.before = lambda _: self.fixed_meanwhile.extend(fix(world))
        self.fixed_meanwhile: list[str | None] = []
        assert world.run(StatementKind.INSERT) == 3
        assert self.fixed_meanwhile == []

    def test_the_folder_of_a_committers_job_is_one_too(self, world: World) -> None:
        txn_id = world.memory.open_transaction("u", "h", "a")
        path = f"{LOCATION}/__magic_job-hive-acid-{txn_id}-0123abcd"
        world.file_system.add_file(f"{path}/00/pending")
        world.file_system.add_file(f"{LOCATION}/__magic_job-of-others/00/pending")
        assert kinds(world) == []
        world.memory.abort(txn_id)
        assert kinds(world) == [Kind.ORPHAN_STAGING]
        assert fix(world) == [path]

    def test_folders_of_others_are_told_and_left_alone(self, world: World) -> None:
        for name in (".spark-staging-4711", "_temporary", ".hive-staging_hive_2026", ".ours-perhaps"):
            world.file_system.make_folder(f"{LOCATION}/{name}")
        assert kinds(world) == [Kind.FOREIGN_STAGING] * 3
        assert fix(world) == []


class TestUploads:
    def upload(self, world: World, folder: str) -> PendingUpload:
        return world.file_system.upload("job", LOCATION, "attempt", f"{LOCATION}/{folder}/bucket_00000")

    def test_those_of_ended_writers_are_found_and_given_up(self, world: World) -> None:
        world.run(StatementKind.INSERT)
        left = self.upload(world, "delta_0000001_0000001_0000")
        self.upload(world, "delta_0000001_0000001_0001")
        assert kinds(world) == [Kind.PENDING_UPLOADS] * 2
        assert fix(world) == [f"{LOCATION}/delta_0000001_0000001_000{n}" for n in (0, 1)]
        assert left not in world.file_system.lengths
        assert kinds(world) == []

    def test_storage_that_does_not_show_them_is_told(self, world: World) -> None:
        def refuse(roots: object) -> list[PendingUpload]:
            raise build_error("HIVE_ACID_STORAGE", path=LOCATION, action="listing uploads", reason="denied")

        world.file_system.pending_uploads = refuse  # type: ignore[assignment]
        assert kinds(world) == [Kind.NOT_EXAMINED]

    def test_those_of_writers_at_work_are_left_alone(self, world: World) -> None:
        world.run(StatementKind.INSERT)
        txn_id = world.memory.open_transaction("u", "h", "a")
        world.memory.allocate_write_id(txn_id, TABLE)
        uploads = [
            self.upload(world, "delta_0000002_0000002_0000"),  # of an open transaction
            self.upload(world, "delta_0000009_0000009_0000"),  # of one that began after the doctor had asked
            self.upload(world, f"base_0000001_v{txn_id:07d}"),  # of an open compaction
            self.upload(world, "other/delta_0000001_0000001_0000"),  # of another table
        ]
        assert kinds(world) == []
        assert fix(world) == []
        assert list(world.file_system.lengths) == uploads
        world.memory.abort(txn_id)
        assert kinds(world) == [Kind.PENDING_UPLOADS] * 2

    @pytest.mark.parametrize("folder", COMPACTED)
    def test_those_that_may_be_of_a_compaction_of_hive_3_1_are_never_given_up(self, world: World, folder: str) -> None:
        """Hive 3.1 renames its result to such a name, and storage on s3a copies each large file by an upload.

        Without the upload the rename breaks off, and a base with some of its files hides the rows of the others.
        """
        world.run(StatementKind.INSERT)
        world.run(StatementKind.INSERT)
        left = self.upload(world, folder)
        is_told_apart = world.memory.line is MetastoreLine.HIVE_4
        (finding,) = examine(world)
        assert (finding.kind, finding.path) == (Kind.PENDING_UPLOADS, f"{LOCATION}/{folder}")
        assert (finding.is_fixable, "compaction" in finding.detail) == (is_told_apart, not is_told_apart)
        assert fix(world) == ([finding.path] if is_told_apart else [])
        assert (left in world.file_system.lengths) is not is_told_apart

    def test_those_of_an_open_overwrite_are_no_finding(self, world: World) -> None:
        """Its base has a name that a compaction of Hive 3.1 may have, too."""
        txn_id = world.memory.open_transaction("u", "h", "a")
        self.upload(world, f"base_{world.memory.allocate_write_id(txn_id, TABLE):07d}")
        assert kinds(world) == []
        world.memory.abort(txn_id)
        assert kinds(world) == [Kind.PENDING_UPLOADS]

    def test_while_a_worker_of_hive_3_1_compacts_the_table_they_are_no_finding(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        world = World(MetastoreLine.HIVE_3)
        world.run(StatementKind.INSERT)
        world.run(StatementKind.INSERT)
        world.memory.request_compaction(CompactionRequest(TABLE, CompactionKind.MAJOR))
        (entry,) = world.memory.compactions()
        self.upload(world, COMPACTED[0])
        assert kinds(world) == [Kind.PENDING_UPLOADS]
        monkeypatch.setattr(world.memory, "compactions", lambda: [replace(entry, state=CompactionState.WORKING)])
        assert kinds(world) == []


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
