"""An engine of erasures over files in memory: rows per file, delete masks, compaction and a Cleaner."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote

import pyarrow as pa
from pyarrow import orc

from doubles.memory_metastore import MemoryMetastore
from hive_acid.errors import build_error
from hive_acid.metastore.compaction_types import CompactionKind, CompactionRequest, CompactionState
from hive_acid.model.table import TableName
from hive_acid_erasure.engine import (
    Compaction,
    Deletion,
    FileFinding,
    Key,
    KeyedHashes,
    KeyTypes,
    MatchCount,
    Matcher,
    PhysicalFile,
    Within,
)
from hive_acid_erasure.messages import KeyColumn
from hive_acid_erasure.subjects.keyed_hash import HashKey
from support.memory_file_system import MemoryFileSystem

Row = dict[str, str]
_GUARDED = re.compile(r"if\(\((?P<link>\w+)\) IS NOT NULL, \((?P<part>.+)\), NULL\)")


def _is_behind(matcher: Matcher) -> bool:
    """True for a search for links that no query shows, in which no test's act takes part."""
    return any(_GUARDED.fullmatch(part) for keyed in matcher.keys for part in keyed.key.parts)


def _write(rows: Sequence[Row]) -> bytes:
    """The file as it lies on disk, for readers that know nothing of this engine."""
    names = list(dict.fromkeys(name for row in rows for name in row)) or ["email"]
    out = io.BytesIO()
    orc.write_table(pa.Table.from_pylist(list(rows), pa.schema([(name, pa.string()) for name in names])), out)
    return out.getvalue()


@dataclass
class DiskFile:
    """Rows by their places; those that are masked are shown by no query. `statistics` are texts of the footer, and
    `dictionary` those of a column's; `former` are values of columns that the table has no more.

    `is_text`: queries read its rows, and the search does not.
    """

    rows: list[Row]
    masked: set[int] = field(default_factory=set)
    visible: bool = True
    statistics: tuple[str, ...] = ()
    dictionary: tuple[str, ...] = ()
    former: Mapping[str, str] = field(default_factory=dict)
    problem: str | None = None
    is_text: bool = False

    @property
    def is_old(self) -> bool:
        """True if a compaction would leave something of it out."""
        return bool(self.masked or not self.visible or self.dictionary or self.former)


class Killed(BaseException):
    """The process ends here."""


