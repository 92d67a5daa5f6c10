"""The files of a table as they lie on disk: sizes, and whether values are still in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import orc

from peers.avro import read_plain

_ORC, _PARQUET = b"ORC", b"PAR1"
_BATCH_ROWS = 1 << 18
_NAME = re.compile(rb"[0-9a-f]{12}(?=@)")
"""The part of an address that names someone; bounds of columns are cut off behind it."""


@dataclass(frozen=True)
class Remains:
    """The rows of a table's files that still name someone, and how many people other files, such as logs, spell out."""

    rows: int
    texts: int


def list_sizes(root: Path) -> Mapping[str, int]:
    """Path → bytes of every file below the folder but the checksums that Hadoop's local file system keeps."""
    found = {}
    for path in root.rglob("*"):
        if path.is_file() and not (path.name.startswith(".") and path.name.endswith(".crc")):
            found[str(path)] = path.stat().st_size
    return found


def find_remains(root: Path, column: str, values: Iterable[str]) -> Remains:
    """Searches every file, whatever the table's metadata say of it."""
    wanted = pa.array(sorted(values))
    names = {value.as_py().partition("@")[0].encode() for value in wanted}
    rows = 0
    texts: set[bytes] = set()
    for name in list_sizes(root):
        path = Path(name)
        batches = _read_column(path, column)
        if batches is None:
            texts |= names.intersection(_NAME.findall(read_plain(path)))
        else:
            rows += sum(int(pc.sum(pc.is_in(batch, value_set=wanted)).as_py() or 0) for batch in batches)
    return Remains(rows, len(texts))


def _read_column(path: Path, column: str) -> Iterator[Any] | None:
    """The column in parts; None for a file that is neither ORC nor Parquet. A file without the column has no part."""
    with path.open("rb") as file:
        magic = file.read(4)
    if magic[:3] == _ORC:
        return _read_orc(path, column)
    return _read_parquet(path, column) if magic == _PARQUET else None


def _read_orc(path: Path, column: str) -> Iterator[Any]:
    """ACID files keep the columns of a table in `row`."""
    file = orc.ORCFile(path)
    is_acid = "row" in file.schema.names
    for stripe in range(file.nstripes):
        batch = file.read_stripe(stripe, columns=[f"row.{column}" if is_acid else column])
        yield pc.struct_field(batch.column("row"), column) if is_acid else batch.column(column)


def _read_parquet(path: Path, column: str) -> Iterator[Any]:
    file = pq.ParquetFile(path)
    if column in file.schema_arrow.names:
        for batch in file.iter_batches(_BATCH_ROWS, columns=[column]):
            yield batch.column(0)
