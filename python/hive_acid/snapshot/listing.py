"""The files below a table or partition, as one listing, and the JSON in which many listings travel."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hive_acid.errors import build_error


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

    It is an array with an object for each root: `root`, exactly as asked for, `exists` and `folders`. The first folder
    is the root, its `path` is empty; those below it follow. A folder has one element of `names`, `lengthsBytes` and
    `modifiedMs` for each of its files. Raises HIVE_ACID_INTERNAL for another form and for other roots.
    """
    try:
        listings = [_parse_listing(told) for told in json.loads(text)]
    except (ValueError, LookupError, TypeError) as error:
        raise build_error("HIVE_ACID_INTERNAL", reason=f"The listing of files is malformed: {error!r}") from error
    if [listing.root for listing in listings] != list(roots):
        raise build_error("HIVE_ACID_INTERNAL", reason=f"Other folders were listed than {', '.join(roots)}")
    return listings


def _parse_listing(told: Mapping[str, Any]) -> Listing:
    files: list[ListedFile] = []
    for folder in told["folders"]:
        names, lengths_bytes, modified_ms = folder["names"], folder["lengthsBytes"], folder["modifiedMs"]
        prefix = f"{folder['path']}/" if folder["path"] else ""
        if {*map(type, names)} - {str} or {*map(type, lengths_bytes), *map(type, modified_ms)} - {int} or "" in names:
            raise ValueError(folder["path"])
        paths = [prefix + name for name in names]
        files += itertools.starmap(ListedFile, zip(paths, lengths_bytes, modified_ms, strict=True))
    root, *below = [folder["path"] for folder in told["folders"]] or [""]
    if root or not all(below) or told["exists"] is not bool(told["folders"]):
        raise ValueError(told["root"])
    return Listing(told["root"], tuple(files), tuple(below), told["exists"])
