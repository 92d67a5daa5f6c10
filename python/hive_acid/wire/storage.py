"""Messages about files and folders of a storage."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ListedFolder:
    """A folder of a tree: its path below the root, empty for the root itself, and one value of each kind per file.

    Names are those in the folder; lengths are bytes, and times of the last change milliseconds since 1970.
    """

    path: str
    names: tuple[str, ...]
    lengths_bytes: tuple[int, ...]
    modified_ms: tuple[int, ...]


@dataclass(frozen=True)
class ListedTree:
    """All below `root`, spelled as it was asked for: the root first, then each folder behind the one that holds it.

    There are no folders if the root does not exist.
    """

    root: str
    exists: bool
    folders: tuple[ListedFolder, ...]


@dataclass(frozen=True)
class FileVersion:
    """A file as it was listed: absolute path, the bytes to read, time of the last change. Files do not change."""

    path: str
    length_bytes: int
    modified_ms: int


@dataclass(frozen=True)
class PendingUpload:
    """An unfinished upload to the file `path`: it was neither completed nor aborted, and nobody sees it."""

    path: str
    id: str
