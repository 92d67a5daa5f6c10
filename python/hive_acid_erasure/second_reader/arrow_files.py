"""Reading columns of ORC and Parquet files by pyarrow, which shares no code with the reader that Spark uses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

from hive_acid_erasure.second_reader.plain_keys import NotPlain

_BATCH_ROWS = 200_000
"""So many values of a key are in memory at a time, about 30 MiB of them. Each different one is looked at once."""
_ACID_COLUMNS = ("operation", "originaltransaction", "bucket", "rowid", "currenttransaction", "row")
_UNNAMED = re.compile(r"_col\d+")


@dataclass(frozen=True)
class FileColumns:
    """The table's columns in a file: their Arrow types by name in order, and the struct that holds them, if any."""

    types: dict[str, Any]
    outer: str | None
    is_orc: bool

    def find(self, table: Sequence[str]) -> tuple[dict[str, str], ...]:
        """Where columns of the table may be: their names in the file, for each way in which some engine finds them.

        Engines go by name without regard to case, in ORC files by position too, and by position alone where a file has
        no names.
        """
        by_name = {name.lower(): name for name in reversed(self.types)}
        named = {column: by_name[column] for column in table if column in by_name}
        if not self.is_orc:
            return (named,)
        placed = dict(zip(table, self.types, strict=False))
        return (placed,) if self.types and all(map(_UNNAMED.fullmatch, self.types)) else (named, placed)


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
        if self._orc is not None and tuple(name.lower() for name in fields) == _ACID_COLUMNS:
            outer = list(fields)[-1]
            inner = fields[outer]
            self.columns = FileColumns({field.name: field.type for field in inner}, outer, is_orc=True)
        else:
            self.columns = FileColumns(fields, None, is_orc=self._orc is not None)

    def batches(self, part: int, columns: Sequence[str]) -> Iterator[Mapping[str, Any]]:
        """The values of these columns, one at least, in batches of a part's rows; those of a delete are NULL."""
        import pyarrow.compute as pc

        outer = self.columns.outer
        for batch in self._read(part, [name if outer is None else f"{outer}.{name}" for name in columns]):
            found = {name: batch.column(name) for name in columns} if outer is None else {}
            row = None if outer is None else batch.column(outer)
            yield found if row is None else {name: pc.struct_field(row, [name]) for name in columns}

    def _read(self, part: int, names: Sequence[str]) -> Iterator[Any]:
        if self._parquet is not None:  # `source` is asked on this thread alone
            yield from self._parquet.iter_batches(_BATCH_ROWS, row_groups=[part], columns=names, use_threads=False)
            return
        stripe = self._orc.read_stripe(part, columns=names)
        for start in range(0, stripe.num_rows, _BATCH_ROWS):
            yield stripe.slice(start, _BATCH_ROWS)
