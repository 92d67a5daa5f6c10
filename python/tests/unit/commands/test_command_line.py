"""The command `hive-acid` itself."""

from __future__ import annotations

import pytest

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
