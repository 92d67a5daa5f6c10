"""How far a command is, is shown on a terminal, beside what it prints, and nowhere else."""

import io
import sys
import threading
from dataclasses import dataclass

import pytest
from rich.console import Console

from hive_acid_ops.progress import followed, watched


@dataclass(frozen=True)
class Job:
    id: str
    title: str
    parts: int
    parts_done: int


def terminal(text: io.StringIO) -> Console:
    return Console(file=text, force_terminal=True, width=100)


def test_items_are_handed_on_in_order_and_counted_on_a_terminal() -> None:
    text = io.StringIO()
    assert list(followed(["a", "b", "c"], "looking at tables", terminal(text))) == ["a", "b", "c"]
    assert "looking at tables" in text.getvalue()
    assert "/3" in text.getvalue()


def test_what_runs_is_shown_until_it_has_ended_with_its_brackets() -> None:
    text, seen = io.StringIO(), threading.Event()
    running = [[Job("1", "db.t d=[a]", 0, 0)], [Job("1", "db.t d=[a]", 8, 2), Job("2", "db.other", 4, 1)], []]

    def find_running() -> list[Job]:
        if len(running) == 1:
            seen.set()
            return running[0]
        return running.pop(0)

    with watched(find_running, terminal(text)):
        assert seen.wait(60)
    shown = text.getvalue()
    assert "db.t d=[a]" in shown
    assert "2/8" in shown
    assert "1/4" in shown


def test_nothing_is_shown_and_nobody_is_asked_where_there_is_no_terminal(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def find_running() -> list[Job]:
        raise AssertionError("asked")

    with watched(find_running):
        sys.stdout.write("a line\n")
    assert list(followed([1, 2], "looking")) == [1, 2]
    assert capsys.readouterr() == ("a line\n", "")


def test_what_is_printed_into_a_file_stays_there(monkeypatch: pytest.MonkeyPatch) -> None:
    text, out = io.StringIO(), io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    for item in followed(["line"], "looking", terminal(text)):
        sys.stdout.write(f"{item}\n")
    assert out.getvalue() == "line\n"
    assert "line" not in text.getvalue()
