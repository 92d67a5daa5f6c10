"""Which Java is taken, and what is said of one that does not serve."""

from __future__ import annotations

from pathlib import Path

import pytest

from hive_acid.errors import LocalMetastoreError
from hive_acid_downloads.java import find_java


@pytest.fixture
def path_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The only folder of the PATH; JAVA_HOME is not set."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    return folder


def write_java(folder: Path, says: str, code: int = 0) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    java = folder / "java"
    java.write_text(f"#!/bin/sh\necho '{says}' >&2\nexit {code}\n")
    java.chmod(0o755)
    return java


@pytest.mark.parametrize(
    ("says", "release"),
    [
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('openjdk version "21" 2023-09-19', 21),
        ('Picked up JAVA_TOOL_OPTIONS: -Dx="1.8"\nopenjdk version "21.0.8" 2025-07-15 LTS', 21),
    ],
)
def test_java_17_and_21_serve(path_folder: Path, says: str, release: int) -> None:
    java = write_java(path_folder, says)
    found = find_java()
    assert (found.path, found.release) == (java, release)


@pytest.mark.parametrize(
    ("says", "sub", "named"),
    [
        ('java version "1.8.0_402"', "JAVA_UNSUPPORTED", "is Java 8."),
        ('openjdk version "11.0.22" 2024-01-16', "JAVA_UNSUPPORTED", "is Java 11."),
        ('openjdk version "25.0.2" 2026-01-20', "JAVA_UNSUPPORTED", "is Java 25."),
        ("Segmentation fault", "JAVA_VERSION_UNKNOWN", "Segmentation fault"),
    ],
)
def test_another_java_is_refused_by_name_and_place(path_folder: Path, says: str, sub: str, named: str) -> None:
    java = write_java(path_folder, says)
    with pytest.raises(LocalMetastoreError) as raised:
        find_java()
    assert raised.value.getCondition() == f"HIVE_ACID_LOCAL_METASTORE.{sub}"
    assert named in str(raised.value)
    assert f"{java}, which the PATH names," in str(raised.value)


def test_java_home_wins_over_the_path(path_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_java(path_folder, 'openjdk version "17.0.1"')
    java = write_java(tmp_path / "jdk" / "bin", 'openjdk version "21.0.1"')
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "jdk"))
    assert find_java().path == java


def test_a_wrong_java_home_is_said_and_the_path_is_not_tried(
    path_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_java(path_folder, 'openjdk version "17.0.1"')
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "gone"))
    with pytest.raises(LocalMetastoreError) as raised:
        find_java()
    assert raised.value.getCondition() == "HIVE_ACID_LOCAL_METASTORE.JAVA_HOME_WITHOUT_JAVA"
    assert str(tmp_path / "gone") in str(raised.value)


@pytest.mark.usefixtures("path_folder")
def test_no_java_at_all_is_said() -> None:
    with pytest.raises(LocalMetastoreError) as raised:
        find_java()
    assert raised.value.getCondition() == "HIVE_ACID_LOCAL_METASTORE.JAVA_NOT_FOUND"
