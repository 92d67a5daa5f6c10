"""How the folders of a statement get to where they are seen: by the driver, before the commit makes them visible."""

from __future__ import annotations

import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from hive_acid.model.names import (
    HISTORY_FILE,
    OVERWRITE_FILE,
    STAGING_PREFIX,
    VERSION_FILE,
    VERSION_FILE_CONTENT,
    is_base,
)
from hive_acid.older_python import add_note
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.wire.write_spec import OutputJob, WriteResult, WrittenFolder


class Owner(Protocol):
    """The transaction that publishes."""

    @property
    def txn_id(self) -> int: ...

    def confirm(self) -> None:
        """Raises if it has ended, as the metastore says."""
        ...

    def ensure_active(self) -> None:
        """Raises if it has ended, as far as is known."""
        ...


@dataclass(frozen=True)
class Markers:
    """The hidden files of the folders of a transaction.

    `has_version_file`: whether each gets the marker of ACID files, which those of insert-only tables are not.
    `base_marker`: name and content of the file by which a base is told apart, our mark of an overwrite if it is not
    given; `marks_bases`: whether it gets one.
    """

    txn_id: int
    has_version_file: bool = True
    base_marker: tuple[str, str] | None = None
    marks_bases: bool = True

    def build(self, result: WriteResult, note: str | None) -> Iterator[tuple[WrittenFolder, str, str]]:
        """Name and content of each, with its folder.

        The `note` for the history lies in the first folder by partition and name, and so comes and goes with what it
        tells of.
        """
        noted = min(result.folders, key=lambda folder: (folder.partition, folder.name), default=None)
        for folder in result.folders:
            if self.has_version_file:
                yield folder, VERSION_FILE, VERSION_FILE_CONTENT
            if self.marks_bases and is_base(folder.name):
                yield folder, *(self.base_marker or (OVERWRITE_FILE, str(self.txn_id)))
            if folder is noted and note is not None:
                yield folder, HISTORY_FILE, note


class Publication(ABC):
    """The folders of one statement of a transaction in one table and its partitions, or of a compaction in one place.

    `staging` is a hidden folder that the job may fill.
    """

    def __init__(self, file_system: FileSystem, location: str, markers: Markers) -> None:
        self._file_system = file_system
        self._location = location.rstrip("/")
        self._markers = markers
        self._id = f"{markers.txn_id}-{uuid.uuid4().hex[:8]}"
        self.staging = f"{self._location}/{STAGING_PREFIX}{self._id}"

    @abstractmethod
    def begin(self, find_elsewhere: Callable[[], Mapping[str, str]]) -> OutputJob:
        """Prepares the job; what it must be told. `find_elsewhere` gives partitions that lie elsewhere, by name.

        Raises HIVE_ACID_STORAGE, and HIVE_ACID_CONFIGURATION if storage cannot be written to as it must be.
        """

    def make_folders(self, locations: Iterable[str]) -> None:
        """Makes the folders of partitions, before the metastore does so as another user. Raises HIVE_ACID_STORAGE."""
        for location in sorted(set(locations)):
            self._file_system.make_folder(location)

    @abstractmethod
    def publish(self, owner: Owner, result: WriteResult, locations: Mapping[str, str], note: str | None = None) -> None:
        """Puts the folders in place, with their markers; nothing else of the job is left then.

        Raises HIVE_ACID_STORAGE, and if `owner` has ended what it raises: nothing is put in place then. `locations` has
        the folder of each partition of the result.
        """

    @abstractmethod
    def remove_staging(self) -> None:
        """Removes what the job left behind."""

    @abstractmethod
    def undo(self, error: BaseException) -> None:
        """Removes staging and what was put in place; only for a transaction that is certain not to be committed.

        A folder that cannot be removed is harmless, for its write ID is aborted; it is named in a note on `error`.
        """

    @staticmethod
    def _remove(error: BaseException, left: str, remove: Callable[[], None]) -> None:
        """Part of `undo`: the first error is what counts, another one is named in its notes."""
        try:
            remove()
        except Exception as second:  # noqa: BLE001
            add_note(error, f"{left} was left behind (no reader sees it): {second}")

    def _place(self, folder: WrittenFolder, locations: Mapping[str, str]) -> str:
        """The path at which the folder is seen."""
        location = locations[folder.partition].rstrip("/") if folder.partition else self._location
        return f"{location}/{folder.name}"
