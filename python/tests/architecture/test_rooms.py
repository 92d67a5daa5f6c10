"""A room of the house is small enough to be looked over: its sign says what is in it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from architecture.documents import ROOT

MOST_FILES = 20
GENERATED = "generated"


def count_files(source: Path) -> Counter[str]:
    """The Python files of each folder of our packages, without what is generated."""
    files = (path.relative_to(source) for path in source.glob("hive_acid*/**/*.py"))
    return Counter(file.parent.as_posix() for file in files if GENERATED not in file.parts)


def test_no_room_has_more_files_than_one_looks_over() -> None:
    counted = count_files(ROOT / "python")
    assert len(counted) > 20
    assert [room for room, files in counted.items() if files > MOST_FILES] == []


def test_the_files_of_a_room_below_are_not_those_of_the_room_above(tmp_path: Path) -> None:
    for name in ("hive_acid/a/__init__.py", "hive_acid/a/x.py", "hive_acid/a/b/y.py", "hive_acid/a/generated/z.py"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    assert count_files(tmp_path) == {"hive_acid/a": 2, "hive_acid/a/b": 1}
