from __future__ import annotations

from pathlib import Path

import pytest

from hive_acid.cli import main
from hive_acid.commands.shared import FAILED


def test_new_makes_an_input_and_says_how_to_go_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sqltest", "new", "first", "--folder", str(tmp_path)]) == 0
    assert (tmp_path / "inputs/first.sql").read_text().startswith("--")
    assert "hive-acid sqltest update" in capsys.readouterr().out


@pytest.mark.parametrize("action", ["run", "update"])
def test_a_folder_without_a_suite_is_refused_before_anything_starts(
    action: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sqltest", action, str(tmp_path)]) == FAILED
    assert "it has no folder inputs" in capsys.readouterr().err


def test_an_orphaned_result_is_refused_before_anything_starts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["sqltest", "new", "first", "--folder", str(tmp_path)])
    (tmp_path / "results").mkdir()
    (tmp_path / "results/old.sql.out").touch()
    assert main(["sqltest", "run", str(tmp_path)]) == FAILED
    assert "remove them: old" in capsys.readouterr().err


def test_a_name_that_is_taken_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["sqltest", "new", "first", "--folder", str(tmp_path)])
    assert main(["sqltest", "new", "first", "--folder", str(tmp_path)]) == FAILED
    assert "exists already" in capsys.readouterr().err
