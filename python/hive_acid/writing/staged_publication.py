"""From staging to the table: whole folders, renamed by the driver."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hive_acid.older_python import add_note
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.wire.write_spec import OutputJob
from hive_acid.writing.engine import WriteResult
from hive_acid.writing.publication import Markers, Owner, Publication


class StagedPublication(Publication):
    """Files are written into staging and come from there by a rename of each folder, which must be atomic."""

    def __init__(self, file_system: FileSystem, location: str, markers: Markers) -> None:
        super().__init__(file_system, location, markers)
        self._renamed: list[tuple[str, str]] = []

    def begin(self, _: Callable[[], Mapping[str, str]]) -> OutputJob:
        return OutputJob()

    def publish(self, owner: Owner, result: WriteResult, locations: Mapping[str, str], note: str | None = None) -> None:
        renames = [
            (f"{self.staging}/{folder.staged_path}", self._place(folder, locations)) for folder in result.folders
        ]
        for folder, name, content in self._markers.build(result, note):
            self._file_system.write_text(f"{self.staging}/{folder.staged_path}/{name}", content)
        owner.confirm()
        for staged, final in renames:
            owner.ensure_active()
            self._renamed.append((staged, final))
            self._file_system.rename(staged, final)
        self.remove_staging()

    def remove_staging(self) -> None:
        self._file_system.delete_tree(self.staging)

    def undo(self, error: BaseException) -> None:
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
