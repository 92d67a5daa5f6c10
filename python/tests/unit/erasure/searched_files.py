"""Files of a table, and what a search has found in them, for the second reader."""

from __future__ import annotations

import datetime
import io
import re
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
from pyarrow import orc, parquet

from hive_acid.model.table import Column, TableDescription, TableName
from hive_acid_erasure.engine import FileFinding, Key, KeyedHashes, KeyTypes, Matcher, PhysicalFile
from hive_acid_erasure.messages import KeyColumn
from hive_acid_erasure.plan.plan import SecondReader
from hive_acid_erasure.subjects.keyed_hash import HashKey
from hive_acid_erasure.verify.cross_check import CrossCheck, CrossChecker
from hive_acid_erasure.verify.file_search import SearchedFile
from support.memory_file_system import MemoryFileSystem

KEY = HashKey(b"a secret that is nowhere to be seen")
NAME = TableName("shop", "t")
COLUMNS = (
    Column("id", "int"),
    Column("email", "string"),
    Column("contact", "struct<mail:string,since:date>"),
    Column("tags", "array<string>"),
    Column("attributes", "map<string,string>"),
    Column("price", "double"),
)
SCHEMA = pa.schema(
    [
        ("id", pa.int32()),
        ("email", pa.string()),
        ("contact", pa.struct([("mail", pa.string()), ("since", pa.date32())])),
        ("tags", pa.list_(pa.string())),
        ("attributes", pa.map_(pa.string(), pa.string())),
        ("price", pa.float64()),
    ]
)
ADA = {
    "id": 7,
    "email": "Ada@x.org",
    "contact": {"mail": "ada@x.org", "since": datetime.date(2024, 2, 29)},
    "tags": ["z", "a"],
    "attributes": [("Ada", "x")],
    "price": 1.5,
}
BOB = {"id": 8, "email": "bob@x.org", "contact": None, "tags": None, "attributes": [("Bob", "Ada")], "price": None}
NOBODY: dict[str, Any] = dict.fromkeys(SCHEMA.names)
ACID = ("operation", "originalTransaction", "bucket", "rowId", "currentTransaction")


def write(rows: list[dict[str, Any] | None], form: str, schema: pa.Schema = SCHEMA) -> bytes:
    """A file. In a full ACID one, a row that is None is that of a delete."""
    out = io.BytesIO()
    if form == "acid":
        outer = pa.schema([*((name, pa.int64()) for name in ACID), ("row", pa.struct(list(schema)))])
        nested = [{**dict.fromkeys(ACID, 1), "row": row} for row in rows]
        orc.write_table(pa.Table.from_pylist(nested, outer), out)
        return out.getvalue()
    table = pa.Table.from_pylist([row or {} for row in rows], schema)
    if form == "orc":
        orc.write_table(table, out)
    else:
        parquet.write_table(table, out)
    return out.getvalue()


class Search:
    """A search that finds what it is asked for in each row, but for the first ones, or is blind."""

    def __init__(self, searched: Sequence[SearchedFile]) -> None:
        self.searched = searched
        self.is_blind = False
        self.skipped_rows = 0
        self.problem: str | None = None
        self.asked: list[tuple[KeyedHashes, ...]] = []

    def spell_each(self, table: TableName, key: Key, subjects: Sequence[tuple[str, ...]]) -> tuple[bytes, ...]:
        return tuple(map(KEY.hash_parts, subjects))

    def types(self, table: TableName, key: Key) -> KeyTypes:
        """Of keys that only Spark computes: the columns whose names stand in it."""
        used = [each for each in COLUMNS if any(re.search(rf"\b{each.name}\b", part) for part in key.parts)]
        return KeyTypes(("string",), tuple(KeyColumn(each.name, 1, each.type) for each in used))

    def search(
        self, matcher: Matcher, files: Sequence[PhysicalFile], *, former_columns: bool = True
    ) -> Iterator[FileFinding]:
        self.asked.append(matcher.keys)
        seen = {file.source.path: file.row_count - self.skipped_rows for file in self.searched}
        rows = {path: 0 if self.is_blind else count for path, count in seen.items()}
        found = ((file.path, rows[file.path]) for file in files)
        return (FileFinding(path, count, count, in_statistics=False, problem=self.problem) for path, count in found)


class Files:
    """Files of the table, and what the search has found in them."""

    def __init__(self) -> None:
        self.system = MemoryFileSystem()
        self.searched: list[SearchedFile] = []
        self.engine: Any = Search(self.searched)

    def add(
        self, content: bytes, rows: int, matches: int, path: str = "/t/base_0000001/bucket_00000", partition: str = ""
    ) -> None:
        self.system.add_file(path, len(content))
        self.system.bytes[path] = content
        file = PhysicalFile(path, len(content), 1, partition)
        self.searched.append(SearchedFile(path, file, "rows", rows, matches))

    def check(
        self,
        parts: tuple[str, ...] = ("email",),
        subject: tuple[str, ...] = ("Ada@x.org",),
        limit: SecondReader | None = None,
        columns: tuple[Column, ...] = COLUMNS,
    ) -> CrossCheck:
        matcher = Matcher(NAME, (KeyedHashes(Key(parts), frozenset([KEY.hash_parts(subject)])),))
        table = TableDescription(NAME, "/t", columns, (Column("day", "string"), Column("number", "int")))
        return CrossChecker(self.engine, self.system, KEY, table, limit).check(matcher, self.searched)
