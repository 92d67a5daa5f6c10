"""From staging to the table: whole folders, renamed by the driver, or copied to where a rename does not lead."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial

from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.wire.write_spec import OutputJob, WriteResult
from hive_acid.writing.publishing.moves import Move, plan_moves
from hive_acid.writing.publishing.publication import Markers, Owner, Publication


class StagedPublication(Publication):
    """Files are written into staging and come from there by a rename of each folder, which must be atomic."""

    def __init__(self, file_system: FileSystem, location: str, markers: Markers) -> None:
        super().__init__(file_system, location, markers)
        self._renamed: list[tuple[str, str]] = []
        self._hidden: set[str] = set()

    def begin(self, _: Callable[[], Mapping[str, str]]) -> OutputJob:
        return OutputJob()

    def publish(self, owner: Owner, result: WriteResult, locations: Mapping[str, str], note: str | None = None) -> None:
        moves = plan_moves(result, self._location, self.staging, locations, self._find_homes(locations))
        for folder, name, content in self._markers.build(result, note):
            self._file_system.write_text(f"{self.staging}/{folder.staged_path}/{name}", content)
        self._copy(owner, moves)
        owner.confirm()
        for move in moves:
            owner.ensure_active()
            self._renamed.append((move.renamed, move.final))
            self._file_system.rename(move.renamed, move.final)
        self.remove_staging()

    def _find_homes(self, locations: Mapping[str, str]) -> dict[str, str]:
        """The home of each folder; none in a flat table, which is staged where it lies."""
        if not locations:
            return {}
        folders = [self._location, *sorted({location.rstrip("/") for location in locations.values()})]
        return dict(zip(folders, self._file_system.homes(folders), strict=True))

    def _copy(self, owner: Owner, moves: Iterable[Move]) -> None:
        """Before anything can be seen: it may take long."""
        for move in moves:
            if move.copied is not None and move.hidden_folder is not None:
                owner.ensure_active()
                self._hidden.add(move.hidden_folder)
                self._file_system.copy_tree(move.staged, move.copied)

    def remove_staging(self) -> None:
        for folder in (self.staging, *sorted(self._hidden)):
            self._file_system.delete_tree(folder)

    def undo(self, error: BaseException) -> None:
        for staged, final in self._renamed:
            self._remove(error, final, partial(self._take_back, staged, final))
        for folder in (self.staging, *sorted(self._hidden)):
            self._remove(error, folder, partial(self._file_system.delete_tree, folder))

    def _take_back(self, staged: str, final: str) -> None:
        """A rename that failed, or was interrupted, may have happened: then nothing is left where it began."""
        if not self._file_system.exists(staged):
            self._file_system.delete_tree(final)
