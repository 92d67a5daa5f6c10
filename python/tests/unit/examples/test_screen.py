"""How the tour looks, and that it tells a wrong count from a right one."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import orc

from hive_acid_examples.changes import Counts
from hive_acid_examples.disk import count_rows, read_folders
from hive_acid_examples.screen import Line, Screen
from hive_acid_examples.tour import Tour, _find_counts

ESCAPE = "\x1b"


class Terminal(io.StringIO):
    """Text that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def show_all(stream: io.StringIO) -> str:
    screen = Screen(stream)
    screen.title("a title")
    screen.chapter(1, "Load", "An explanation.")
    screen.statement("SELECT 1\nFROM a_longer_line")
    screen.result("rows: 1", None, 0.5)
    screen.result("rows: 2", "1 expected")
    screen.summary([Line("SELECT 1", 1, 0.5)])
    screen.end("Done", is_right=True)
    return stream.getvalue()


@pytest.fixture
def coloured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)


@pytest.mark.usefixtures("coloured")
def test_a_terminal_gets_colours_and_everything_else_plain_text() -> None:
    assert ESCAPE in show_all(Terminal())
    plain = show_all(io.StringIO())
    assert ESCAPE not in plain
    assert "rows: 2  WRONG: 1 expected" in plain
    assert all(line == line.rstrip() for line in plain.splitlines())


@pytest.mark.usefixtures("coloured")
def test_no_color_makes_a_terminal_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert ESCAPE not in show_all(Terminal())


def test_a_wrong_count_is_kept_by_chapter_and_name() -> None:
    spark: Any = None
    stream = io.StringIO()
    tour = Tour(spark, Screen(stream), Path(), {}, chapters=7)
    tour._check("rows in flights", 10, 10, 0.5)
    tour._check("rows in the files", 8_255, 8_256, 0.5)
    assert tour.wrong == ["chapter 7, rows in the files: 8,255, but 8,256 expected"]
    assert "rows in the files: 8,255  WRONG: 8,256 expected" in stream.getvalue()


@pytest.mark.parametrize(
    ("row", "expected", "found"),
    [
        ({"num_affected_rows": 3}, Counts(deleted=3), Counts(deleted=3)),
        ({"num_affected_rows": 2}, Counts(deleted=3), Counts(deleted=2)),
        (
            {"num_affected_rows": 3, "num_inserted_rows": 1, "num_updated_rows": 2, "num_deleted_rows": 0},
            Counts(inserted=2, updated=1),
            Counts(inserted=1, updated=2),
        ),
    ],
)
def test_counts_are_those_that_spark_tells(row: dict[str, int], expected: Counts, found: Counts) -> None:
    assert _find_counts(row, expected) == found


def test_rows_in_delete_deltas_count_against_those_that_were_written(tmp_path: Path) -> None:
    for name, rows in (("delta_0000001_0000001_0000", 5), ("delete_delta_0000002_0000002_0000", 2), (".staging", 9)):
        (tmp_path / name).mkdir()
        orc.write_table(pyarrow.table({"id": range(rows)}), tmp_path / name / "bucket_00000")
        (tmp_path / name / "_orc_acid_version").write_text("2")
    folders = read_folders(tmp_path)
    assert [folder.name for folder in folders] == ["delta_0000001_0000001_0000", "delete_delta_0000002_0000002_0000"]
    assert count_rows(folders) == 3
    stream = io.StringIO()
    Screen(stream).tree("sales", folders)
    assert "5 rows written" in stream.getvalue()
    assert "_orc_acid_version" not in stream.getvalue()
