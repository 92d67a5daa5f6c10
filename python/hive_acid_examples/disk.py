"""The folders and files of a table, as they lie on disk; pyarrow counts their rows."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from pathlib import Path

VERSION_MARK = "_orc_acid_version"
"""The file in each folder that tells the version of Hive's format."""


@dataclass(frozen=True)
class File:
    """A file of a table's folder. `rows` is None where it has none, as a note for the history."""

    name: str
    size_bytes: int
    rows: int | None


@dataclass(frozen=True)
class Folder:
    """A base, delta or delete delta with its files."""

    name: str
    files: tuple[File, ...]

    @property
    def rows(self) -> int:
        """Rows in its files."""
        return sum(file.rows or 0 for file in self.files)

    @property
    def size_bytes(self) -> int:
        """The size of its files."""
        return sum(file.size_bytes for file in self.files)

    @property
    def deletes(self) -> bool:
        """True if its rows name rows that are gone."""
        return self.name.startswith("delete_delta")


def read_folders(table: Path) -> list[Folder]:
    """The folders of a flat table, by write ID, without those that are hidden by a dot.

    One that the Cleaner takes away meanwhile is left out.
    """
    paths = [path for path in table.iterdir() if path.is_dir() and not path.name.startswith(".")]
    folders = []
    for path in sorted(paths, key=lambda path: (_first_write_id(path.name), path.name)):
        with contextlib.suppress(FileNotFoundError):
            folders.append(_read_folder(path))
    return folders


def count_rows(folders: list[Folder]) -> int:
    """Rows written less rows deleted, over folders that are all in use."""
    return sum(-folder.rows if folder.deletes else folder.rows for folder in folders)


def _first_write_id(name: str) -> str:
    return name.removeprefix("delete_").split("_")[1]


def _read_folder(path: Path) -> Folder:
    from pyarrow import orc

    files = sorted(file for file in path.iterdir() if not file.name.startswith("."))
    return Folder(
        path.name,
        tuple(
            File(file.name, file.stat().st_size, orc.ORCFile(file).nrows if file.name.startswith("bucket_") else None)
            for file in files
        ),
    )
