"""Where the archive of the metastore's classes lies, and when the JVM is told of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from hive_acid_downloads.java import Java
from hive_acid_local.class_archive import archive_options, archive_path, recording_options


@pytest.fixture
def java(tmp_path: Path) -> Java:
    binary = tmp_path / "java"
    binary.touch()
    return Java(binary, 17)


def test_each_release_and_each_java_has_an_archive_of_its_own(tmp_path: Path, java: Java) -> None:
    lib = tmp_path / "metastore-4.0.0-abc"
    found = archive_path(lib, java)
    assert found is not None
    assert found.parent == tmp_path
    assert found.name.startswith("metastore-4.0.0-abc-classes-")
    java.path.write_text("another build under the same name")
    assert archive_path(lib, java) not in (None, found)
    assert archive_path(tmp_path / "metastore-4.1.0-abc", java) != archive_path(lib, java)


def test_a_java_that_does_not_know_the_options_is_not_told_of_an_archive(tmp_path: Path, java: Java) -> None:
    assert archive_path(tmp_path / "lib", Java(java.path, 8)) is None
    assert archive_options(None) == ()


def test_a_path_that_the_jvm_would_take_for_two_has_no_archive(tmp_path: Path, java: Java) -> None:
    assert archive_path(tmp_path / "a:b" / "lib", java) is None


def test_an_archive_is_used_once_it_is_there_and_an_empty_one_is_none(tmp_path: Path) -> None:
    archive = tmp_path / "classes.jsa"
    assert archive_options(archive) == ()
    archive.touch()
    assert archive_options(archive) == ()
    archive.write_bytes(b"classes")
    assert archive_options(archive)[0] == f"-XX:SharedArchiveFile={archive}"
    assert recording_options(archive)[0] == f"-XX:ArchiveClassesAtExit={archive}"
