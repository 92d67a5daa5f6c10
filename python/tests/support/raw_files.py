"""ORC files without ACID columns, as they are in a table before it becomes transactional."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
from pyarrow import orc

Row = tuple[int, str]

ORIGINALS = {
    "000000_0": 10,
    "000000_0_copy_1": 5,
    "000000_0_copy_10": 4,
    "000000_0_copy_2": 3,
    "000001_0": 2,
    "000001_1": 6,
    "000000_123456789012345678901234": 7,  # as Trino names them
    "HIVE_UNION_SUBDIR_1/000000_0": 3,
    "HIVE_UNION_SUBDIR_15/000000_0": 2,
    "HIVE_UNION_SUBDIR_2/000000_0": 4,
    "a/b/000000_0": 3,
    "x y/000001_0": 2,
    "x!y/000001_0": 3,
    "x-/000001_0": 2,
    "000005_0": 0,
}
"""Every kind of name Hive takes, and how many rows the file has; 0: it has not even a byte."""


def write_raw_file(path: Path, first: int, rows: int) -> None:
    """Writes rows `(id, name)` with the IDs from `first`; an empty file, which is no ORC file, for no rows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not rows:
        path.touch()
        return
    ids = range(first, first + rows)
    table = pa.table({"id": pa.array(ids, pa.int32()), "name": [f"name {i}" for i in ids]})
    orc.write_table(table, path, compression="zlib")


def write_raw_files(root: Path, files: Mapping[str, int]) -> list[Row]:
    """Writes them below `root`, with IDs that go on from file to file; returns all rows."""
    first = 0
    for name, rows in files.items():
        write_raw_file(root / name, first, rows)
        first += rows
    return [(i, f"name {i}") for i in range(first)]
