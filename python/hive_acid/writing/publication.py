"""From staging to the table: whole folders, renamed by the driver, before the commit makes them visible."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
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
from hive_acid.writing.engine import WriteResult


class Owner(Protocol):
    """The transaction that publishes."""

    def confirm(self) -> None:
        """Raises if it has ended, as the metastore says."""
        ...

    def ensure_active(self) -> None:
        """Raises if it has ended, as far as is known."""
        ...


class Publication:
    """The folders of one transaction in one table and its partitions.

    `has_version_file`: whether each gets the marker of ACID files, which those of insert-only tables are not.
    `base_marker`: name and content of the file by which a base is told apart, our mark of an overwrite if it is not
    given; `marks_bases`: whether it gets one.
    """

    def __init__(
        self,
        file_system: FileSystem,
        location: str,
        txn_id: int,
        has_version_file: bool = True,
        base_marker: tuple[str, str] | None = None,
        marks_bases: bool = True,
    ) -> None:
        self._file_system = file_system
        self._location = location.rstrip("/")
        self._has_version_file = has_version_file
        self._marks_bases = marks_bases
        self._base_marker = base_marker or (OVERWRITE_FILE, str(txn_id))
        self._renamed: list[tuple[str, str]] = []
        self.staging = f"{self._location}/{STAGING_PREFIX}{txn_id}-{uuid.uuid4().hex[:8]}"

    def make_folders(self, locations: Iterable[str]) -> None:
        """Makes the folders of partitions, before the metastore does so as another user. Raises HIVE_ACID_STORAGE."""
        for location in sorted(set(locations)):
            self._file_system.make_folder(location)

    def publish(self, owner: Owner, result: WriteResult, locations: Mapping[str, str], note: str | None = None) -> None:
        """Puts the version file into each staged folder and renames it into place; staging is gone then.

        Raises HIVE_ACID_STORAGE, and if `owner` has ended what it raises: nothing is renamed then. `locations` has the
        folder of each partition of the result. The `note` for the history lies in the first folder by partition and
        name, and so comes and goes with what it tells of.
        """
        noted = min(result.folders, key=lambda folder: (folder.partition, folder.name), default=None)
        renames = []
        for folder in result.folders:
            location = locations[folder.partition].rstrip("/") if folder.partition else self._location
            staged, final = f"{self.staging}/{folder.staged_path}", f"{location}/{folder.name}"
            renames.append((staged, final))
            if self._has_version_file:
                self._file_system.write_text(f"{staged}/{VERSION_FILE}", VERSION_FILE_CONTENT)
            if self._marks_bases and is_base(folder.name):
                name, content = self._base_marker
                self._file_system.write_text(f"{staged}/{name}", content)
            if folder is noted and note is not None:
                self._file_system.write_text(f"{staged}/{HISTORY_FILE}", note)
        owner.confirm()
        for staged, final in renames:
            owner.ensure_active()
            self._renamed.append((staged, final))
            self._file_system.rename(staged, final)
        self.remove_staging()

    def remove_staging(self) -> None:
        """Removes what the job left behind."""
        self._file_system.delete_tree(self.staging)

    def undo(self, error: BaseException) -> None:
        """Removes staging and what was renamed; only for a transaction that is certain not to be committed.

        A folder that cannot be removed is harmless, for its write ID is aborted; it is named in a note on `error`.
        """
        for staged, final in self._renamed:
            try:
                # a rename that failed, or was interrupted, may have happened: then nothing is left where it began
                if not self._file_system.exists(staged):
                    self._file_system.delete_tree(final)
            except Exception as second:  # noqa: BLE001 (the first error is what counts)
                add_note(error, f"{final} was left behind (no reader sees it): {second}")
        try:
            self.remove_staging()
        except Exception as second:  # noqa: BLE001 (the first error is what counts)
            add_note(error, f"{self.staging} was left behind (no reader sees it): {second}")
