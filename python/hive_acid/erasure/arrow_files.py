"""Reading keys of ORC and Parquet files by pyarrow, which shares no code with the reader that Spark uses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from hive_acid.erasure.plain_keys import NotPlain, PlainPart, find_type

_BATCH_ROWS = 10_000
_ACID_COLUMNS = ("operation", "originaltransaction", "bucket", "rowid", "currenttransaction", "row")
_INTEGERS = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}


@dataclass(frozen=True)
class FileColumns:
    """The table's columns in a file: their Arrow types by name, and the name of the struct that holds them, if any."""

    types: Mapping[str, Any]
    outer: str | None


class ArrowFile:
    """An ORC or Parquet file. It is read in parts, the stripes or row groups, of which one is in memory at a time."""

    def __init__(self, source: BinaryIO) -> None:
        """`source` is read from whatever place is asked for. Raises NotPlain for another format."""
        import pyarrow
        from pyarrow import orc, parquet

        magic = source.read(4)
        source.seek(0)
        opened = pyarrow.PythonFile(source, mode="r")
        self._orc: Any = None
        self._parquet: Any = None
        if magic.startswith(b"ORC"):
            self._orc = orc.ORCFile(opened)
            schema, self.row_count, self.part_count = self._orc.schema, int(self._orc.nrows), int(self._orc.nstripes)
        elif magic == b"PAR1":
            self._parquet = parquet.ParquetFile(opened, pre_buffer=False)
            told = self._parquet.metadata
            schema, self.row_count, self.part_count = self._parquet.schema_arrow, told.num_rows, told.num_row_groups
        else:
            raise NotPlain("it is neither ORC nor Parquet")
        fields = {field.name: field.type for field in schema}
        if tuple(name.lower() for name in fields) == _ACID_COLUMNS:
            outer = list(fields)[-1]
            inner = fields[outer]
            self.columns = FileColumns({field.name: field.type for field in inner}, outer)
        else:
            self.columns = FileColumns(fields, None)

    def rows(self, part: int, columns: Sequence[str]) -> Iterator[Sequence[Mapping[str, Any]]]:
        """Batches of a part's rows with the values of these columns, one at least; the row of a delete is empty."""
        outer = self.columns.outer
        names = [name if outer is None else f"{outer}.{name}" for name in columns]
        if self._orc is not None:
            found = self._orc.read_stripe(part, columns=names)
        else:  # `source` is asked on this thread alone
            found = self._parquet.read_row_group(part, columns=names, use_threads=False)
        for start in range(0, found.num_rows, _BATCH_ROWS):
            batch = found.slice(start, _BATCH_ROWS).to_pylist()
            yield batch if outer is None else [row[outer] or {} for row in batch]


class PartReader:
    """Computes the part of a key for rows of one file."""

    def __init__(self, part: PlainPart, declared: Mapping[str, str], file: FileColumns) -> None:
        """`declared` are the types of the table's columns. Raises NotPlain if the file has others."""
        self._part = part
        by_name = {name.lower(): name for name in file.types}
        wanted = find_type(declared, part.path)
        if part.path[0] not in by_name:
            raise NotPlain("a column of a key is not in the file")
        self.column = by_name[part.path[0]]
        self._fields, found = list[str](), file.types[self.column]
        for name in part.path[1:]:
            inner = {found.field(i).name.lower(): found.field(i) for i in range(found.num_fields)}
            if name not in inner:
                raise NotPlain("a field of a key is not in the file")
            self._fields.append(inner[name].name)
            found = inner[name].type
        _check_type(part, wanted, found)

    def texts(self, row: Mapping[str, Any]) -> list[str | None]:
        """The texts of a row. Raises NotPlain for a value whose text may be another in Spark."""
        value = row.get(self.column)
        for name in self._fields:
            value = None if value is None else value.get(name)
        return self._part.texts(value)


def _check_type(part: PlainPart, wanted: str, found: Any) -> None:
    """Raises NotPlain unless values of the declared type `wanted` have the same text when read as `found`."""
    from pyarrow import types

    wanted = wanted.lower()
    if part.cases and wanted != "string":
        raise NotPlain("a key is of a type that only Spark spells")
    if part.of_map:
        if not wanted.startswith("map<") or not types.is_map(found):
            raise NotPlain("a key is of a type that only Spark spells")
        wanted, found = wanted[len("map<") :].partition(",")[0], found.key_type
    elif wanted.startswith("array<"):
        if not types.is_list(found):
            raise NotPlain("a key is of a type that only Spark spells")
        wanted, found = wanted[len("array<") : -1], found.value_type
    if not _has_same_text(wanted.strip(), found):
        raise NotPlain("a key is of a type that only Spark spells")


def _has_same_text(wanted: str, found: Any) -> bool:
    from pyarrow import types

    if wanted == "string":
        return bool(types.is_string(found))
    if wanted in ("boolean", "date"):
        return bool(types.is_boolean(found) if wanted == "boolean" else types.is_date32(found))
    return wanted in _INTEGERS and types.is_signed_integer(found) and found.bit_width <= _INTEGERS[wanted]
