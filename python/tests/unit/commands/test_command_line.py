"""The command `hive-acid` itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest
from pyspark.errors import PySparkRuntimeError

from hive_acid import __version__
from hive_acid.cli import main


def test_it_tells_its_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"hive-acid {__version__}\n"


def test_without_a_command_it_says_how_it_is_called(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([])
    assert ended.value.code == 2
    assert "usage: hive-acid" in capsys.readouterr().err


JOB_SESSION = "hive_acid.api.sessions.job_session"
CALLS = [
    ["doctor", "--spark"],
    ["history", "db.t", "--spark"],
    ["initiator", "--once", "--spark"],
    ["worker", "--once"],
]


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call[0])
def test_a_session_that_cannot_be_had_is_a_failure_and_no_finding(
    call: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    error = PySparkRuntimeError("[JAVA_GATEWAY_EXITED] there is no Java")
    monkeypatch.setattr(JOB_SESSION, raising(error))
    assert main([*call, "--metastore", "thrift://nowhere:1"]) == 2
    assert capsys.readouterr().err == f"{error}\n"


def test_an_error_that_nobody_foresaw_is_a_failure_too_and_shows_its_trace(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(JOB_SESSION, raising(KeyError("on purpose")))
    assert main(["doctor", "--spark", "--metastore", "thrift://nowhere:1"]) == 2
    assert "Traceback" in capsys.readouterr().err


def test_a_verification_that_breaks_off_is_no_wrong_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hive_acid_erasure.commands.verify._verify_certificate", raising(KeyError("on purpose")))
    assert main(["verify", str(tmp_path / "certificate.json")]) == 1


def raising(error: Exception) -> Callable[..., NoReturn]:
    def fail(*_: object) -> NoReturn:
        raise error

    return fail
