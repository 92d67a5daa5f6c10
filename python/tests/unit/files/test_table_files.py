"""The folders of a table: what each is, which compactions fold it, and what the Cleaner has to remove."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest

from hive_acid.api.tables import TableName
from hive_acid.errors import HiveAcidError
from hive_acid.metastore.compaction_types import CompactionInfo, CompactionKind, CompactionRequest, CompactionState
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid_ops.files.folders import Role, ShownRoot
from hive_acid_ops.files.loading import load_files
from hive_acid_ops.files.picture import build_page, draw
from hive_acid_ops.files.text import format_bytes, format_json, format_text
from support.doctoring import make_partitioned
from support.statements import LOCATION, TABLE, World, build_table

CLEANING = {"hive.compactor.cleaner.on": "true"}


def make_world(**server: str) -> World:
    world = World()
    world.memory._settings.update(server)
    world.memory.add_table(build_table(parameters={"transactional": "true"}))
    return world


def root(world: World) -> ShownRoot:
    (found,) = load_files(world.metastore, world.file_system, TABLE).roots
    return found


def roles(world: World) -> dict[str, Role]:
    return {folder.name: folder.role for folder in root(world).folders}


def folded(world: World) -> dict[str, tuple[str, ...]]:
    return {folder.name: folder.folded_by for folder in root(world).folders}


def make_history(world: World) -> None:
    """A base that replaces a delta; after it a delta, a delete delta, an aborted and an open one."""
    world.run(StatementKind.INSERT)
    world.file_system.add_file(f"{LOCATION}/base_0000001_v0000001/bucket_00000", 1000)
    world.run(StatementKind.INSERT)
    world.run(StatementKind.DELETE)
    for write_id in (4, 5):
        txn_id = world.metastore.open_transaction("ann", "there", "agent")
        assert world.metastore.allocate_write_id(txn_id, TABLE) == write_id
        world.file_system.add_file(f"{LOCATION}/delta_000000{write_id}_000000{write_id}_0000/bucket_00000", 7)
        if write_id == 4:
            world.metastore.abort(txn_id)


class TestFolders:
    def test_each_has_the_part_that_it_plays_for_readers(self) -> None:
        world = make_world()
        make_history(world)
        assert roles(world) == {
            "base_0000001_v0000001": Role.BASE,
            "delta_0000001_0000001_0000": Role.REPLACED,
            "delta_0000002_0000002_0000": Role.DELTA,
            "delete_delta_0000003_0000003_0000": Role.DELETE_DELTA,
            "delta_0000004_0000004_0000": Role.ABORTED,
            "delta_0000005_0000005_0000": Role.OPEN,
        }

    def test_a_minor_compaction_folds_deltas_and_a_major_one_the_base_too(self) -> None:
        world = make_world()
        make_history(world)
        assert folded(world) == {
            "base_0000001_v0000001": ("major",),
            "delta_0000001_0000001_0000": (),
            "delta_0000002_0000002_0000": ("minor", "major"),
            "delete_delta_0000003_0000003_0000": ("minor", "major"),
            "delta_0000004_0000004_0000": (),
            "delta_0000005_0000005_0000": (),
        }

    def test_what_a_reader_sees_above_an_open_write_is_not_folded_yet(self) -> None:
        world = make_world()
        world.run(StatementKind.INSERT)
        world.metastore.allocate_write_id(world.metastore.open_transaction("ann", "there", "agent"), TABLE)
        world.run(StatementKind.INSERT)
        assert folded(world) == {"delta_0000001_0000001_0000": (), "delta_0000003_0000003_0000": ()}

    def test_one_folder_is_nothing_to_fold(self) -> None:
        world = make_world()
        world.run(StatementKind.INSERT)
        assert folded(world) == {"delta_0000001_0000001_0000": ()}
        assert root(world).compaction.startswith("none is due: ")

    def test_a_compaction_that_was_asked_for_is_told(self) -> None:
        world = make_world()
        world.run(StatementKind.INSERT)
        world.memory.request_compaction(CompactionRequest(TABLE, CompactionKind.MINOR))
        assert root(world).compaction == "minor compaction 1 is under way (initiated)"

    def test_folders_that_cannot_be_read_are_told_with_the_reason(self) -> None:
        world = make_world()
        world.file_system.make_folder(f"{LOCATION}/delta_odd")
        assert "delta_odd" in (root(world).error or "")
        assert "cannot be told" in format_text(load_files(world.metastore, world.file_system, TABLE))


class TestCleaning:
    def test_without_a_cleaner_it_is_told_how_to_start_one(self) -> None:
        world = make_world()
        assert root(world).cleaning is None
        make_history(world)
        assert (root(world).cleaning or "").startswith("no Cleaner runs; start one")

    def test_whom_the_cleaner_waits_for_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        world = make_world(**CLEANING)
        make_history(world)
        ready = CompactionInfo(
            id=7, table=TABLE, kind=CompactionKind.MAJOR, state=CompactionState.READY, partition=None, next_txn_id=99
        )
        monkeypatch.setattr(world.memory, "compactions", lambda: [ready])
        told = root(world).cleaning or ""
        assert re.search(r"compaction 7 is to be cleaned: .*waits for transaction \d+ .*\(ann on there, agent\)", told)


class TestPartitions:
    @pytest.fixture
    def world(self) -> World:
        world = make_world()
        make_partitioned(world)
        return world

    def names(self, world: World, partition: str | None) -> list[str | None]:
        return [each.partition for each in load_files(world.metastore, world.file_system, TABLE, partition).roots]

    def test_all_are_told_or_those_with_a_value(self, world: World) -> None:
        assert self.names(world, None) == ["d=1", "d=2"]
        assert self.names(world, "D=2") == ["d=2"]

    def test_a_value_that_none_has_is_refused(self, world: World) -> None:
        for partition in ("d=3", "e=1", "nonsense"):
            with pytest.raises(HiveAcidError) as raised:
                self.names(world, partition)
            assert raised.value.getCondition() == "HIVE_ACID_PARTITION_NOT_FOUND"

    def test_a_flat_table_has_none_to_choose_from(self) -> None:
        with pytest.raises(HiveAcidError) as raised:
            self.names(make_world(), "d=1")
        assert raised.value.getCondition() == "HIVE_ACID_UNSUPPORTED_TABLE.NO_PARTITIONS"

    def test_a_plain_table_is_refused(self) -> None:
        world = make_world()
        world.memory.add_table(build_table(name=TableName("db", "plain"), parameters={}))
        with pytest.raises(HiveAcidError) as raised:
            load_files(world.metastore, world.file_system, TableName("db", "plain"))
        assert raised.value.getCondition() == "HIVE_ACID_UNSUPPORTED_TABLE.NOT_TRANSACTIONAL"


class TestShowing:
    @pytest.fixture
    def world(self) -> World:
        world = make_world()
        make_history(world)
        return world

    def test_text_has_a_line_for_each_folder_and_its_fate(self, world: World) -> None:
        files = load_files(world.metastore, world.file_system, TABLE)
        lines = [re.sub("  +", " | ", line.strip()) for line in format_text(files).splitlines()]
        assert lines[0] == "db.t | full ACID | /warehouse/t"
        assert "base_0000001_v0000001 | base | 1 file | 1 kB | folded by major" in lines
        assert "delta_0000001_0000001_0000 | replaced | 1 file | 100 bytes | the Cleaner's" in lines
        assert repr(files) == format_text(files)

    def test_json_is_one_line_with_all_of_it(self, world: World) -> None:
        told = json.loads(format_json(load_files(world.metastore, world.file_system, TABLE)))
        (only,) = told["partitions"]
        assert (told["table"], only["partition"], len(only["folders"])) == ("t", None, 6)
        assert {folder["role"] for folder in only["folders"]} >= {"base", "delta", "delete delta", "aborted"}

    def test_the_picture_has_a_box_for_each_folder_within_its_frame(self, world: World) -> None:
        files = load_files(world.metastore, world.file_system, TABLE)
        (svg,) = re.findall("<svg.*?</svg>", draw(files), re.DOTALL)
        tree = ElementTree.fromstring(svg)
        width, height = map(float, tree.attrib["viewBox"].split()[2:])
        boxes = [each.attrib for each in tree.iter("rect")]
        assert len(boxes) == 6
        assert all(float(box["x"]) >= 0 and float(box["x"]) + float(box["width"]) <= width + 0.1 for box in boxes)
        assert all(float(box["y"]) + float(box["height"]) <= height for box in boxes)
        assert [text.text for text in tree.iter("text") if "compaction" in (text.text or "")] == [
            "minor compaction folds this",
            "major compaction folds this",
        ]
        assert files._repr_html_() == draw(files)

    def test_a_name_is_no_markup(self) -> None:
        world = make_world()
        make_partitioned(world)
        world.engine.partitions = ("d=<script>",)
        world.run(StatementKind.INSERT)
        page = build_page(load_files(world.metastore, world.file_system, TABLE))
        assert "<script>" not in page and "d=&lt;script&gt;" in page

    def test_of_many_partitions_those_with_the_most_folders_are_drawn(self) -> None:
        world = make_world()
        make_partitioned(world)
        world.engine.partitions = tuple(f"d=x{number:02d}" for number in range(30))
        world.run(StatementKind.INSERT)
        page = draw(load_files(world.metastore, world.file_system, TABLE))
        assert page.count("<svg") == 20 and "12 more partitions, with fewer folders, are not drawn." in page


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1234, "1.23 kB"), (999_500, "1 MB")]
)
def test_bytes_have_three_digits_and_a_unit(count: int, text: str) -> None:
    assert format_bytes(count) == text
