"""What the tour reads of a table's folders."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from hive_acid_examples import disk


def test_a_folder_that_goes_while_it_is_read_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("base_0000002", "delta_0000001_0000001_0000"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "_orc_acid_version").write_text("2")
    read = disk._read_folder

    def read_late(path: Path) -> disk.Folder:
        if path.name.startswith("delta"):
            shutil.rmtree(path)
        return read(path)

    monkeypatch.setattr(disk, "_read_folder", read_late)
    assert [folder.name for folder in disk.read_folders(tmp_path)] == ["base_0000002"]
