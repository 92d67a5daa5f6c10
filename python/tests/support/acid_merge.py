"""The rows of an ACID table by its files: a reader of its own, with PyArrow.

It takes names and lists of write IDs apart with the values of `hive_acid.model`, but chooses folders and merges rows by
itself. What must not be in the files is an AssertionError: rows or events out of order, a row twice, an event without
its row.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

import pyarrow
from pyarrow import orc

from hive_acid.metastore.protocol import Metastore
from hive_acid.model.names import FolderKind, FolderName
from hive_acid.model.table import TableName
from hive_acid.model.write_ids import ValidWriteIdList

Row = dict[str, Hashable]
"""Values by column, as `freeze` leaves them."""
INSERT, DELETE = 0, 2
"""`operation` of a data file's rows and of delete events."""


def freeze(value: object) -> Hashable:
    """A value of a row that PySpark or PyArrow returned, made hashable.

    Sequences and structs are tuples, and a map is the set of its entries.
    """
    if isinstance(value, dict):
        return frozenset((freeze(key), freeze(item)) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return tuple(freeze(item) for item in value)
    if isinstance(value, bytearray):
        return bytes(value)
    assert isinstance(value, Hashable)
    return value


class Identity(NamedTuple):
    """What no two rows below one root share; files are sorted by it."""

    write_id: int
    bucket: int
    row: int


@dataclass(frozen=True)
class Layout:
    """The folders of one root that a reader needs, by name; `root` is the table's or partition's folder."""

    root: Path
    base: FolderName | None
    deltas: tuple[FolderName, ...]
    delete_deltas: tuple[FolderName, ...]

    def files(self, folders: Iterable[FolderName]) -> list[Path]:
        return sorted(file for folder in folders for file in (self.root / folder.format()).glob("bucket_*"))

    @property
    def data_files(self) -> list[Path]:
        """Those of base and deltas."""
        return self.files([*([self.base] if self.base else []), *self.deltas])


def seen_write_ids(client: Metastore, table: TableName) -> ValidWriteIdList:
    """Of a reader that begins now."""
    return client.valid_write_ids([table], client.valid_transactions(0))[table]


def partition_roots(client: Metastore, table: TableName) -> dict[Path, str | None]:
    """Folder and name of each partition; the table's folder and None if it has no partition columns."""
    description = client.table(table)
    if not description.is_partitioned:
        return {_path(description.location): None}
    partitions = client.partitions(table, client.partition_names(table))
    return {_path(partition.location): partition.name for partition in partitions}


def _path(location: str) -> Path:
    return Path(location.removeprefix("file:"))


def choose_layout(root: Path, write_ids: ValidWriteIdList) -> Layout:
    """The newest base and what is above it, without folders that a wider or compacted one stands for.

    For tables on which nothing is running: what is seen of a folder is all of it or nothing.
    """
    names = [FolderName.parse(path.name) for path in root.iterdir()]
    seen = [name for name in names if name and write_ids.is_valid(name.max_write_id)]
    bases = [name for name in seen if name.kind is FolderKind.BASE]
    base = max(bases, key=lambda name: name.max_write_id, default=None)
    floor = base.max_write_id if base else 0
    above = [name for name in seen if name.kind is not FolderKind.BASE and name.min_write_id > floor]
    kept = [name for name in above if not any(_replaces(other, name) for other in above)]
    deltas, delete_deltas = (
        tuple(sorted((name for name in kept if name.kind is kind), key=lambda name: name.format()))
        for kind in (FolderKind.DELTA, FolderKind.DELETE_DELTA)
    )
    return Layout(root, base, deltas, delete_deltas)


def _replaces(compacted: FolderName, other: FolderName) -> bool:
    """A compacted range stands for inserts and deletes alike."""
    if compacted.statement_id is not None:
        return False
    covers = compacted.min_write_id <= other.min_write_id and other.max_write_id <= compacted.max_write_id
    is_same_range = (compacted.min_write_id, compacted.max_write_id) == (other.min_write_id, other.max_write_id)
    return covers and (not is_same_range or other.statement_id is not None)


def read_identities(file: Path, operation: int) -> list[Identity]:
    """Of the file's lines, in their order, which is checked as well as their operation."""
    read = orc.ORCFile(file).read(columns=["operation", "originalTransaction", "bucket", "rowId"])
    operations, *columns = (column.to_pylist() for column in read.columns)
    assert set(operations) <= {operation}, f"{file} holds operations {set(operations)}"
    identities = [Identity(*values) for values in zip(*columns, strict=True)]
    assert identities == sorted(set(identities)), f"{file} is not in order"
    return identities


def read_deleted(layout: Layout) -> set[Identity]:
    """The rows that are gone, each named by one event."""
    events = [event for file in layout.files(layout.delete_deltas) for event in read_identities(file, DELETE)]
    assert len(events) == len(set(events)), f"a row of {layout.root} is deleted twice"
    return set(events)


def read_rows(client: Metastore, table: TableName) -> Iterator[Row]:
    """All rows that a reader sees who begins now."""
    write_ids = seen_write_ids(client, table)
    for root, partition in partition_roots(client, table).items():
        layout = choose_layout(root, write_ids)
        deleted, found = read_deleted(layout), set[Identity]()
        for file in layout.data_files:
            identities = read_identities(file, INSERT)
            assert not found & set(identities), f"{file} holds rows of another file"
            found |= set(identities)
            rows = _read_columns(file)
            kept = (row for row, identity in zip(rows, identities, strict=True) if identity not in deleted)
            yield from (row | _partition_values(partition) for row in kept)
        assert deleted <= found, f"events of {root} name rows that no file holds: {sorted(deleted - found)}"


def _read_columns(file: Path) -> list[Row]:
    """The columns of `row`. A timestamp has no nanoseconds below the microsecond."""
    row = orc.ORCFile(file).read(columns=["row"]).column("row").combine_chunks()
    columns = {field.name: row.field(field.name) for field in row.type}
    values = {name: [_value(column.type, item) for item in column] for name, column in columns.items()}
    return [dict(zip(values, line, strict=True)) for line in zip(*values.values(), strict=True)]


def _value(kind: Any, item: Any) -> Any:
    value = item.value if pyarrow.types.is_timestamp(kind) else item.as_py()
    if value is None:
        return None
    if pyarrow.types.is_timestamp(kind):
        return _EPOCH + timedelta(microseconds=value // 1000)
    if pyarrow.types.is_map(kind):
        return freeze(dict(value))
    return freeze(tuple(value.values()) if pyarrow.types.is_struct(kind) else value)


_EPOCH = pyarrow.scalar(0, pyarrow.timestamp("us")).as_py()


def _partition_values(name: str | None) -> Row:
    pairs = (part.split("=", 1) for part in (name.split("/") if name else []))
    return {key: None if value == "__HIVE_DEFAULT_PARTITION__" else unquote(value) for key, value in pairs}
