"""Files, partitions and statistics that are not what engines take them for: each with its cause, none without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from hive_acid.errors import build_error
from hive_acid.model.table import Partition
from hive_acid.snapshot.listing import ListedFile, Listing
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.wire.storage import FileVersion
from hive_acid_ops.doctor.finding import FindingKind, Subject
from hive_acid_ops.doctor.partitions import find_local_files, find_unknown_partitions
from support.doctoring import (
    PARTITIONED,
    Kind,
    examine,
    kinds,
    make_partitioned,
)
from support.statements import LOCATION, TABLE, World, build_table


class TestLocation:
    @pytest.mark.parametrize(
        ("location", "warehouse", "expected"),
        [
            ("file:/disk/t", "hdfs://nn/warehouse", [Kind.LOCAL_FILES]),
            ("FILE:///disk/t", "s3a://bucket/warehouse", [Kind.LOCAL_FILES]),
            ("file:/disk/t", "file:/disk", []),
            ("hdfs://nn/t", "hdfs://nn/warehouse", []),
            ("file:/disk/t", "/user/hive/warehouse", []),  # of which file system is not known
            ("file:/disk/t", None, []),
        ],
    )
    def test_a_table_on_one_machine_of_a_cluster_is_told(
        self, location: str, warehouse: str | None, expected: list[FindingKind]
    ) -> None:
        table = replace(build_table(), location=location)
        assert [finding.kind for finding in find_local_files(Subject(TABLE), table, warehouse)] == expected

    def test_the_metastore_says_where_databases_lie(self, world: World) -> None:
        world.memory.add_table(replace(build_table(), location="file:/disk/t"))
        world.file_system.make_folder("file:/disk/t")
        assert kinds(world) == []
        world.memory.warehouse_location = "hdfs://nn/warehouse"
        assert kinds(world) == [Kind.LOCAL_FILES]


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


class TestDamagedFiles:
    def add(self, world: World, name: str, length_bytes: int = 100) -> str:
        path = f"{LOCATION}/{name}"
        world.file_system.add_file(path, length_bytes)
        return path

    @pytest.mark.parametrize("folder", ["delete_delta_0000002_0000002_0000", "delta_0000002_0000002_0001"])
    def test_an_empty_file_of_a_committed_write_is_told(self, world: World, folder: str) -> None:
        for _ in range(2):
            world.run(StatementKind.INSERT)
        assert kinds(world) == []
        path = self.add(world, f"{folder}/bucket_00003", 0)
        (finding,) = examine(world)
        assert (finding.kind, finding.path, finding.is_fixable) == (Kind.UNREADABLE, path, False)
        assert finding.detail == f"{folder}/bucket_00003 is empty; its write ID 2 is committed"

    def test_each_delete_file_without_its_end_is_told(self, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
        world.run(StatementKind.INSERT)
        folder = "delete_delta_0000001_0000001_0001"
        paths = [self.add(world, f"{folder}/bucket_0000{bucket}") for bucket in range(3)]
        cut = {paths[0], paths[2]}

        def read(table: str, files: Sequence[FileVersion]) -> list[int]:
            for file in files:
                if file.path in cut:
                    found = {"table": table, "path": file.path, "detail": "its end is missing"}
                    raise build_error("HIVE_ACID_CORRUPT_FILE.UNREADABLE", **found)
            return [0 for _ in files]

        monkeypatch.setattr(world.file_system, "row_counts", read)
        assert {(each.kind, each.path) for each in examine(world)} == {(Kind.UNREADABLE, path) for path in cut}

    def test_files_of_writes_that_are_not_committed_are_not_looked_at(self, world: World) -> None:
        world.run(StatementKind.INSERT)
        txn_id = world.memory.open_transaction("u", "h", "a")
        world.memory.allocate_write_id(txn_id, TABLE)
        self.add(world, "delete_delta_0000002_0000002_0000/bucket_00000", 0)
        assert kinds(world) == []


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
        [("HIVE_ACID_CORRUPT_FILE.UNREADABLE", [Kind.UNREADABLE]), ("HIVE_ACID_SNAPSHOT_UNAVAILABLE", [])],
    )
    def test_a_file_that_is_none_of_orc_is_told_and_one_that_has_gone_is_not(
        self, world: World, condition: str, expected: list[FindingKind], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.claim(world, "2")

        def fail(table: str, files: object) -> list[int]:
            raise build_error(condition, table=table, path="/x", reason="it ended", detail="its end is missing")

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
