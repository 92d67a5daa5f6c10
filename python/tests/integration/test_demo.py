"""The guided tour as a user runs it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

TOUR = (sys.executable, "-m", "hive_acid.cli", "demo")


def start_tour(folder: Path) -> subprocess.Popen[str]:
    """The tour in a process group of its own, with all its temporary files in `folder`."""
    environment = {**os.environ, "TMPDIR": str(folder), "PYTHONUNBUFFERED": "1"}
    pipe = subprocess.PIPE
    return subprocess.Popen(
        TOUR, cwd=folder, env=environment, stdout=pipe, stderr=pipe, text=True, start_new_session=True
    )


def list_troubles(err: str) -> list[str]:
    """Lines but those that tell of another test, which prepares the same cache."""
    return [line for line in err.splitlines() if line.strip() and "waiting for another process" not in line]


@pytest.mark.beyond_the_gate("`unit/examples`; the documents that are pasted (`architecture/test_documents.py`)")
def test_the_tour_is_right_and_leaves_nothing_behind(tmp_path: Path) -> None:
    with start_tour(tmp_path) as tour:
        out, err = tour.communicate(timeout=600)
    assert (tour.returncode, list_troubles(err)) == (0, []), out + err
    assert "every count was right, everything is stopped" in out
    assert "WRONG" not in out
    assert "\x1b" not in out, "a pipe is no terminal"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_ctrl_c_in_a_statement_ends_the_tour_and_leaves_nothing_behind(tmp_path: Path) -> None:
    with start_tour(tmp_path) as tour:
        assert tour.stdout is not None
        for line in tour.stdout:
            if "INSERT INTO flights" in line:  # announced right before it runs
                os.killpg(tour.pid, signal.SIGINT)
                break
        _, err = tour.communicate(timeout=120)
    assert (tour.returncode, list_troubles(err)) == (130, ["Interrupted. Everything is stopped."])
    assert list(tmp_path.iterdir()) == []
