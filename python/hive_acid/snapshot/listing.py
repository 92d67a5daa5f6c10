"""The files below a table or partition, as one listing, and the JSON in which many listings travel."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from hive_acid.errors import build_error
from hive_acid.wire import codec
from hive_acid.wire.storage import ListedTree


@dataclass(frozen=True)
class ListedFile:
    """A file: path relative to the root of its listing (`/` between names), length, time of the last change."""

    relative_path: str
    length_bytes: int
    modified_ms: int

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.relative_path.rpartition("/")[2]


@dataclass(frozen=True)
class Listing:
    """Files and folders below `root` at any depth.

    Folders include empty ones. Hidden folders (`_…`, `.…`) are left out with all they hold; hidden files are listed.
    `exists` is False for a root that does not exist, and then there is nothing below it.
    """

    root: str
    files: tuple[ListedFile, ...] = ()
    folders: tuple[str, ...] = ()
    exists: bool = True

    def absolute_path(self, relative_path: str) -> str:
        """The path below the root, as the root is spelled."""
        return f"{self.root.rstrip('/')}/{relative_path}"


def parse_listings(text: str, roots: Sequence[str]) -> list[Listing]:
    """The listings of `roots`, one each in that order, from the JSON that one call to the JVM returns.

    It is an array with a `ListedTree` for each root. Raises HIVE_ACID_INTERNAL for another form and for other roots.
    """
    try:
        listings = [_build_listing(tree) for tree in codec.read(tuple[ListedTree, ...], text)]
    except ValueError as error:
        raise build_error("HIVE_ACID_INTERNAL", reason=f"The listing of files is malformed: {error!r}") from error
    if [listing.root for listing in listings] != list(roots):
        raise build_error("HIVE_ACID_INTERNAL", reason=f"Other folders were listed than {', '.join(roots)}")
    return listings


def _build_listing(tree: ListedTree) -> Listing:
    files: list[ListedFile] = []
    for folder in tree.folders:
        if "" in folder.names:
            raise ValueError(folder.path)
        prefix = f"{folder.path}/" if folder.path else ""
        paths = [prefix + name for name in folder.names]
        files += itertools.starmap(ListedFile, zip(paths, folder.lengths_bytes, folder.modified_ms, strict=True))
    root, *below = [folder.path for folder in tree.folders] or [""]
    if root or not all(below) or tree.exists is not bool(tree.folders):
        raise ValueError(tree.root)
    return Listing(tree.root, tuple(files), tuple(below), tree.exists)
