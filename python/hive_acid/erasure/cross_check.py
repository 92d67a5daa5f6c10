"""A second reader looks at a sample of the files: its numbers of rows and matches must be those of the search."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hive_acid.erasure.arrow_files import ArrowFile, PartReader
from hive_acid.erasure.engine import KeyedHashes, Matcher
from hive_acid.erasure.file_search import SearchedFile
from hive_acid.erasure.keyed_hash import HashKey
from hive_acid.erasure.places import Place, PlaceKind
from hive_acid.erasure.plain_keys import NotPlain, PlainPart, find_type, parse_part
from hive_acid.errors import StorageError
from hive_acid.model.names import FolderKind, FolderName
from hive_acid.model.table import TableDescription
from hive_acid.snapshot.filesystem import FileSystem


@dataclass(frozen=True)
class Sample:
    """The limits of the sample of one table, and of each file of it."""

    files: int = 20
    rows: int = 500_000
    bytes: int = 64 * 1024 * 1024
    file_bytes: int = 16 * 1024 * 1024


@dataclass(frozen=True)
class CrossCheck:
    """How many files and rows were compared, and how many files were not, by the reason. `places` are differences."""

    files: int = 0
    rows: int = 0
    not_checked: Mapping[str, int] = field(default_factory=dict)
    places: tuple[Place, ...] = ()

    def describe(self) -> dict[str, Any]:
        """As the certificate shows it."""
        reasons = [{"reason": reason, "files": count} for reason, count in sorted(self.not_checked.items())]
        return {"files": self.files, "rows": self.rows, "not_checked": reasons}


class CrossChecker:
    """Compares the files of one table with what the search has found in them. Nothing is written, and nobody named."""

    def __init__(
        self, file_system: FileSystem, key: HashKey, table: TableDescription, sample: Sample | None = None
    ) -> None:
        self._file_system = file_system
        self._key = key
        self._table = table
        self._sample = sample or Sample()

    def check(self, matcher: Matcher, searched: Sequence[SearchedFile]) -> CrossCheck:
        """The comparison of a sample of the files that hold rows."""
        files = [file for file in searched if file.way == "rows" and file.source.length_bytes]
        wanted = [keyed for keyed in matcher.keys if keyed.hashes]
        try:
            keys = [_PlainKey.of(keyed, self._table) for keyed in wanted]
        except NotPlain as reason:
            return CrossCheck(not_checked={str(reason): len(files)} if files else {})
        checked, rows, places, others = 0, 0, list[Place](), Counter[str]()
        chosen = choose(files, self._sample) if keys else []
        for file in chosen:
            try:
                found = self._read(file, keys)
            except NotPlain as reason:
                others[str(reason)] += 1
                continue
            checked, rows = checked + 1, rows + found[0]
            if found != (file.row_count, file.match_count):
                places.append(_differ(file, *found))
        for file in set(files) - set(chosen):
            others[self._explain(file) if keys else "no subject has a value for a key"] += 1
        return CrossCheck(checked, rows, dict(others), tuple(places))

    def _explain(self, file: SearchedFile) -> str:
        limit = self._sample.file_bytes
        return f"larger than {limit} bytes" if file.source.length_bytes > limit else "not in the sample"

    def _read(self, file: SearchedFile, keys: Sequence[_PlainKey]) -> tuple[int, int]:
        """Rows and matches. Raises NotPlain if the file cannot be read here as Spark reads it."""
        try:
            content = self._file_system.read_bytes(file.source.path)
        except StorageError:
            raise NotPlain("storage cannot read the file") from None
        if content is None or len(content) != file.source.length_bytes:
            raise NotPlain("the file changed meanwhile")
        try:
            opened = ArrowFile(content)
            names = [name.lower() for name in opened.columns.types]
            if names != [column.name for column in self._table.columns][: len(names)]:
                raise NotPlain("the columns of the file are not those of the table")
            bound = [key.bind(opened, self._table) for key in keys]
            return self._count(opened, bound)
        except NotPlain:
            raise
        except Exception as error:  # noqa: BLE001 (pyarrow's are of many kinds, and may quote values)
            raise NotPlain(f"pyarrow cannot read the file ({type(error).__name__})") from None

    def _count(self, file: ArrowFile, keys: Sequence[_BoundKey]) -> tuple[int, int]:
        rows = matches = 0
        for batch in file.rows(sorted({reader.column for key in keys for reader in key.readers})):
            rows += len(batch)
            matches += sum(any(key.names(row, self._key) for key in keys) for row in batch)
        return rows, matches


@dataclass(frozen=True)
class _PlainKey:
    parts: tuple[PlainPart, ...]
    hashes: frozenset[bytes]

    @classmethod
    def of(cls, keyed: KeyedHashes, table: TableDescription) -> _PlainKey:
        """Raises NotPlain for a key that only Spark computes."""
        parts = tuple(map(parse_part, keyed.key.parts))
        partitions = {column.name for column in table.partition_columns}
        if any(part.path[0] in partitions for part in parts):
            raise NotPlain("a key is of a partition column, which is not in the files")
        types = [find_type(_declared(table), part.path) for part in parts]
        many = [part.of_map or kind.lower().startswith("array<") for part, kind in zip(parts, types, strict=True)]
        if len(parts) > 1 and any(many):
            raise NotPlain("a key is an expression that only Spark computes")
        return cls(parts, keyed.hashes)

    def bind(self, file: ArrowFile, table: TableDescription) -> _BoundKey:
        """Raises NotPlain if the file's types are others than the table's."""
        readers = tuple(PartReader(part, _declared(table), file.columns) for part in self.parts)
        return _BoundKey(readers, self.hashes)


@dataclass(frozen=True)
class _BoundKey:
    readers: tuple[PartReader, ...]
    hashes: frozenset[bytes]

    def names(self, row: Mapping[str, Any], key: HashKey) -> bool:
        """True if the row names a subject."""
        return any(key.hash_parts(parts) in self.hashes for parts in self._values(row))

    def _values(self, row: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
        texts = [reader.texts(row) for reader in self.readers]
        candidates = [[text] for text in texts[0]] if len(texts) == 1 else [[text for one in texts for text in one]]
        for candidate in candidates:
            parts = tuple(text for text in candidate if text is not None)
            if len(parts) == len(candidate):
                yield parts


def choose(files: Sequence[SearchedFile], sample: Sample) -> list[SearchedFile]:
    """The sample: first a file of each kind, then one of each partition, then others; of each the newest base first."""
    small = [file for file in files if file.source.length_bytes <= sample.file_bytes]
    ordered = sorted(small, key=lambda file: (_rank(file), -file.source.modified_ms, file.source.path))
    kinds = {_rank(file): file for file in reversed(ordered)}
    partitions = {file.source.partition: file for file in reversed(ordered)}
    wanted = dict.fromkeys((*(kinds[rank] for rank in sorted(kinds)), *reversed(partitions.values()), *ordered))
    chosen = list[SearchedFile]()
    rows = length = 0
    for file in wanted:
        if rows + file.row_count <= sample.rows and length + file.source.length_bytes <= sample.bytes:
            rows, length = rows + file.row_count, length + file.source.length_bytes
            chosen.append(file)
    return chosen[: sample.files]


def _rank(file: SearchedFile) -> int:
    """The kind of folder that it is in decides: bases, deltas, delete deltas, others."""
    kinds = (FolderKind.BASE, FolderKind.DELTA, FolderKind.DELETE_DELTA)
    for name in reversed(file.source.path.split("/")[:-1]):
        parsed = FolderName.parse(name)
        if parsed is not None:
            return kinds.index(parsed.kind) if parsed.kind in kinds else len(kinds)
    return len(kinds)


def _declared(table: TableDescription) -> dict[str, str]:
    return {column.name: column.type for column in table.columns}


def _differ(file: SearchedFile, rows: int, matches: int) -> Place:
    told = f"the search read {file.row_count} rows, {file.match_count} of subjects"
    detail = f"{told}; pyarrow reads {rows}, {matches} of them"
    return Place(PlaceKind.CROSS_CHECK, file.path, detail, file.source.partition)
