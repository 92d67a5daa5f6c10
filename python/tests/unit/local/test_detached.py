"""The description of a metastore is believed of the process that holds its folder, and of no other."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hive_acid.cli import main
from hive_acid.errors import LocalMetastoreError, build_error
from hive_acid_local import detached, start
from hive_acid_local.detached import find_running, stop_detached
from hive_acid_local.start import LOCK_FILE, STATE_FILE, Wish, start_metastore

HOLDER = """
import fcntl, signal, sys
if sys.argv[2:]: signal.signal(signal.SIGTERM, signal.SIG_IGN)
lock = open(sys.argv[1], 'a')
fcntl.flock(lock, fcntl.LOCK_EX)
print('up', flush=True)
sys.stdin.read()
"""
STRANGER = "import sys; print('up', flush=True); sys.stdin.read()"


@contextmanager
def program(script: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process of another program, until the end of the context."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    process = subprocess.Popen([sys.executable, "-c", script, *arguments], **pipes)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        yield process
    finally:
        process.communicate()


def describe(folder: Path, supervisor: int) -> None:
    """The description that a metastore has left."""
    (folder / LOCK_FILE).touch()
    told = {"uri": "thrift://127.0.0.1:1", "port": 1, "database": "derby", "warehouse": "w", "log": "hms.log"}
    (folder / STATE_FILE).write_text(json.dumps({"process_ids": {"supervisor": supervisor}, **told}))


def test_the_holder_of_the_folder_is_found_and_ended(tmp_path: Path) -> None:
    with program(HOLDER, str(tmp_path / LOCK_FILE)) as supervisor:
        describe(tmp_path, supervisor.pid)
        running = find_running(tmp_path)
        assert running is not None
        assert running.process_ids == {"supervisor": supervisor.pid}
        stop_detached(tmp_path)
        assert supervisor.wait(5) != 0
    assert find_running(tmp_path) is None


def test_a_stranger_that_has_the_number_of_a_killed_supervisor_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A container was restarted, and the metastore of the folder is being started again."""
    command = ["--folder", str(tmp_path)]
    with program(STRANGER) as stranger, program(HOLDER, str(tmp_path / LOCK_FILE)):
        describe(tmp_path, stranger.pid)
        assert find_running(tmp_path) is None
        for action in ("status", "stop"):
            assert main(["metastore", action, *command]) == 2
            assert capsys.readouterr().out == "starting, ending, or run by processes that this one does not see\n"
        assert main(["metastore", "start", *command]) == 2
        assert "FOLDER_IN_USE" in capsys.readouterr().err
        assert stranger.poll() is None


def test_a_description_that_nobody_holds_is_none_of_a_running_one(tmp_path: Path) -> None:
    with program(STRANGER) as stranger:
        describe(tmp_path, stranger.pid)
        assert find_running(tmp_path) is None


def test_a_start_removes_what_a_killed_one_has_told_of_itself_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    describe(tmp_path, 1)
    seen: list[bool] = []

    def prepare(folder: Path, *_: object) -> None:
        seen.append((folder / STATE_FILE).exists())
        raise build_error("HIVE_ACID_LOCAL_METASTORE.JAVA_NOT_FOUND")

    monkeypatch.setattr(start, "_prepared", prepare)
    with pytest.raises(LocalMetastoreError, match="JAVA_NOT_FOUND"):
        start_metastore(Wish(tmp_path), lambda _: None)
    assert seen == [False]


def test_one_that_runs_and_does_not_answer_is_not_taken_for_running(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its Java process has died, and its supervisor is left."""
    with program(HOLDER, str(tmp_path / LOCK_FILE)) as supervisor:
        describe(tmp_path, supervisor.pid)
        assert main(["metastore", "start", "--folder", str(tmp_path)]) == 2
        assert capsys.readouterr().out == "running, but thrift://127.0.0.1:1 does not answer; see hms.log\n"


def test_the_end_of_one_that_does_not_end_is_not_awaited_for_ever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(detached, "STOP_LIMIT_SECONDS", 0.2)
    with program(HOLDER, str(tmp_path / LOCK_FILE), "deaf") as supervisor:
        describe(tmp_path, supervisor.pid)
        with pytest.raises(LocalMetastoreError, match=rf"NOT_ENDED.*process {supervisor.pid} with kill -9"):
            stop_detached(tmp_path)
