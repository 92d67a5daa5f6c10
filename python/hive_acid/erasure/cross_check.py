"""A second reader looks at a sample of the files: its numbers of rows and matches must be those of the search."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hive_acid.erasure.arrow_files import ArrowFile, PartReader
from hive_acid.erasure.engine import ErasureEngine, KeyedHashes, Matcher
from hive_acid.erasure.file_search import SearchedFile
from hive_acid.erasure.keyed_hash import HashKey
from hive_acid.erasure.places import Place, PlaceKind
from hive_acid.erasure.plain_keys import NotPlain, PlainPart, find_type, parse_part
from hive_acid.errors import StorageError
from hive_acid.model.names import FolderKind, FolderName
from hive_acid.model.table import TableDescription
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.snapshot.ranged_file import RangedFile


@dataclass(frozen=True)
class Sample:
    """The limits of the sample of one table: files, and about how many rows of all of them.

    A file that is larger than its share is read in part, in whole stripes or row groups.
    """

    files: int = 20
    rows: int = 500_000


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
    """Compares the files of one table with what the search has found in them. Nothing is written, and nobody named.

    A value that the second reader has read in a file is searched for by the same search. Where that does not find it,
    finding nobody means nothing.
    """

    def __init__(
        self,
        engine: ErasureEngine,
        file_system: FileSystem,
        key: HashKey,
        table: TableDescription,
        sample: Sample | None = None,
    ) -> None:
        self._engine = engine
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
        places, others, read = list[Place](), Counter[str](), list[_Read]()
        chosen = choose(files, self._sample) if keys else {}
        for file, rows in chosen.items():
            try:
                found = self._read(file, keys, rows)
            except NotPlain as reason:
                others[str(reason)] += 1
                continue
            read.append(found)
            if not found.fits():
                places.append(_differ(found))
        for _ in set(files) - chosen.keys():
            others["not in the sample" if keys else "no subject has a value for a key"] += 1
        places += self._find_blindness(matcher, read)
        return CrossCheck(len(read), sum(found.rows for found in read), dict(others), tuple(places))

    def _read(self, file: SearchedFile, keys: Sequence[_PlainKey], rows: int) -> _Read:
        """Raises NotPlain if the file cannot be read here as Spark reads it."""
        try:
            source = RangedFile(self._file_system, file.source.path, file.source.length_bytes)
            opened = ArrowFile(source)  # type: ignore[arg-type]
            names = [name.lower() for name in opened.columns.types]
            if names != [column.name for column in self._table.columns][: len(names)]:
                raise NotPlain("the columns of the file are not those of the table")
            bound = [key.bind(opened, self._table) for key in keys]
            return self._count(_Read(file, opened.row_count), opened, bound, rows)
        except NotPlain:
            raise
        except StorageError:
            raise NotPlain("storage cannot read the file") from None
        except EOFError:
            raise NotPlain("the file changed meanwhile") from None
        except Exception as error:  # noqa: BLE001 (pyarrow's are of many kinds, and may quote values)
            raise NotPlain(f"pyarrow cannot read the file ({type(error).__name__})") from None

    def _count(self, found: _Read, file: ArrowFile, keys: Sequence[_BoundKey], rows: int) -> _Read:
        columns = sorted({reader.column for key in keys for reader in key.readers})
        for part in spread(file.part_count):
            if found.rows >= rows:
                break
            for batch in file.rows(part, columns):
                found.rows += len(batch)
                for row in batch:
                    self._judge(found, row, keys)
        return found

    def _judge(self, found: _Read, row: Mapping[str, Any], keys: Sequence[_BoundKey]) -> None:
        is_match = is_control = False
        for number, key in enumerate(keys):
            for parts in key.values(row):
                found.control = found.control or (number, parts)
                is_control = is_control or found.control == (number, parts)
                is_match = is_match or self._key.hash_parts(parts) in key.hashes
        found.matches += is_match
        found.controls += is_control

    def _find_blindness(self, matcher: Matcher, read: Sequence[_Read]) -> list[Place]:
        """The files in which the search does not find what is known to be there."""
        known = {found.file.source.path: found for found in read if found.control is not None and found.fits()}
        if not known:
            return []
        keys = [keyed.key for keyed in matcher.keys if keyed.hashes]
        values: dict[int, set[tuple[str, ...]]] = {}
        for number, parts in (found.control for found in known.values() if found.control is not None):
            values.setdefault(number, set()).add(parts)
        controls = tuple(
            KeyedHashes(keys[number], frozenset(self._engine.spell_each(matcher.table, keys[number], sorted(parts))))
            for number, parts in values.items()
        )
        files = tuple(found.file.source for found in known.values())
        seen = {each.path: each for each in self._engine.search(Matcher(matcher.table, controls), files)}
        return [
            _blind(found, seen[path].match_count if path in seen else 0)
            for path, found in known.items()
            if path not in seen or (seen[path].problem is None and seen[path].match_count < found.controls)
        ]


@dataclass
class _Read:
    """The second reader's finds in a file. The first value of a key is the control."""

    file: SearchedFile
    all_rows: int
    rows: int = 0
    matches: int = 0
    control: tuple[int, tuple[str, ...]] | None = None
    controls: int = 0

    def fits(self) -> bool:
        """False if the search cannot have read the same file rightly."""
        told = self.file
        if self.rows == self.all_rows:
            return (self.rows, self.matches) == (told.row_count, told.match_count)
        missing = told.row_count - self.rows
        return self.all_rows == told.row_count and 0 <= told.match_count - self.matches <= missing


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

    def values(self, row: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
        """The row's values of the key: several for an array, none where a part is missing."""
        texts = [reader.texts(row) for reader in self.readers]
        candidates = [[text] for text in texts[0]] if len(texts) == 1 else [[text for one in texts for text in one]]
        for candidate in candidates:
            parts = tuple(text for text in candidate if text is not None)
            if len(parts) == len(candidate):
                yield parts


def choose(files: Sequence[SearchedFile], sample: Sample) -> dict[SearchedFile, int]:
    """The sample, and how many rows of each file: a file of each kind, then one of each partition, then others.

    The newest base of each comes first. Rows that small files do not need are shared by larger ones.
    """
    ordered = sorted(files, key=lambda file: (_rank(file), -file.source.modified_ms, file.source.path))
    kinds = {_rank(file): file for file in reversed(ordered)}
    partitions = {file.source.partition: file for file in reversed(ordered)}
    wanted = dict.fromkeys((*(kinds[rank] for rank in sorted(kinds)), *reversed(partitions.values()), *ordered))
    chosen = list(wanted)[: sample.files]
    shares, left = dict[SearchedFile, int](), sample.rows
    for count, file in enumerate(sorted(chosen, key=lambda file: file.row_count)):
        shares[file] = max(1, min(file.row_count, left // (len(chosen) - count)))
        left -= shares[file]
    return {file: shares[file] for file in chosen}


def spread(count: int) -> list[int]:
    """The numbers of so many parts: those at both ends and in the middle come first."""
    return list(dict.fromkeys((0, count - 1, count // 2, *range(count)))) if count else []


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


def _differ(found: _Read) -> Place:
    file = found.file
    told = f"the search read {file.row_count} rows, {file.match_count} of subjects"
    some = "" if found.rows == found.all_rows else f", in {found.rows} of which it looked for subjects"
    detail = f"{told}; pyarrow reads {found.all_rows}{some}, {found.matches} of them"
    return Place(PlaceKind.CROSS_CHECK, file.path, detail, file.source.partition)


def _blind(found: _Read, count: int) -> Place:
    detail = (
        f"a value that pyarrow reads in {found.controls} rows was found in {count} by the search, "
        "so that finding no subject there means nothing"
    )
    return Place(PlaceKind.CROSS_CHECK, found.file.path, detail, found.file.source.partition)
