"""The rows of a file that the keys of its table name, as the second reader reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from hive_acid_erasure.engine import Key, KeyedHashes
from hive_acid_erasure.second_reader.arrow_files import FileColumns
from hive_acid_erasure.second_reader.arrow_keys import Batch, BoundKey, PlainKey
from hive_acid_erasure.second_reader.named_rows import Control, KnownValues, NamedRows, Parts
from hive_acid_erasure.subjects.keyed_hash import HashKey

_KEPT_ANSWERS = 1 << 18
"""About 60 MiB for each key."""


@dataclass(frozen=True)
class ColumnsWithValues:
    """Columns whose rows with a value are counted. `table` are all that its files may have, in order."""

    names: tuple[str, ...]
    table: tuple[str, ...]

    def bind(self, file: FileColumns) -> dict[str, tuple[str, ...]]:
        """The columns of the file that each may be."""
        ways = file.find(self.table)
        return {name: tuple({way[name]: None for way in ways if name in way}) for name in self.names}


@dataclass(frozen=True)
class Counted:
    """The finds in a batch. A row counts once, by whatever key and reading. `control` is a value that is there."""

    rows: int
    matches: int
    doubts: int
    control: Control | None
    controls: int
    with_values: Mapping[str, int]


@dataclass(frozen=True)
class ReadKey:
    """A key whose values are read here. `is_subject` tells of a value whether it is one of a subject.

    `nobody` are values of which this was asked, for a person has rows in many files.
    """

    key: Key
    plain: PlainKey
    is_subject: Callable[[Parts], bool]
    nobody: KnownValues = field(default_factory=KnownValues, compare=False)

    @classmethod
    def of(cls, keyed: KeyedHashes, plain: PlainKey, hash_key: HashKey) -> ReadKey:
        """The key that knows its subjects by their hashes. Answers are kept, for keys of several columns too."""
        return cls(keyed.key, plain, lru_cache(_KEPT_ANSWERS)(lambda parts: hash_key.hash_bytes(parts) in keyed.hashes))

    def ask(self, named: NamedRows) -> tuple[list[int], list[int]]:
        """The numbers of the values that are subjects', and of those that Spark may spell otherwise."""
        found, unsure, others = list[int](), list[int](), list[int]()
        for value in named.spell(self.nobody):
            if value.is_doubtful:
                unsure.append(value.number)
            if value.parts and self.is_subject(value.parts):
                found.append(value.number)
            elif not value.is_doubtful:
                others.append(value.number)
        named.learn(self.nobody, others)
        return found, unsure


@dataclass(frozen=True)
class TableReader:
    """The keys of a table that are computed here, and the columns of those that only Spark computes.

    `is_partly`: there are such.
    """

    keys: tuple[ReadKey, ...]
    with_values: ColumnsWithValues
    is_partly: bool

    def bind(self, file: FileColumns, partition: str) -> BoundReader:
        """The same in a file. Raises NotPlain if Spark may read other values of it."""
        keys = tuple((key, bound) for key in self.keys for bound in key.plain.bind(file, partition))
        return BoundReader(keys, self.with_values.bind(file), next(iter(file.types), ""))


@dataclass(frozen=True)
class BoundReader:
    """The keys of a table in one file. `filler` is a column by which rows are counted where no key needs any."""

    keys: tuple[tuple[ReadKey, BoundKey], ...]
    with_values: Mapping[str, tuple[str, ...]]
    filler: str

    @property
    def columns(self) -> list[str]:
        """The columns of the file that are read."""
        of_keys = (part.place[0] for _, key in self.keys for part in key.parts if part.place)
        return sorted({*of_keys, *(name for names in self.with_values.values() for name in names)}) or [self.filler]

    def count(self, batch: Batch, control: Control | None) -> Counted:
        """The rows of a batch that keys name. `control` is that of the batches before."""
        row_count = len(next(iter(batch.values())))
        matches, doubts, controls = set[int](), set[int](), set[int]()
        for read, bound in self.keys:
            named = bound.read(batch, row_count)
            found, unsure = read.ask(named)
            matches |= named.rows_of(found)
            doubts |= named.rows_of(unsure)
            control = control or named.find_control(read.key)
            if control is not None and control.key == read.key:
                controls |= named.rows_of(named.find(control))
        with_values = {name: _count_values(batch, names) for name, names in self.with_values.items()}
        return Counted(row_count, len(matches), len(doubts - matches), control, len(controls), with_values)


def _count_values(batch: Batch, names: Sequence[str]) -> int:
    """How many rows have a value in one of these columns."""
    import pyarrow.compute as pc

    found = None
    for name in names:
        is_there = pc.is_valid(batch[name])
        found = is_there if found is None else pc.or_(found, is_there)
    return 0 if found is None else pc.sum(found).as_py() or 0