class Disk:
    """The tables' files, and the engine that works on them. Expressions are names of columns, or `lower(column)`.

    A part may be guarded by a link that a row must have. A deletion sees the files that were visible as it began.

    `cleans`: what a compaction replaces is removed as its entry is; False leaves it. `is_cached`: a cache
    holds the rows of all tables.
    `spellings` are of columns, and spell a value from any text; empty for a text that is none of the type. `strike` is
    called by each call.
    """

    def __init__(self, key: HashKey, metastore: MemoryMetastore, files: MemoryFileSystem) -> None:
        self.key, self.metastore, self.files = key, metastore, files
        self.contents: dict[str, DiskFile] = {}
        self.cleans = True
        self.is_cached = False
        self.spellings: dict[str, Callable[[str], str]] = {}
        self.deleted_rows = 0
        self.searched: list[str] = []
        self.on_search: list[object] = []
        self.on_confirmed: Callable[[], object] = lambda: None
        self.on_commit: Callable[[], object] = lambda: None
        self.compactions: list[tuple[str, str]] = []
        self._written = 0
        self._snapshot: frozenset[str] | None = None

    def put(self, path: str, *rows: Row, **about: object) -> str:
        """A file of rows."""
        self._written += 1
        content = _write(rows)
        self.files.add_file(path, len(content), self._written)
        self.files.bytes[path] = content
        self.contents[path] = DiskFile(list(rows), **about)  # type: ignore[arg-type]
        return path

    def remove(self, path: str) -> None:
        self.files.delete_tree(path)
        self.contents.pop(path, None)

    def _value(self, row: Row, part: str) -> str | None:
        if guarded := _GUARDED.fullmatch(part):
            return None if row.get(guarded["link"]) is None else self._value(row, guarded["part"])
        if part.startswith("lower("):
            found = row.get(part[6:-1])
            return None if found is None else found.lower()
        return row.get(part)

    def _matches(self, row: Mapping[str, str], keys: Sequence[KeyedHashes]) -> bool:
        return any(self._hash(row, keyed.key) in keyed.hashes for keyed in keys)

    def _names(self, matcher: Matcher, texts: Iterable[str]) -> bool:
        """True if one of the texts is a subject's by itself."""
        hashes = frozenset[bytes]().union(*(keyed.hashes for keyed in matcher.keys))
        return any(self.key.hash_parts((text,)) in hashes for text in texts)

    def _hash(self, row: Mapping[str, str], key: Key) -> bytes | None:
        values = [self._value(row, part) for part in key.parts]
        return None if None in values else self.key.hash_parts([value for value in values if value is not None])

    def _visible(self, table: TableName) -> Iterator[tuple[str, str, DiskFile, int, Row]]:
        location = self.metastore.table(table).location
        for path, content in sorted(self.contents.items()):
            if path.startswith(f"{location}/") and content.visible and content.problem is None:
                partition = path[len(location) + 1 :].split("/")[0]
                for number, row in enumerate(content.rows):
                    if number not in content.masked and (self._snapshot is None or path in self._snapshot):
                        yield path, partition if "=" in partition else "", content, number, row

    def check_session(self) -> None:
        pass

    def types(self, table: TableName, key: Key) -> KeyTypes:
        stored = self.metastore.table(table).columns
        types = {column.name: KeyColumn(column.name, at, column.type) for at, column in enumerate(stored, start=1)}
        names = [part.removeprefix("lower(").rstrip(")") for part in key.parts]
        columns = tuple(types[name] for name in names if name in types)
        return KeyTypes(tuple(types[name].data_type if name in types else "string" for name in names), columns)

    def spell_each(self, table: TableName, key: Key, subjects: Sequence[tuple[str, ...]]) -> tuple[bytes, ...]:
        return tuple(self.key.hash_parts(subject) for subject in subjects)

    def links(self, matcher: Matcher, link: Key) -> Mapping[bytes, frozenset[bytes]]:
        found = dict[bytes, set[bytes]]()
        for *_, row in self._visible(matcher.table):
            for keyed in matcher.keys:
                subject, linked = self._hash(row, keyed.key), self._hash(row, link)
                if subject is not None and subject in keyed.hashes:
                    found.setdefault(subject, set()).update(() if linked is None else (linked,))
        return {subject: frozenset(links) for subject, links in found.items()}

    def count_shared(self, matcher: Matcher, link: Key, links: frozenset[bytes]) -> int:
        others = (row for *_, row in self._visible(matcher.table) if not self._matches(row, matcher.keys))
        return len({self._hash(row, link) for row in others} & links)

    def choose_partitions(self, table: TableName, condition: str, names: Sequence[str]) -> frozenset[str]:
        assert "" not in names, "an empty text is no value of most types"
        return frozenset(name for name in names if name == condition)

    def count(self, matcher: Matcher, partitions: str | None) -> MatchCount:
        if self.is_cached:
            raise build_error("HIVE_ACID_ERASURE.NOT_COUNTED", table=matcher.table, failure="a cache holds its rows")
        total, found = 0, dict[str, int]()
        for _, partition, _, _, row in self._visible(matcher.table):
            total += 1
            if self._matches(row, matcher.keys) and (partitions is None or partitions == partition):
                found[partition] = found.get(partition, 0) + 1
        return MatchCount(total, found)

    def counts_all(self, table: TableName) -> bool:
        return not self.is_cached

    def delete(
        self, matchers: Sequence[Matcher], partitions: Mapping[TableName, str], within: Within | None = None
    ) -> Sequence[Deletion]:
        txn_id = self.metastore.open_transaction("tester", "testhost", "an erasure")
        self._snapshot = frozenset(path for path, content in self.contents.items() if content.visible)
        try:
            deletions, gone = self._delete(txn_id, matchers, partitions, within)
        except BaseException:
            self.metastore.abort(txn_id)
            raise
        finally:
            self._snapshot = None
        self.metastore.commit(txn_id)
        for rows in gone.values():
            for _, content, number in rows:
                content.masked.add(number)
            self.deleted_rows += len(rows)
        self.on_commit()
        return deletions

    def _delete(
        self, txn_id: int, matchers: Sequence[Matcher], partitions: Mapping[TableName, str], within: Within | None
    ) -> tuple[Sequence[Deletion], dict[TableName, list[tuple[str, DiskFile, int]]]]:
        """What becomes of it, and the rows that it removes once it is committed."""
        chosen = matchers if within is None else within.match(matchers)
        gone = {
            matcher.table: [
                (partition, content, number)
                for _, partition, content, number, row in self._visible(matcher.table)
                if self._matches(row, matcher.keys) and partitions.get(matcher.table) in (None, partition)
            ]
            for matcher in chosen
        }
        deletions = {
            table: Deletion(len(rows), txn_id, 1, frozenset(partition for partition, *_ in rows))
            for table, rows in gone.items()
        }
        if within is not None:
            within.confirm(deletions)
            self.on_confirmed()
        return list(deletions.values()), gone

    def compact(self, table: TableName, partitions: Sequence[str]) -> Iterator[Compaction]:
        for partition in partitions:
            try:
                yield Compaction(partition, self._compact(table, partition))
            except FileNotFoundError as error:
                yield Compaction(partition, None, str(error))

    def _compact(self, table: TableName, partition: str) -> int | None:
        self.compactions.append((str(table), partition))
        root = "/".join(filter(None, (self.metastore.table(table).location, partition)))
        old = [p for p, c in self.contents.items() if (p.startswith(f"{root}/") and "/delta_" in p) or "/base_" in p]
        old = [path for path in old if path.startswith(f"{root}/")]
        if not any(self.contents[path].is_old for path in old):
            return None
        self._written += 1
        rows = [r for p in old for n, r in enumerate(self.contents[p].rows) if n not in self.contents[p].masked]
        kept = [r for p in old if not self.contents[p].visible for r in self.contents[p].rows]
        rows = [row for row in rows if row not in kept]
        request = CompactionRequest(table, CompactionKind.MAJOR, partition or None)
        asked = self.metastore.request_compaction(request)
        job = self.metastore.next_compaction("test", "1", None)
        assert job is not None and asked.id is not None
        if any(path not in self.contents for path in old):
            self.metastore.mark_failed(job)
            raise FileNotFoundError("its files went while it was compacted")
        self.metastore.mark_compacted(job)
        self.put(f"{root}/base_{self._written:07d}/bucket_00000", *rows)
        for path in self.contents.keys() & set(old):
            self.contents[path].visible = False
            if self.cleans:
                self.remove(path)
        if self.cleans:
            self.metastore._compactions._change(asked.id, state=CompactionState.SUCCEEDED)
        return asked.id

    def judge_values(self, matcher: Matcher, rows: Sequence[Mapping[str, str]]) -> Sequence[bool | None]:
        def judge(row: Mapping[str, str]) -> bool | None:
            typed = {column: self.spellings.get(column, str)(text) for column, text in row.items()}
            return None if "" in typed.values() else self._matches(typed, matcher.keys)

        return [judge(row) for row in rows]

    def digest(self, files: Sequence[PhysicalFile]) -> Sequence[str | None]:
        def of(file: PhysicalFile) -> str | None:
            content = self.contents.get(file.path)
            return None if content is None else hashlib.sha256(repr(content.rows).encode()).hexdigest()

        return [of(file) for file in files]

    def _by_position(self, table: TableName, rows: Sequence[Row]) -> list[Row]:
        """The rows as an engine reads them that finds the columns of files by their position."""
        in_file = dict.fromkeys(name for row in rows for name in row)
        is_there = table in self.metastore.table_names()
        names = [column.name for column in self.metastore.table(table).columns] if is_there else []
        return [dict(zip(names, map(row.get, in_file), strict=False)) for row in rows]

    def search(
        self, matcher: Matcher, files: Sequence[PhysicalFile], *, former_columns: bool = True
    ) -> Iterator[FileFinding]:
        for file in files:
            self.searched.append(file.path)
            content = self.contents.get(file.path)
            if content is None or content.problem or content.is_text:
                reason = "it is no ORC file" if content is None or content.is_text else str(content.problem)
                yield FileFinding(file.path, 0, 0, in_statistics=False, problem=reason)
                continue
            partition = dict(unquote(piece).split("=", 1) for piece in file.partition.split("/") if "=" in piece)
            readings = zip(content.rows, self._by_position(matcher.table, content.rows), strict=True)
            matches = sum(any(self._matches(partition | row, matcher.keys) for row in both) for both in readings)
            former = [column for column, text in content.former.items() if self._names(matcher, (text,))]
            yield FileFinding(
                file.path,
                len(content.rows),
                matches,
                self._names(matcher, content.statistics),
                in_dictionary=self._names(matcher, content.dictionary),
                former_columns=tuple(former) if former_columns else (),
            )
        for act in self.on_search if not _is_behind(matcher) else ():
            act()  # type: ignore[operator]
