"""The command line where nothing runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from hive_acid.cli import main
from hive_acid_local.home import default_folder


def test_status_of_a_folder_that_does_not_exist_is_stopped_and_makes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["metastore", "status", "--folder", str(tmp_path / "none")]) == 1
    assert capsys.readouterr().out == "stopped\n"
    assert not (tmp_path / "none").exists()


def test_stop_where_nothing_runs_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["metastore", "stop", "--folder", str(tmp_path)]) == 1
    assert capsys.readouterr().out == "not running\n"


@pytest.mark.parametrize("port", ["0", "65536", "http"])
def test_a_port_that_is_none_is_refused(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        main(["metastore", "start", "--port", port])
    assert raised.value.code == 2
    assert "--port" in capsys.readouterr().err


def test_the_default_folder_is_the_users_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_folder() == tmp_path / "spark-hive-acid" / "metastore"
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert default_folder() == tmp_path / ".local" / "share" / "spark-hive-acid" / "metastore"
