"""The cache holds whole entries or none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hive_acid.errors import HiveAcidError
from hive_acid_downloads.cache import cache_folder, cache_lock, file_sha256, whole_entry


class Builder:
    """Builds an entry of two files and counts how often."""

    def __init__(self) -> None:
        self.builds = 0
        self.damaged: Path | None = None

    def __call__(self, target: Path, damaged: Path | None) -> None:
        self.builds += 1
        self.damaged = damaged
        (target / "lib").mkdir()
        (target / "lib" / "one.jar").write_text("first file")
        (target / "two.txt").write_text("second file")


def entry_of(tmp_path: Path, builder: Builder) -> Path:
    return whole_entry(tmp_path / "entry", builder, progress=lambda _: None)


def delete(path: Path) -> None:
    path.unlink()


def truncate(path: Path) -> None:
    path.write_text("")


def change_one_letter(path: Path) -> None:
    path.write_text("First file")


def test_an_entry_is_built_once(tmp_path: Path) -> None:
    builder = Builder()
    assert entry_of(tmp_path, builder) == entry_of(tmp_path, builder)
    assert builder.builds == 1


@pytest.mark.parametrize("damage", [delete, truncate, change_one_letter])
def test_a_damaged_file_has_the_entry_built_again(tmp_path: Path, damage: object) -> None:
    builder = Builder()
    entry = entry_of(tmp_path, builder)
    assert callable(damage)
    damage(entry / "lib" / "one.jar")
    told: list[str] = []
    whole_entry(entry, builder, told.append)
    assert builder.builds == 2
    assert builder.damaged == entry  # its good files could be taken
    assert (entry / "lib" / "one.jar").read_text() == "first file"
    assert len(told) == 1
    assert "one.jar" in told[0]
    assert [path.name for path in tmp_path.iterdir()] == ["entry"]


def test_a_file_that_was_only_touched_is_not_damage(tmp_path: Path) -> None:
    builder = Builder()
    entry = entry_of(tmp_path, builder)
    os.utime(entry / "two.txt", (0, 0))
    assert entry_of(tmp_path, builder) == entry
    assert builder.builds == 1


def test_an_entry_without_its_manifest_does_not_count(tmp_path: Path) -> None:
    builder = Builder()
    entry = entry_of(tmp_path, builder)
    (entry / "manifest.json").unlink()
    entry_of(tmp_path, builder)
    assert builder.builds == 2


def test_a_build_that_fails_leaves_nothing(tmp_path: Path) -> None:
    def fail(target: Path, _: Path | None) -> None:
        (target / "half").write_text("half")
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="disk is full"):
        whole_entry(tmp_path / "entry", fail, progress=lambda _: None)
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_build_left_is_removed_by_the_next(tmp_path: Path) -> None:
    (tmp_path / ".entry-killed").mkdir()
    (tmp_path / ".entry-killed" / "half").write_text("half")
    entry_of(tmp_path, Builder())
    assert [path.name for path in tmp_path.iterdir()] == ["entry"]


def test_one_process_at_a_time_holds_the_cache_and_the_other_says_that_it_waits(tmp_path: Path) -> None:
    told: list[str] = []
    order: list[str] = []

    def release_first(message: str) -> None:
        told.append(message)
        order.append("first ends")
        first.__exit__(None, None, None)

    first = cache_lock(tmp_path, lambda _: None)
    first.__enter__()
    with cache_lock(tmp_path, release_first):
        order.append("second begins")
    assert order == ["first ends", "second begins"]
    assert told == [f"waiting for another process that prepares {tmp_path}"]


def test_the_cache_folder_is_the_users_unless_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.delenv("HIVE_ACID_CACHE", raising=False)
    assert cache_folder() == tmp_path / "xdg" / "spark-hive-acid"
    monkeypatch.setenv("HIVE_ACID_CACHE", str(tmp_path / "own"))
    assert cache_folder() == tmp_path / "own"
    monkeypatch.delenv("HIVE_ACID_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cache_folder() == tmp_path / "home" / ".cache" / "spark-hive-acid"


def test_a_hash_is_that_of_the_content(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    assert file_sha256(tmp_path / "empty") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_a_folder_into_which_everybody_may_put_programs_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o777)
    with pytest.raises(HiveAcidError) as raised, cache_lock(folder, lambda _: None):
        raise AssertionError("it was taken")
    assert raised.value.getCondition() == "HIVE_ACID_LOCAL_METASTORE.CACHE_OPEN"
    assert raised.value.getMessageParameters() == {"folder": str(folder)}
    assert list(folder.iterdir()) == []
    folder.chmod(0o755)
    with cache_lock(folder, lambda _: None):
        pass
