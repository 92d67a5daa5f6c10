"""The storage behind the mounts of viewfs, which need not be HDFS."""

from __future__ import annotations

from collections.abc import Sequence

from hive_acid.errors import build_error
from hive_acid.model.table import TableName
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.writing.output_rules import ATOMIC_SCHEMES, find_scheme

_MOUNTS = "viewfs"


def refuse_mounted(
    files: FileSystem, operation: str, table: TableName, locations: Sequence[str], allow_non_atomic_rename: bool
) -> None:
    """Refuses locations behind a mount on storage whose rename of a folder is not atomic, an object store for one.

    Storage is asked about locations of viewfs alone. A folder that is missing passes. Raises
    HIVE_ACID_UNSUPPORTED_TABLE.MOUNTED_STORAGE.
    """
    mounted = [location for location in locations if find_scheme(location) == _MOUNTS]
    if allow_non_atomic_rename or not mounted:
        return
    there = [location for location in mounted if files.exists(location)]
    for home in files.homes(there) if there else ():
        scheme = find_scheme(home.partition("|")[0])  # a home begins with the address of its file system
        if scheme not in ATOMIC_SCHEMES:
            condition = "HIVE_ACID_UNSUPPORTED_TABLE.MOUNTED_STORAGE"
            raise build_error(condition, operation=operation, table=table, scheme=scheme)
