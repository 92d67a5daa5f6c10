"""A second reader reads the files too: its numbers of rows and matches must be those of the search."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hive_acid.api.conditions import StorageError
from hive_acid.api.storage import FileSystem, RangedFile
from hive_acid.api.tables import TableDescription
from hive_acid_erasure.engine import ErasureEngine, Key, KeyedHashes, Matcher
from hive_acid_erasure.plan.plan import SecondReader
from hive_acid_erasure.second_reader.arrow_files import ArrowFile
from hive_acid_erasure.second_reader.arrow_keys import PlainKey
from hive_acid_erasure.second_reader.named_rows import Control
from hive_acid_erasure.second_reader.plain_keys import NotPlain
from hive_acid_erasure.second_reader.table_reader import ColumnsWithValues, ReadKey, TableReader
from hive_acid_erasure.subjects.keyed_hash import HashKey
from hive_acid_erasure.verify.file_search import SearchedFile
from hive_acid_erasure.verify.places import Place, PlaceKind
from hive_acid_erasure.verify.sampling import choose, spread

BEYOND_THE_LIMIT = "beyond the plan's limit"
_GONE = "it is not there any more"
_BY_QUERIES = "rows of its format are read by queries alone"
_NOBODY = "no subject has a value for a key"
_MOMENT = re.compile(r"\btimestamp\b")


@dataclass(frozen=True)
class OneReader:
    """A key that only Spark computes, so that nobody compares its values, and why."""

    key: Key
    reason: str


@dataclass(frozen=True)
class CrossCheck:
    """How many files and rows were compared, and how many files were not, by the reason. `places` are differences.

    `unsure_rows` have a value that Spark may spell otherwise: these may be subjects' or not. `in_part` are
    the files that were compared up to the limit of rows.
    """

    files: int = 0
    rows: int = 0
    not_checked: Mapping[str, int] = field(default_factory=dict)
    places: tuple[Place, ...] = ()
    one_reader: tuple[OneReader, ...] = ()
    unsure_rows: int = 0
    in_part: int = 0

    def describe(self) -> dict[str, Any]:
        """As the certificate shows it."""
        reasons = [{"reason": reason, "files": count} for reason, count in sorted(self.not_checked.items())]
        alone = [{"key": list(each.key.parts), "reason": each.reason} for each in self.one_reader]
        counts = {"files": self.files, "rows": self.rows, "unsure_rows": self.unsure_rows}
        counts |= {"differences": len(self.places), "in_part": self.in_part}
        return {**counts, "not_checked": reasons, "one_reader": alone}


class CrossChecker:
    """Compares the files of one table with what the search has found in them. Nothing is written, and nobody named.

    A file that the second reader cannot read is a place, and so is one in which its numbers are others. A value that it
    has read in a file is searched for by the same search. Where that does not find it, finding nobody means nothing.
    A key that only Spark computes is not compared: the rows are counted in which its columns have a value. Columns of
    moments are left alone, for pyarrow reads no file of ORC with a year before 1678 or after 2261.
    """

    def __init__(
        self,
        engine: ErasureEngine,
        file_system: FileSystem,
        key: HashKey,
        table: TableDescription,
        limit: SecondReader | None = None,
    ) -> None:
        self._engine = engine
        self._file_system = file_system
        self._key = key
        self._table = table
        self._limit = limit or SecondReader()

    def check(self, matcher: Matcher, searched: Sequence[SearchedFile]) -> CrossCheck:
        """The comparison of all files that hold rows, or of a sample if there is a limit."""
        others = Counter({_BY_QUERIES: sum(file.way == "visible" for file in searched)})
        files = [file for file in searched if file.way == "rows" and file.source.length_bytes]
        wanted = [keyed for keyed in matcher.keys if keyed.hashes]
        if not wanted:
            others[_NOBODY] += len(files)
            return CrossCheck(not_checked=dict(+others))
        reader, alone = self._build_reader(matcher, wanted)
        places, read = list[Place](), list[_Read]()
        chosen = choose(files, self._limit)
        for file, rows in chosen.items():
            try:
                found = self._read(file, reader, rows)
            except NotPlain as reason:
                others[str(reason)] += 1
                places += [] if str(reason) == _GONE else [_stood_aside(file, reason)]
                continue
            read.append(found)
            if not found.fits():
                places.append(_differ(found))
        others[BEYOND_THE_LIMIT] += len(files) - len(chosen)
        places += [*self._find_blindness(matcher, read), *self._find_missing_values(matcher, reader, read)]
        rows, unsure = sum(found.rows for found in read), sum(found.doubts for found in read)
        in_part = sum(not found.is_whole for found in read)
        return CrossCheck(len(read), rows, dict(+others), tuple(places), alone, unsure, in_part)

    def _build_reader(
        self, matcher: Matcher, wanted: Sequence[KeyedHashes]
    ) -> tuple[TableReader, tuple[OneReader, ...]]:
        keys, alone, columns = list[ReadKey](), list[OneReader](), dict[str, None]()
        in_files = [column.name for column in self._table.columns]
        for keyed in wanted:
            try:
                keys.append(ReadKey.of(keyed, PlainKey.of(keyed.key, self._table), self._key))
            except NotPlain as reason:
                alone.append(OneReader(keyed.key, str(reason)))
                types = keyed.types or self._engine.types(matcher.table, keyed.key)
                counted = (column for column in types.columns if not _MOMENT.search(column.data_type))
                names = (column.name.partition(".")[0] for column in counted)
                columns |= dict.fromkeys(name for name in names if name in in_files)
        with_values = ColumnsWithValues(tuple(columns), tuple(in_files))
        return TableReader(tuple(keys), with_values, is_partly=bool(alone)), tuple(alone)

    def _read(self, file: SearchedFile, reader: TableReader, rows: int | None) -> _Read:
        """Raises NotPlain if the file cannot be read here as Spark reads it."""
        try:
            source = RangedFile(self._file_system, file.source.path, file.source.length_bytes)
            opened = ArrowFile(source)  # type: ignore[arg-type]
            return self._count(_Read(file, opened.row_count, is_partly=reader.is_partly), opened, reader, rows)
        except NotPlain:
            raise
        except StorageError:
            is_there = self._file_system.exists(file.source.path)
            raise NotPlain("storage cannot read the file" if is_there else _GONE) from None
        except EOFError:
            raise NotPlain("the file changed meanwhile") from None
        except Exception as error:  # noqa: BLE001 (pyarrow's are of many kinds, and may quote values)
            raise NotPlain(f"pyarrow cannot read the file ({type(error).__name__})") from None

    def _count(self, found: _Read, file: ArrowFile, reader: TableReader, rows: int | None) -> _Read:
        bound = reader.bind(file.columns, found.file.source.partition)
        for part in spread(file.part_count):
            if rows is not None and found.rows >= rows:
                found.is_whole = False
                break
            for batch in file.batches(part, bound.columns):
                counted = bound.count(batch, found.control)
                found.control = counted.control
                found.rows += counted.rows
                found.matches += counted.matches
                found.doubts += counted.doubts
                found.controls += counted.controls
                found.with_values.update(counted.with_values)
        return found

    def _find_blindness(self, matcher: Matcher, read: Sequence[_Read]) -> list[Place]:
        """The files in which the search does not find what is known to be there."""
        known = [found for found in read if found.control is not None and found.fits()]
        values: dict[Key, set[tuple[str, ...]]] = {}
        for control in (found.control for found in known if found.control is not None):
            values.setdefault(control.key, set()).add(tuple(part.decode() for part in control.parts))
        controls = tuple(
            KeyedHashes(key, frozenset(self._engine.spell_each(matcher.table, key, sorted(texts))))
            for key, texts in values.items()
        )
        counts = self._search(matcher, controls, known) if known else {}
        detail = "a value that pyarrow reads in {} rows was found in {} by the search"
        return [
            _blind(found, detail.format(found.controls, count))
            for found, count in self._compare(known, counts)
            if count < found.controls
        ]

    def _find_missing_values(self, matcher: Matcher, reader: TableReader, read: Sequence[_Read]) -> list[Place]:
        """The files in which the search finds fewer or more values in a column of a key that only Spark computes."""
        places = []
        for column in reader.with_values.names:
            key = Key((f"`{column}` IS NOT NULL",))
            controls = KeyedHashes(key, frozenset(self._engine.spell_each(matcher.table, key, [("true",)])))
            counts = self._search(matcher, (controls,), read)
            for found, count in self._compare(read, counts):
                known = found.with_values[column]
                if count < known or (found.is_whole and count > known):
                    detail = f"column {column}, of which a key is computed, has {known} values as pyarrow reads it, "
                    places.append(_blind(found, f"{detail}and {count} as the search does"))
        return places

    def _compare(self, read: Sequence[_Read], counts: Mapping[str, int | None]) -> Iterator[tuple[_Read, int]]:
        """The files with what the search finds in them; nothing for one that it cannot read, unless it is gone."""
        for found in read:
            count = counts.get(found.file.source.path, 0)
            if count is not None or self._file_system.exists(found.file.source.path):
                yield found, count or 0

    def _search(
        self, matcher: Matcher, controls: tuple[KeyedHashes, ...], read: Sequence[_Read]
    ) -> dict[str, int | None]:
        """How many rows the search finds by path; None where it tells why it cannot, 0 if it tells nothing."""
        files = tuple(found.file.source for found in read)
        seen = self._engine.search(Matcher(matcher.table, controls), files) if files else ()
        return {each.path: each.match_count if each.problem is None else None for each in seen}


@dataclass
class _Read:
    """The second reader's finds in a file. The first value of a key is the control.

    `is_partly`: there are keys that only Spark computes. `with_values`: how many rows have one, by column.
    """

    file: SearchedFile
    all_rows: int
    is_partly: bool
    is_whole: bool = True
    rows: int = 0
    matches: int = 0
    doubts: int = 0
    control: Control | None = None
    controls: int = 0
    with_values: Counter[str] = field(default_factory=Counter)

    def fits(self) -> bool:
        """False if the search cannot have read the same file rightly."""
        told, missing = self.file, self.all_rows - self.rows
        if self.all_rows != told.row_count or (self.is_whole and missing):
            return False
        most = told.row_count if self.is_partly else self.matches + self.doubts + missing
        return self.matches <= told.match_count <= most


def _differ(found: _Read) -> Place:
    file = found.file
    told = f"the search read {file.row_count} rows, {file.match_count} of subjects"
    some = "" if found.is_whole else f", in {found.rows} of which it looked for subjects"
    unsure = f" and {found.doubts} that Spark may spell otherwise" if found.doubts else ""
    detail = f"{told}; pyarrow reads {found.all_rows}{some}, {found.matches} of them{unsure}"
    return Place(PlaceKind.CROSS_CHECK, file.path, detail, file.source.partition)


def _blind(found: _Read, seen: str) -> Place:
    detail = f"{seen}, so that finding no subject there means nothing"
    return Place(PlaceKind.CROSS_CHECK, found.file.path, detail, found.file.source.partition)


def _stood_aside(file: SearchedFile, reason: NotPlain) -> Place:
    detail = f"one reader alone has read it, for the second could not: {reason}; a major compaction writes it anew"
    return Place(PlaceKind.CROSS_CHECK, file.path, detail, file.source.partition)
