"""The folders of a table as values, for every way of showing them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from hive_acid.api.tables import TableName


class Role(Enum):
    """The part that a folder plays for who reads the table now; the values are stable, for programs."""

    BASE = "base"
    DELTA = "delta"
    DELETE_DELTA = "delete delta"
    ORIGINAL = "original files"
    OPEN = "not visible yet"
    REPLACED = "replaced"
    ABORTED = "aborted"

    @property
    def is_read(self) -> bool:
        """True if readers read it."""
        return self in (Role.BASE, Role.DELTA, Role.DELETE_DELTA, Role.ORIGINAL)

    @property
    def is_cleaned(self) -> bool:
        """True if the Cleaner is to remove it."""
        return self in (Role.REPLACED, Role.ABORTED)


@dataclass(frozen=True)
class ShownFolder:
    """A folder, or the original files together: its write IDs, and the compactions that would fold it now.

    `name` is that below the table or partition. A base holds all write IDs up to its own. Original files have write ID
    0. `folded_by` are the words `minor` and `major`.
    """

    name: str
    role: Role
    first_write_id: int
    last_write_id: int
    files: int
    bytes: int
    folded_by: tuple[str, ...] = ()


@dataclass(frozen=True)
class ShownRoot:
    """A flat table (`partition` is None) or a partition, with its folders in the order of their write IDs.

    `compaction` says whether one is due, or under way. `cleaning` says when what is left over goes, and whom that waits
    for; None if nothing is left over. `error` is why its folders cannot be told apart.
    """

    partition: str | None
    location: str
    folders: tuple[ShownFolder, ...]
    compaction: str
    cleaning: str | None = None
    error: str | None = None

    @property
    def bytes_read(self) -> int:
        """The bytes of what is read."""
        return sum(folder.bytes for folder in self.folders if folder.role.is_read)


@dataclass(frozen=True)
class TableFiles:
    """The folders of a table, or of some partitions, at one moment; its `str` is text, and a notebook shows a picture.

    `kind` is `full ACID` or `insert-only`.
    """

    table: TableName
    kind: str
    location: str
    roots: tuple[ShownRoot, ...]

    def __str__(self) -> str:
        from hive_acid_ops.files.text import format_text

        return format_text(self)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        from hive_acid_ops.files.picture import draw

        return draw(self)
