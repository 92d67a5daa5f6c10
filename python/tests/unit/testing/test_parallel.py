from __future__ import annotations

import os
import signal
from functools import partial
from pathlib import Path

import pytest

from hive_acid_sqltest.parallel import run_parallel
from hive_acid_sqltest.runner import Report, Verdict
from hive_acid_sqltest.suite import SuiteFile, find_suite
from support.polling import eventually
from support.process_engines import open_engine, open_nothing


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    """Where the engines leave their files."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    return folder


def suite_of(folder: Path, **inputs: str) -> list[SuiteFile]:
    (folder / "inputs").mkdir()
    for name, text in inputs.items():
        (folder / "inputs" / f"{name}.sql").write_text(text)
    return find_suite(folder)


def processes(scratch: Path, word: str) -> set[int]:
    """The IDs of those that did it."""
    return {int(path.name.split()[1]) for path in scratch.glob(f"{word} *")}


def test_files_run_at_the_same_time_and_are_told_in_their_order(tmp_path: Path, scratch: Path) -> None:
    files = suite_of(tmp_path, a="MEET 2;", b="MEET 2;", c="SELECT 3;", d="SELECT 'open;")
    told: list[Report] = []
    reports = run_parallel(files, partial(open_engine, scratch), 2, True, told.append)
    assert [report.name for report in reports] == ["a", "b", "c", "d"]
    assert told == reports
    assert [report.verdict for report in reports] == [*[Verdict.UPDATED] * 3, Verdict.BROKEN]
    assert len(processes(scratch, "MEET")) == 2
    assert processes(scratch, "stopped") == processes(scratch, "MEET")
    again = run_parallel(files[:3], partial(open_engine, scratch), 3, False, lambda _: None)
    assert {report.verdict for report in again} == {Verdict.PASSED}


def test_a_difference_is_reported_from_a_process_as_without(tmp_path: Path, scratch: Path) -> None:
    files = suite_of(tmp_path, a="SELECT 1;", b="SELECT 2;")
    run_parallel(files, partial(open_engine, scratch), 2, True, lambda _: None)
    files[1].input.write_text("SELECT 3;")
    good, bad = run_parallel(files, partial(open_engine, scratch), 2, False, lambda _: None)
    assert (good.verdict, bad.verdict) == (Verdict.PASSED, Verdict.DIFFERS)
    assert "-SELECT 2\n+SELECT 3" in bad.text


def test_a_process_that_ends_breaks_its_file_and_another_takes_the_rest(tmp_path: Path, scratch: Path) -> None:
    files = suite_of(tmp_path, a="CRASH;", b="SELECT 1;", c="CRASH;", d="SELECT 2;")
    told: list[Report] = []
    reports = run_parallel(files, partial(open_engine, scratch), 1, True, told.append)
    assert [report.verdict for report in reports] == [Verdict.BROKEN, Verdict.UPDATED] * 2
    assert reports[0].text == "the process that ran it ended with exit code 7; see above"
    assert told == reports


def test_without_any_process_every_file_is_broken(tmp_path: Path) -> None:
    files = suite_of(tmp_path, a="SELECT 1;", b="SELECT 2;", c="SELECT 3;")
    told: list[Report] = []
    reports = run_parallel(files, open_nothing, 2, True, told.append)
    assert [(report.verdict, report.text) for report in reports] == [
        (Verdict.BROKEN, "it was not run: no process could be started; see above")
    ] * 3
    assert told == reports


@pytest.mark.parametrize("inherited", [signal.SIG_DFL, signal.SIG_IGN], ids=["terminal", "background"])
def test_an_interrupt_ends_every_process_in_good_order(
    tmp_path: Path, scratch: Path, inherited: signal.Handlers
) -> None:
    files = suite_of(tmp_path, a="MEET 2;", b="MEET 2; HANG;")

    def interrupt(_: Report) -> None:
        assert eventually(lambda: processes(scratch, "HANG") != set())
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, inherited)  # the processes inherit it
    try:
        with pytest.raises(KeyboardInterrupt):
            run_parallel(files, partial(open_engine, scratch), 2, True, interrupt)
    finally:
        signal.signal(signal.SIGINT, before)
    [hung] = processes(scratch, "HANG")
    assert (scratch / f"HANG {hung}").read_text() == str(hung)  # a terminal interrupts its own group only
    assert hung in processes(scratch, "DROP")  # it dropped the database of its file
    for pid in processes(scratch, "MEET") | {hung}:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
