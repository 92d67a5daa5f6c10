"""Files kept in memory, for tests of everything above the FileSystem protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hive_acid.errors import HiveAcidError, build_error
from hive_acid.model.names import is_hidden
from hive_acid.snapshot.filesystem import ListedFile, Listing
from hive_acid.wire.storage import FileVersion
from support.memory_committer import MemoryCommitter


class MemoryFileSystem(MemoryCommitter):
    """A FileSystem over dictionaries. `calls` records the name of each method called, in order."""

    tasks_see_local_files = True

    def __init__(self) -> None:
        super().__init__()
        self.files: dict[str, ListedFile] = {}
        self.texts: dict[str, str] = {}
        self.bytes: dict[str, bytes] = {}
        self.rows: dict[str, int] = {}
        self.folders: set[str] = {"/"}
        self.denied: set[str] = set()
        self.zones: dict[str, str] = {}
        self.trash: dict[str, str] = {}

    def add_file(self, path: str, length_bytes: int = 100, modified_ms: int = 1, text: str | None = None) -> None:
        """A file with its parent folders."""
        self._add_folders(path.rpartition("/")[0])
        self.files[path] = ListedFile(path, length_bytes, modified_ms)
        self.texts[path] = text or ""

    def list_trees(self, roots: Sequence[str]) -> list[Listing]:
        self.calls.append("list_trees")
        return [self._listing(root) for root in roots]

    def list_all(self, roots: Sequence[str]) -> list[Listing]:
        self.calls.append("list_all")
        return [self._listing(root, with_hidden=True) for root in roots]

    def hidden_folders(self, roots: Sequence[str]) -> list[str]:
        self.calls.append("hidden_folders")
        parents = {root.rstrip("/") for root in roots}
        split = [path.rpartition("/") for path in self.folders]
        return sorted(f"{parent}/{name}" for parent, _, name in split if parent in parents and is_hidden(name))

    def read_text(self, path: str) -> str:
        self.calls.append("read_text")
        if path not in self.files:
            raise _error(path, "reading", "no such file")
        return self.texts[path]

    def read_bytes(self, path: str) -> bytes | None:
        """What `bytes` holds for the path, else its text; None of a file that is not there."""
        self.calls.append("read_bytes")
        return self.bytes.get(path, self.texts[path].encode()) if path in self.files else None

    def read_range(self, path: str, start: int, length_bytes: int) -> bytes:
        """As `read_bytes`. A missing file is an error."""
        self.calls.append("read_range")
        if path not in self.files:
            raise _error(path, "reading", "no such file")
        return self.bytes.get(path, b"")[start : start + length_bytes]

    def row_counts(self, table: str, files: Sequence[FileVersion]) -> list[int]:
        """What `rows` holds for each path, none by default."""
        self.calls.append("row_counts")
        return [self.rows.get(file.path, 0) for file in files]

    def exists(self, path: str) -> bool:
        self.calls.append("exists")
        return path in self.files or path in self.folders

    def checksums(self, paths: Sequence[str]) -> list[str]:
        self.calls.append("checksums")
        return [f"sum of {path.rpartition('/')[2]}" for path in paths]

    def tells_rights(self, path: str) -> bool:
        self.calls.append("tells_rights")
        return bool(self.denied)

    def closed(self, paths: Sequence[str]) -> Mapping[str, str]:
        """The folders in `denied`."""
        self.calls.append("closed")
        return {path: "it is another's" for path in paths if path in self.denied}

    def homes(self, paths: Sequence[str]) -> list[str]:
        """What `zones` says of the longest folder that holds the path."""
        self.calls.append("homes")
        return [self._zone(path) for path in paths]

    def _zone(self, path: str) -> str:
        found = [zone for zone in self.zones if f"{path}/".startswith(f"{zone}/")]
        return self.zones[max(found, key=len)] if found else ""

    def trash_roots(self, paths: Sequence[str]) -> list[str]:
        """What `trash` has for a folder that holds the path, and `/homes/ada/.Trash`."""
        self.calls.append("trash_roots")
        zones = [self.trash[zone] for zone in self.trash for path in paths if f"{path}/".startswith(f"{zone}/")]
        return list(dict.fromkeys((*zones, "/homes/ada/.Trash")))

    def copy_tree(self, source: str, target: str) -> None:
        self.calls.append("copy_tree")
        self._add_folders(target)
        for path in [path for path in self.files if path.startswith(source + "/")]:
            file = self.files[path]
            self.add_file(target + path[len(source) :], file.length_bytes, file.modified_ms, self.texts[path])

    def make_folder(self, path: str) -> None:
        self.calls.append("make_folder")
        self._add_folders(path)

    def write_text(self, path: str, text: str) -> None:
        self.calls.append("write_text")
        if path in self.folders:
            raise _error(path, "writing", "it is a folder")
        self.add_file(path, len(text.encode()), text=text)

    def rename(self, source: str, target: str) -> None:
        self.calls.append("rename")
        if target in self.files or target in self.folders:
            raise _error(target, "renaming", "the target exists")
        if source not in self.files and source not in self.folders:
            raise _error(source, "renaming", "no such file or folder")
        if self._zone(source) != self._zone(target):
            raise _error(target, "renaming", "the target lies in another zone")
        if target.startswith(source + "/"):
            raise _error(target, "renaming", "the target lies below the source")
        self._add_folders(target.rpartition("/")[0])
        for path in [path for path in self.files if path == source or path.startswith(source + "/")]:
            moved, file = target + path[len(source) :], self.files.pop(path)
            self.files[moved] = ListedFile(moved, file.length_bytes, file.modified_ms)
            self.texts[moved] = self.texts.pop(path)
        for path in [path for path in self.folders if path == source or path.startswith(source + "/")]:
            self.folders.remove(path)
            self.folders.add(target + path[len(source) :])

    def delete_tree(self, path: str) -> None:
        self.calls.append("delete_tree")
        for file in [file for file in self.files if file == path or file.startswith(path + "/")]:
            del self.files[file], self.texts[file]
        self.folders -= {folder for folder in self.folders if folder == path or folder.startswith(path + "/")}

    def _add_folders(self, path: str) -> None:
        while path and path not in self.folders:
            if path in self.files:
                raise _error(path, "making a folder", "it is a file")
            self.folders.add(path)
            path = path.rpartition("/")[0]

    def _listing(self, root: str, *, with_hidden: bool = False) -> Listing:
        base = root.rstrip("/")
        if base in self.files:
            raise _error(root, "listing", "it is a file")
        if base not in self.folders:
            return Listing(root, exists=False)
        folders = [path[len(base) + 1 :] for path in sorted(self.folders) if path.startswith(base + "/")]
        files = [
            ListedFile(path[len(base) + 1 :], file.length_bytes, file.modified_ms)
            for path, file in sorted(self.files.items())
            if path.startswith(base + "/")
        ]
        return Listing(
            root,
            tuple(file for file in files if with_hidden or not _is_in_hidden_folder(file.relative_path)),
            tuple(path for path in folders if with_hidden or not _is_in_hidden_folder(path + "/")),
        )


def _is_in_hidden_folder(path: str) -> bool:
    return any(is_hidden(part) for part in path.split("/")[:-1] if part)


def _error(path: str, action: str, reason: str) -> HiveAcidError:
    return build_error("HIVE_ACID_STORAGE", path=path, action=action, reason=reason)
