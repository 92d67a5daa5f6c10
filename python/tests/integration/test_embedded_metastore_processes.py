"""The processes of an embedded metastore begin and end together, whoever starts them and however they are stopped."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from hive_acid.cli import main
from hive_acid.local import EmbeddedMetastore
from hive_acid_local.detached import start_detached
from hive_acid_local.probe import metastore_answers
from support.embedded_checks import LIMIT_SECONDS, is_alive, mode_of, open_transaction, open_transactions, wait_until

pytestmark = pytest.mark.beyond_the_gate("`unit/local`; seven of the tests")


def test_one_started_in_a_thread_outlives_the_thread_and_a_stop_leaves_nothing() -> None:
    started: list[EmbeddedMetastore] = []
    thread = threading.Thread(target=lambda: started.append(EmbeddedMetastore.start()))
    thread.start()
    thread.join()
    metastore = started[0]
    assert metastore_answers(metastore.port)
    metastore.stop()
    metastore.stop()
    assert not any(is_alive(process_id) for process_id in metastore.process_ids.values())
    assert not metastore.folder.exists()


@pytest.mark.beyond_the_gate("`unit/local`; a killed supervisor takes both programs with it")
def test_data_of_a_given_folder_survives_kill_restart_and_stop(tmp_path: Path) -> None:
    kept = tmp_path / "a folder with blanks"
    with EmbeddedMetastore.start(kept) as metastore:
        assert mode_of(kept) == 0o700
        port, first = metastore.port, dict(metastore.process_ids)
        txn_id = open_transaction(metastore.uri)
        metastore.kill()
        wait_until(lambda: not metastore_answers(port), "the killed metastore stops answering")
        metastore.restart()
        assert metastore.port == port
        assert metastore.process_ids["metastore"] != first["metastore"]
        assert metastore.process_ids["postgresql"] == first["postgresql"]
        assert open_transactions(metastore.uri) == [txn_id]
    with EmbeddedMetastore.start(kept, port=port) as again:
        assert again.port == port
        assert open_transactions(again.uri) == [txn_id]
        assert again.warehouse == kept / "warehouse"


def start_in_another_process(environment: dict[str, str], *command: str) -> subprocess.Popen[str]:
    script = (
        "import json, sys\n"
        "from hive_acid.local import EmbeddedMetastore\n"
        "metastore = EmbeddedMetastore.start()\n"
        "print(metastore.folder)\n"
        "print(*metastore.process_ids.values(), flush=True)\n"
        "sys.stdin.read()\n"
    )
    return subprocess.Popen(
        [*command, sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, None])
def test_it_ends_with_its_parent_however_that_ends(how: signal.Signals | None) -> None:
    parent = start_in_another_process({})
    assert parent.stdout is not None
    assert parent.stdin is not None
    folder = Path(parent.stdout.readline().strip())
    process_ids = [int(text) for text in parent.stdout.readline().split()]
    assert len(process_ids) == 3
    assert all(map(is_alive, process_ids))
    if how is None:
        parent.stdin.close()  # it runs to its end without calling stop
    else:
        parent.send_signal(how)
    parent.wait(LIMIT_SECONDS)
    wait_until(lambda: not any(map(is_alive, process_ids)), "all processes end")
    wait_until(lambda: not folder.exists(), "the temporary folder is removed")


@pytest.mark.in_the_gate
def test_a_killed_supervisor_takes_both_programs_with_it() -> None:
    with EmbeddedMetastore.start() as metastore:
        os.kill(metastore.process_ids["supervisor"], signal.SIGKILL)
        wait_until(lambda: not any(map(is_alive, metastore.process_ids.values())), "both programs end")
        shutil.rmtree(metastore.folder)


ROOT = os.geteuid() == 0


@pytest.mark.parametrize("user", ["root without user namespaces", "a normal user"] if ROOT else ["a normal user"])
def test_it_runs_as(user: str, tmp_path: Path) -> None:
    """The fixtures run as whoever runs the tests; here root plays the other two."""
    environment, wrapper = {"HIVE_ACID_ROOT_AS": "nobody", "TMPDIR": str(tmp_path)}, []
    if ROOT and user == "a normal user":
        wrapper = [sys.executable, "-m", "hive_acid_local.identity", str(tmp_path)]
    parent = start_in_another_process(environment, *wrapper)
    assert parent.stdout is not None
    assert parent.stdin is not None
    parent.stdout.readline()
    process_ids = [int(text) for text in parent.stdout.readline().split()]
    assert len(process_ids) == 3
    for process_id in process_ids[1:]:
        owner = Path(f"/proc/{process_id}").stat().st_uid if ROOT else os.geteuid()
        assert (owner != 0) == (user == "a normal user" or process_id == process_ids[2])
    parent.stdin.close()
    parent.wait(LIMIT_SECONDS)
    assert not any(map(is_alive, process_ids))


def test_the_command_line_starts_one_that_stays_and_stops_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(tmp_path / "by hand")
    done = subprocess.run(
        [sys.executable, "-m", "hive_acid.cli", "metastore", "start", "--folder", folder],
        capture_output=True,
        text=True,
        check=True,
    )
    uri = done.stdout.splitlines()[0]
    try:
        assert metastore_answers(int(uri.rpartition(":")[2]))  # its starter has ended
        assert f"hive-acid metastore stop --folder '{folder}'" in done.stdout
        assert main(["metastore", "status", "--folder", folder]) == 0
        status = capsys.readouterr().out
        assert status.startswith(f"running: {uri}\n")
        process_ids = [int(line.split()[-1]) for line in status.splitlines() if " process " in line]
        assert len(process_ids) == 3
        assert main(["metastore", "start", "--folder", folder]) == 0
        assert capsys.readouterr().out == f"already running: {uri}\n"
    finally:
        stopped = main(["metastore", "stop", "--folder", folder])
    assert stopped == 0
    assert not any(map(is_alive, process_ids))
    assert main(["metastore", "status", "--folder", folder]) == 1


def test_one_whose_java_has_died_is_not_told_as_running_and_can_be_stopped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    running = start_detached(tmp_path, None, None)
    try:
        os.kill(running.process_ids["metastore"], signal.SIGKILL)
        wait_until(lambda: not running.answers(), "the killed metastore stops answering")
        assert main(["metastore", "start", "--folder", str(tmp_path)]) == 2
        assert f"running, but {running.uri} does not answer" in capsys.readouterr().out
    finally:
        stopped = main(["metastore", "stop", "--folder", str(tmp_path)])
    assert stopped == 0
    assert not any(is_alive(process_id) for process_id in running.process_ids.values())
