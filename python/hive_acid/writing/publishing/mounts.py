"""The storage behind the mounts of viewfs, which need not be HDFS."""

from __future__ import annotations

from collections.abc import Sequence

from hive_acid.errors import build_error
from hive_acid.model.table import TableName
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.writing.publishing.output_rules import ATOMIC_SCHEMES, find_scheme

_MOUNTS = "viewfs"


def refuse_mounted(
    files: FileSystem, operation: str, table: TableName, locations: Sequence[str], allow_non_atomic_rename: bool
) -> None:
    """Refuses locations behind a mount on storage whose rename of a folder is not atomic, an object store for one.

    Storage is asked about locations of viewfs alone. A folder that is missing passes. Raises
    HIVE_ACID_UNSUPPORTED_TABLE.MOUNTED_STORAGE.
    """
    if allow_non_atomic_rename:
        return
    for scheme in find_mounted_schemes(files, locations):
        if scheme not in ATOMIC_SCHEMES:
            condition = "HIVE_ACID_UNSUPPORTED_TABLE.MOUNTED_STORAGE"
            raise build_error(condition, operation=operation, table=table, scheme=scheme)


def find_mounted_schemes(files: FileSystem, locations: Sequence[str]) -> list[str]:
    """The schemes of the storage behind those locations that are mounts; a folder that is missing has none."""
    there = [location for location in locations if find_scheme(location) == _MOUNTS and files.exists(location)]
    homes = files.homes(there) if there else ()
    return [find_scheme(home.partition("|")[0]) for home in homes]  # which begins with the address of a file system
