"""Values at a glance: few lines, true ones, and never an error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from hive_acid.execution.dry_run_report import DryRun
from hive_acid.model.table import Column, Partition
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.user.looks import draw
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.wire.write_spec import RowCounts
from hive_acid_ops.history.entries import HistoryEntry
from hive_acid_ops.looks.table import EVERY_PARTITION, TableLook, format_html, format_json, format_text, look_at
from support.statements import LOCATION, TABLE, World, build_table


def make_world() -> World:
    world = World()
    world.memory.add_table(build_table(parameters={"transactional": "true"}))
    return world


def look(world: World) -> TableLook:
    return look_at(world.metastore, world.file_system, TABLE)


def lines(world: World) -> list[str]:
    return [" ".join(line.split()) for line in format_text(look(world)).splitlines()]


class TestTable:
    def test_rows_are_counted_by_footers(self) -> None:
        world = make_world()
        world.run(StatementKind.INSERT)
        (path,) = [path for path in world.file_system.files if path.endswith("bucket_00000")]
        world.file_system.rows[path] = 3
        assert lines(world)[:5] == [
            "AcidTable db.t",
            "kind full ACID",
            "rows 3, by the files' footers",
            "files 1 file, 100 bytes",
            "folders 0 bases, 1 delta, 0 delete deltas",
        ]

    def test_delete_events_are_subtracted(self) -> None:
        world = make_world()
        world.run(StatementKind.INSERT)
        world.run(StatementKind.DELETE)
        for path in world.file_system.files:
            world.file_system.rows[path] = 1 if "delete_delta" in path else 5
        assert "rows about 4, by the files' footers" in lines(world)

    def test_where_footers_tell_nothing_accurate_statistics_do(self) -> None:
        world = make_world()
        world.file_system.add_file(f"{LOCATION}/000000_0")
        assert "rows not counted" in lines(world)
        statistics = {"COLUMN_STATS_ACCURATE": '{"BASIC_STATS":"true"}', "numRows": "7"}
        world.memory.add_table(build_table(parameters={"transactional": "true", **statistics}))
        assert "rows 7, by the metastore's statistics" in lines(world)

    def test_of_very_many_partitions_a_glance_lists_no_files(self) -> None:
        world = make_world()
        columns = (Column("d", "string"),)
        world.memory.add_table(build_table(partition_columns=columns, parameters={"transactional": "true"}))
        for number in range(201):
            world.memory.add_partition(TABLE, Partition(f"d={number}", (str(number),), f"{LOCATION}/d={number}"))
        world.file_system.calls.clear()
        assert "partitions 201 by d" in lines(world) and world.file_system.calls == []
        whole = look_at(world.metastore, world.file_system, TABLE, EVERY_PARTITION)
        assert len(whole.states or ()) == 201 and '"partitions": 201' in format_json(whole)

    def test_a_name_is_no_markup(self) -> None:
        world = make_world()
        world.memory.add_table(build_table(location="/w/<b>", parameters={"transactional": "true"}))
        assert "&lt;b&gt;" in format_html(look(world))


class TestDrawing:
    def test_what_fails_is_told_in_the_look(self) -> None:
        def reach() -> NoReturn:
            raise ConnectionRefusedError("the metastore is gone\nand more")

        assert draw("table_text", reach, "AcidTable db.t") == "AcidTable db.t (the metastore is gone)"
        assert draw("table_html", reach, "AcidTable db.t") == "AcidTable db.t (the metastore is gone)"

    def test_a_table_is_drawn_by_the_wing(self) -> None:
        world = make_world()
        file_system: FileSystem = world.file_system
        told = draw("table_text", lambda: (world.metastore, file_system, TABLE), "")
        assert told.startswith("AcidTable db.t\n")


def entry(number: int) -> HistoryEntry:
    return HistoryEntry(number, number, 1, 10, 0, operation="INSERT", statement=f"INSERT <{number}>", time_ms=1)


class TestHistory:
    def test_the_newest_entries_are_shown_and_the_others_counted(self) -> None:
        entries: Sequence[HistoryEntry] = [entry(number) for number in range(60, 0, -1)]
        text, html = (draw(function, entries, "") for function in ("history_text", "history_html"))
        assert text.count("write ID") == 8 and text.endswith("… and 52 older")
        assert html.count("INSERT &lt;") == 50 and "and 10 older" in html

    def test_nothing_written_is_said(self) -> None:
        assert draw("history_text", [], "") == "nothing was written"
        assert "Nothing was written" in draw("history_html", [], "")


def test_a_dry_run_of_many_partitions_is_one_screen() -> None:
    partitions = tuple(f"d={number}" for number in range(100))
    found = DryRun(StatementKind.DELETE, TABLE, RowCounts(0, 0, 5), 1, 10, partitions, (0,), (), ())
    assert repr(found).splitlines()[:2] == ["statement          DELETE", "table              db.t"]
    assert len(repr(found).splitlines()) == 31 and repr(found).endswith("more")
