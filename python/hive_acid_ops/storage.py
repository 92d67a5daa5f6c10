"""Storage reached without a JVM, by pyarrow's file systems."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, Final

from pyarrow import fs

from hive_acid.api.conditions import build_error
from hive_acid.api.files import is_hidden
from hive_acid.api.storage import FileSystem, FileVersion, ListedFile, Listing, PendingUpload

_PATH: Final = re.compile(r"(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?://([^/]*))?(/.*)", re.DOTALL)
"""Scheme, authority and path, as Hadoop writes them: nothing in them is escaped."""
_LOCAL: Final = ("", "file")
_BUCKETS: Final = frozenset(("s3", "s3a", "s3n"))
_UPLOADS: Final = "pyarrow does not list uploads that have begun and not ended"


def find_file_system(scheme: str, authority: str) -> fs.FileSystem:
    """The file system of locations with this scheme and authority.

    HDFS is reached by libhdfs, as HADOOP_HOME and CLASSPATH name it, and S3 as Amazon's own tools reach it: by
    AWS_ENDPOINT_URL, AWS_ACCESS_KEY_ID and so on. Raises OSError if that fails, ValueError where there is no such way.
    """
    if scheme in _LOCAL:
        return fs.LocalFileSystem()
    if scheme == "hdfs":
        host, _, port = authority.partition(":")
        return fs.HadoopFileSystem(host or "default", int(port or 0))
    if scheme in _BUCKETS:
        return fs.S3FileSystem()
    raise ValueError(f"pyarrow has no way to {scheme}: here")


class ArrowStorage:
    """The part of a `FileSystem` by which tables are looked at, and what is left over is removed.

    A failure elsewhere than on this machine's own disk raises HIVE_ACID_CONFIGURATION.NEEDS_SPARK, and so does every
    other method of a `FileSystem`.
    """

    tasks_see_local_files = True

    def __init__(self, find: Callable[[str, str], fs.FileSystem] = find_file_system) -> None:
        self._find = cache(find)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        raise _needs_spark("the table", f"pyarrow has no {name}")

    def list_trees(self, roots: Sequence[str]) -> list[Listing]:
        return [self._list(root, with_hidden=False) for root in roots]

    def list_all(self, roots: Sequence[str]) -> list[Listing]:
        return [self._list(root, with_hidden=True) for root in roots]

    def hidden_folders(self, roots: Sequence[str]) -> list[str]:
        found = ((root, info) for root in roots for info in self._below(root, recursive=False))
        hidden = (f"{root.rstrip('/')}/{info.base_name}" for root, info in found if _is_hidden_folder(info))
        return sorted(hidden)

    def pending_uploads(self, roots: Sequence[str]) -> list[PendingUpload]:
        """Only buckets have any."""
        for root in roots:
            if _parse(root)[0] in _BUCKETS:
                raise _needs_spark(root, _UPLOADS)
        return []

    def read_text(self, path: str) -> str:
        return self._read(path).decode()

    def read_bytes(self, path: str) -> bytes | None:
        return self._read(path) if self.exists(path) else None

    def _read(self, path: str) -> bytes:
        with self._reaching(path, "reading") as (system, there), system.open_input_stream(there) as stream:
            content: bytes = stream.read()
            return content

    def exists(self, path: str) -> bool:
        with self._reaching(path, "looking") as (system, there):
            return bool(system.get_file_info(there).type != fs.FileType.NotFound)

    def row_counts(self, table: str, files: Sequence[FileVersion]) -> list[int]:
        return [self._count_rows(table, file.path) for file in files]

    def _count_rows(self, table: str, path: str) -> int:
        from pyarrow import orc

        with self._reaching(path, "counting rows") as (system, there):
            if system.get_file_info(there).type == fs.FileType.NotFound:
                raise build_error("HIVE_ACID_SNAPSHOT_UNAVAILABLE", table=table, reason=f"{path} is gone")
            with system.open_input_file(there) as file:
                try:
                    return int(orc.ORCFile(file).nrows)
                except OSError as error:
                    if error.errno is not None or "AWS Error" in str(error):  # storage failed, not the file
                        raise
                    found = {"path": path, "table": table, "detail": error}
                    raise build_error("HIVE_ACID_CORRUPT_FILE.UNREADABLE", **found) from error

    def delete_tree(self, path: str) -> None:
        with self._reaching(path, "removing") as (system, there):
            kind = system.get_file_info(there).type
            if kind == fs.FileType.Directory:
                system.delete_dir(there)
            elif kind != fs.FileType.NotFound:
                system.delete_file(there)

    def _list(self, root: str, *, with_hidden: bool) -> Listing:
        with self._reaching(root, "looking") as (system, there):
            start = len(there.rstrip("/")) + 1
            if system.get_file_info(there).type == fs.FileType.NotFound:
                return Listing(root, exists=False)
        files, folders = [], []
        for info in self._below(root, recursive=True):
            path = info.path[start:]
            *parents, name = path.split("/")
            if with_hidden or not any(map(is_hidden, parents)):
                if info.type == fs.FileType.File:
                    files.append(ListedFile(path, info.size or 0, (info.mtime_ns or 0) // 1_000_000))
                elif with_hidden or not is_hidden(name):
                    folders.append(path)
        return Listing(root, tuple(sorted(files, key=lambda file: file.relative_path)), tuple(sorted(folders)))

    def _below(self, root: str, *, recursive: bool) -> Sequence[Any]:
        with self._reaching(root, "listing files") as (system, there):
            found: Sequence[Any] = system.get_file_info(
                fs.FileSelector(there, recursive=recursive, allow_not_found=True)
            )
            return found

    @contextmanager
    def _reaching(self, path: str, action: str) -> Iterator[tuple[fs.FileSystem, str]]:
        """The file system of a path, and the path in it. An error within the block is named."""
        scheme, authority, rest = _parse(path)
        try:
            yield self._find(scheme, authority), authority + rest if scheme in _BUCKETS else rest
        except PermissionError as error:
            raise build_error("HIVE_ACID_STORAGE_DENIED", path=path, action=action, reason=error) from error
        except (OSError, ValueError) as error:
            if scheme in _LOCAL:
                raise build_error("HIVE_ACID_STORAGE", path=path, action=action, reason=error) from error
            raise _needs_spark(path, str(error).partition("\n")[0]) from error


def open_storage() -> FileSystem:
    """Storage as far as no JVM is needed for it."""
    storage: Any = ArrowStorage()
    found: FileSystem = storage
    return found


def _parse(path: str) -> tuple[str, str, str]:
    match = _PATH.fullmatch(path)
    if match is None:
        raise build_error("HIVE_ACID_STORAGE", path=path, action="looking", reason="it is no absolute path")
    scheme, authority, rest = match.groups(default="")
    return scheme.lower(), authority, rest


def _is_hidden_folder(info: Any) -> bool:
    return bool(info.type == fs.FileType.Directory and is_hidden(info.base_name))


def _needs_spark(path: str, reason: str) -> Exception:
    return build_error("HIVE_ACID_CONFIGURATION.NEEDS_SPARK", path=path, reason=reason)
