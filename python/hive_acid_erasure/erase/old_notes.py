"""The notes of the history that were written before, and name subjects: an erasure masks them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from typing import Any

from hive_acid.api.conditions import StorageError
from hive_acid.api.files import HISTORY_FILE, MAX_HISTORY_BYTES, STAGING_PREFIX, HistoryFile, WriteNote
from hive_acid.api.storage import FileSystem
from hive_acid_erasure.engine import PhysicalFile
from hive_acid_erasure.subjects.spotting import Spotter

_ASIDE = f"{STAGING_PREFIX}note-of-"
"""Before the name of a folder, that of another one beside it, in which its note is made."""


@dataclass(frozen=True)
class OldNotes:
    """Notes of one table. No other engine reads them, and each is replaced as a whole."""

    file_system: FileSystem
    spotter: Spotter
    tell: Callable[[str], None]

    def mask(self, files: tuple[PhysicalFile, ...]) -> None:
        """Masks the subjects in the notes among these files; leaves what is none of ours, or went meanwhile."""
        notes = [file.path for file in files if _is_note(file)]
        halves = [path for path in notes if path.split("/")[-2].startswith(_ASIDE)]
        for path in halves:
            self._go_on(path)
        for path in notes:
            if path not in halves:
                self._mask(path)

    def _go_on(self, path: str) -> None:
        """Puts in place what a run has made that was killed, if it had taken the old note away."""
        aside = path.rpartition("/")[0]
        parent, _, name = aside.rpartition("/")
        target = f"{parent}/{name.removeprefix(_ASIDE)}/{HISTORY_FILE}"
        with suppress(StorageError):
            if not self.file_system.exists(target):
                self.file_system.rename(path, target)
        with suppress(StorageError):
            self.file_system.delete_tree(aside)

    def _mask(self, path: str) -> None:
        try:
            text = self.file_system.read_text(path)
            if self.spotter.count(text):
                self._replace(path, self._mask_text(text))
                self.tell(f"note: {self.spotter.mask(path)}")
        except (StorageError, ValueError):
            return  # the search for the subjects reads it as well, and tells

    def _mask_text(self, text: str) -> str:
        file = HistoryFile.parse(text)
        compaction = None if file.compaction is None else self._mask_note(file.compaction)
        return replace(file, notes=tuple(map(self._mask_note, file.notes)), compaction=compaction).format()

    def _mask_note(self, note: WriteNote) -> WriteNote:
        values = ((field.name, getattr(note, field.name)) for field in fields(note))
        masked: dict[str, Any] = {name: self.spotter.mask(text) for name, text in values if isinstance(text, str)}
        return replace(note, **masked)

    def _replace(self, path: str, text: str) -> None:
        """A kill leaves the old note or the new one, if not in its place, and never a part of one.

        A folder that the Cleaner removes meanwhile must not come back with a note alone: nothing is written into it,
        and a rename into a folder that is gone fails.
        """
        folder = path.rpartition("/")[0]
        parent, _, name = folder.rpartition("/")
        aside = f"{parent}/{_ASIDE}{name}"
        self.file_system.write_text(f"{aside}/{HISTORY_FILE}", text)
        if self.file_system.exists(path):
            self.file_system.delete_tree(path)
            self.file_system.rename(f"{aside}/{HISTORY_FILE}", path)
        self.file_system.delete_tree(aside)


def _is_note(file: PhysicalFile) -> bool:
    return file.path.rpartition("/")[2] == HISTORY_FILE and file.length_bytes <= MAX_HISTORY_BYTES
