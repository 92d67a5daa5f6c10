"""Removed files that the metastore keeps for replicas: its change management (ReplChangeManager of Hive 3.1 and 4.x).

With `hive.repl.cm.enabled` the Cleaner moves what it would remove from a database with the property `repl.source.for`
into one folder of all tables, by names that tell neither table nor partition, for `hive.repl.cm.retain`. Files of a
database that has lost the property stay there as well, so that it is not asked for. The attribute `user.original-loc`
of a file there tells one of several files with the same content, so that it excuses none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from hive_acid.api.conditions import HiveAcidError
from hive_acid.api.settings import parse_duration_ms
from hive_acid.api.storage import FileSystem
from hive_acid.api.tables import TableName
from hive_acid_erasure.engine import PhysicalFile
from hive_acid_erasure.subjects.spotting import Spotter
from hive_acid_erasure.times import show_ms
from hive_acid_erasure.verify.file_search import SearchedFile
from hive_acid_erasure.verify.places import Place, PlaceKind, split_location

_ENABLED, _FOLDER, _RETAIN = "repl.cm.enabled", "repl.cmrootdir", "repl.cm.retain"
_FOLDERS_BESIDE = "repl.cm.nonencryptionzone.rootdir"
_FOLDER_OF_ZONES = "repl.cm.encryptionzone.rootdir"


@dataclass(frozen=True)
class KeptFiles:
    """How the metastore keeps removed files. `folders` are as its settings spell them, `zone_folder` relative to zones.

    `retain_ms`: how long, None if that cannot be told.
    """

    is_on: bool
    folders: tuple[str, ...]
    zone_folder: str
    retain_ms: int | None

    @classmethod
    def of_server(cls, config_value: Callable[[str, str], str]) -> KeptFiles:
        """The settings of the metastore tell."""

        def ask(name: str) -> str:
            return config_value(f"metastore.{name}", config_value(f"hive.{name}", "")).strip()

        folders = tuple(folder for folder in (ask(_FOLDER), ask(_FOLDERS_BESIDE)) if folder)
        is_on = ask(_ENABLED).lower() == "true"
        return cls(is_on, folders, ask(_FOLDER_OF_ZONES).strip("/"), _parse_retention(ask(_RETAIN)))

    def find_folders(self, locations: Sequence[str]) -> tuple[str, ...]:
        """The folders where files from these locations may lie.

        A folder without a file system is one of the location's, for the metastore moves files by renames. That of an
        encryption zone lies at its root, which is some parent of the location.
        """
        found = dict[str, None]()
        for location in locations:
            system, path = split_location(location)
            told = [folder.rstrip("/") for folder in self.folders if _is_told(folder)]
            found.update((folder if urlsplit(folder).scheme else f"{system}{folder}", None) for folder in told)
            if self.is_on and self.zone_folder:
                found.update((f"{system}{parent}/{self.zone_folder}", None) for parent in _find_parents(path))
        return tuple(found)

    def list_files(self, file_system: FileSystem, locations: Sequence[str]) -> tuple[PhysicalFile, ...]:
        """The files in these folders; none if they cannot be listed."""
        try:
            return _list_files(file_system, self.find_folders(locations))
        except HiveAcidError:
            return ()

    def explain(self, found: SearchedFile, locations: Sequence[str]) -> SearchedFile:
        """The result of a file; for one in these folders with when it goes, and that no compaction removes it."""
        path = found.source.path
        if not any(path.startswith(f"{folder}/") for folder in self.find_folders(locations)):
            return found
        places = tuple(self._explain(place, found.source) for place in found.places)
        return replace(found, places=places)

    def find_unlisted(
        self, file_system: FileSystem, where: TableName, locations: Sequence[str], spotter: Spotter
    ) -> Iterator[Place]:
        """Places for folders that nobody can look into, while files are moved there."""
        if not self.is_on:
            return
        cure = f"the metastore keeps removed files there {self._say_how_long()} (hive.repl.cm.enabled)"
        for folder in self.folders or ("hive.repl.cmrootdir",):
            if not _is_told(folder):
                detail = f"which folder this is cannot be told: have it named by its whole path; {cure}"
                yield Place(PlaceKind.KEPT_FOR_REPLICAS, spotter.mask(folder), detail)
        try:
            _list_files(file_system, self.find_folders(locations))
        except HiveAcidError as error:
            detail = f"it cannot be listed: {spotter.mask(str(error))}; {cure}"
            yield Place(PlaceKind.KEPT_FOR_REPLICAS, str(where), detail)

    def _explain(self, place: Place, file: PhysicalFile) -> Place:
        if not self.is_on:
            until = "which nobody empties while hive.repl.cm.enabled is false: remove the file"
        elif self.retain_ms is None:
            until = "until hive.repl.cm.retain is over"
        else:
            until = f"until {show_ms(file.modified_ms + self.retain_ms)} or a little later (hive.repl.cm.retain)"
        detail = f"{place.detail}; it lies in the metastore's folder of removed files, {until}"
        return replace(place, kind=PlaceKind.KEPT_FOR_REPLICAS, detail=detail)

    def _say_how_long(self) -> str:
        return "for a time" if self.retain_ms is None else f"for {self.retain_ms // 3_600_000} hours"


def _is_told(folder: str) -> bool:
    """False for one that depends on the metastore's user: by a variable, or below their home."""
    return "${" not in folder and (folder.startswith("/") or bool(urlsplit(folder).scheme))


def _list_files(file_system: FileSystem, folders: Sequence[str]) -> tuple[PhysicalFile, ...]:
    return tuple(
        PhysicalFile(listing.absolute_path(file.relative_path), file.length_bytes, file.modified_ms)
        for listing in (file_system.list_all(folders) if folders else ())
        for file in listing.files
    )


def _parse_retention(text: str) -> int | None:
    """A bare number is hours (MetastoreConf.ConfVars.REPLCMRETIAN)."""
    try:
        return parse_duration_ms(f"{text}h" if text.isdecimal() else text)
    except ValueError:
        return None


def _find_parents(path: str) -> Iterator[str]:
    while path:
        yield path
        path = path.rpartition("/")[0]
    yield ""
