"""What is said of a program that does not come up."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from hive_acid.errors import LocalMetastoreError
from hive_acid_local.launch import TAIL_LINES, check_port_free, free_port, start_failed
from hive_acid_local.probe import StartedProgram, StartError, await_start, metastore_answers, postgresql_answers
from support.fake_metastore_server import FakeMetastoreServer
from support.secured.certificates import make_certificates
from support.secured.fake_logins import BAD, encrypt, expect_login


def ended_process() -> subprocess.Popen[bytes]:
    process = subprocess.Popen([sys.executable, "-c", "raise SystemExit(3)"])
    process.wait()
    return process


def start_error(log: Path, log_start: int) -> StartError:
    with pytest.raises(StartError) as raised:
        await_start(StartedProgram("the program", ended_process(), 7, str(log), log_start), lambda _: False)
    return raised.value


def test_a_program_that_ends_is_said_with_its_code_and_the_end_of_its_log(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("".join(f"line {number}\n\tat a.b.C.d(C.java:1)\n" for number in range(100)))
    error = start_failed(start_error(log, 0).event)
    assert error.getCondition() == "HIVE_ACID_LOCAL_METASTORE.PROGRAM_ENDED"
    assert "ended with code 3" in str(error)
    assert error.getMessageParameters()["tail"].splitlines() == [
        f"line {number}" for number in range(100 - TAIL_LINES, 100)
    ]


def test_a_port_that_somebody_took_meanwhile_is_told_apart(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("java.net.BindException: Address already in use\n")
    error = start_failed(start_error(log, 0).event)
    assert error.getCondition() == "HIVE_ACID_LOCAL_METASTORE.PORT_TAKEN"
    assert error.getMessageParameters() == {"port": "7"}


def test_what_an_earlier_run_wrote_into_the_log_does_not_count(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("java.net.BindException: Address already in use\n")
    size = log.stat().st_size
    assert start_failed(start_error(log, size).event).getCondition() == "HIVE_ACID_LOCAL_METASTORE.PROGRAM_ENDED"


def test_waiting_ends_when_it_is_given_up(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
    try:
        with pytest.raises(StartError, match=r"HIVE_ACID_LOCAL_METASTORE\.START_GIVEN_UP"):
            await_start(StartedProgram("the program", process, 7, str(tmp_path)), lambda _: False, lambda: True)
    finally:
        process.kill()
        process.communicate()


def test_nothing_answers_on_a_free_port() -> None:
    port = free_port()
    check_port_free(port)
    assert not metastore_answers(port)
    assert not postgresql_answers(port)


def test_a_port_out_of_range_is_refused_by_name() -> None:
    with pytest.raises(LocalMetastoreError, match=r"HIVE_ACID_LOCAL_METASTORE\.PORT_TAKEN"):
        check_port_free(70_000)


@pytest.mark.parametrize("is_encrypted", [False, True])
def test_a_metastore_that_asks_for_a_login_or_for_tls_answers(tmp_path: Path, is_encrypted: bool) -> None:
    asking = expect_login(lambda *_: (BAD, b"Unsupported mechanism type NONE"), [])
    secure = encrypt(make_certificates(tmp_path).server) if is_encrypted else asking
    with FakeMetastoreServer(secure) as server:
        port = urlsplit(server.uri).port
        assert port is not None
        assert metastore_answers(port)


def test_a_server_of_another_kind_is_no_metastore() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def drop() -> None:
            with suppress(OSError):
                while True:
                    listener.accept()[0].close()

        threading.Thread(target=drop, daemon=True).start()
        assert not metastore_answers(listener.getsockname()[1])
