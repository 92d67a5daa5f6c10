"""PostgreSQL's own lock file names a process; after a container restarted, any program may have that number."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hive_acid_local.supervisor import remove_stale_lock


def lock_of(data: Path, process_id: str) -> Path:
    lock = data / "postmaster.pid"
    lock.write_text(f"{process_id}\n{data}\n")
    return lock


def test_a_lock_that_names_another_program_is_removed(tmp_path: Path) -> None:
    lock = lock_of(tmp_path, str(os.getpid()))
    remove_stale_lock(tmp_path)
    assert not lock.exists()


def test_a_lock_that_names_no_process_is_removed(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    lock = lock_of(tmp_path, str(ended.pid))
    remove_stale_lock(tmp_path)
    assert not lock.exists()


def test_the_lock_of_a_server_that_still_runs_there_stays(tmp_path: Path) -> None:
    script = "import sys; print('up', flush=True); sys.stdin.read()"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    server = subprocess.Popen([sys.executable, "-c", script, tmp_path], **pipes)
    try:
        assert server.stdout is not None
        assert server.stdout.readline() == b"up\n"
        lock = lock_of(tmp_path, str(server.pid))
        remove_stale_lock(tmp_path)
        assert lock.exists()
    finally:
        server.communicate()


@pytest.mark.parametrize("content", ["", "half"])
def test_a_lock_that_is_no_lock_is_left_to_postgresql_to_judge(tmp_path: Path, content: str) -> None:
    lock = tmp_path / "postmaster.pid"
    lock.write_text(content)
    remove_stale_lock(tmp_path)
    assert lock.exists()
