"""The rows of a file that the keys of its table name, as the second reader reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from hive_acid.erasure.arrow_files import FileColumns
from hive_acid.erasure.arrow_keys import Batch, BoundKey, NamedRows, Parts, PlainKey
from hive_acid.erasure.engine import Key, KeyedHashes
from hive_acid.erasure.keyed_hash import HashKey

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
    """The finds in a batch. A row counts once, by whatever key and reading. `control` is the first value of a key."""

    rows: int
    matches: int
    doubts: int
    control: tuple[Key, Parts] | None
    controls: int
    with_values: Mapping[str, int]


@dataclass(frozen=True)
class ReadKey:
    """A key whose values are read here. `is_subject` tells of a value whether it is one of a subject."""

    key: Key
    plain: PlainKey
    is_subject: Callable[[Parts], bool]

    @classmethod
    def of(cls, keyed: KeyedHashes, plain: PlainKey, hash_key: HashKey) -> ReadKey:
        """The key that knows its subjects by their hashes. Answers are kept: a person has rows in many files."""
        return cls(keyed.key, plain, lru_cache(_KEPT_ANSWERS)(lambda parts: hash_key.hash_bytes(parts) in keyed.hashes))


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

    def count(self, batch: Batch, control: tuple[Key, Parts] | None) -> Counted:
        """The rows of a batch that keys name. `control` is that of the batches before."""
        row_count = len(next(iter(batch.values())))
        matches, doubts, controls = set[int](), set[int](), set[int]()
        for read, bound in self.keys:
            named = bound.read(batch, row_count)
            hits = [at for at, parts in enumerate(named.values) if parts and read.is_subject(parts)]
            matches |= named.rows_of(hits)
            doubts |= named.rows_of(sorted(named.doubts))
            control = control or _find_control(read.key, named)
            if control is not None and control[0] == read.key:
                controls |= named.rows_of([at for at, parts in enumerate(named.values) if parts == control[1]])
        with_values = {name: _count_values(batch, names) for name, names in self.with_values.items()}
        return Counted(row_count, len(matches), len(doubts - matches), control, len(controls), with_values)


def _find_control(key: Key, named: NamedRows) -> tuple[Key, Parts] | None:
    """The first value that is sure, and a text."""
    for at, parts in enumerate(named.values):
        if parts is not None and at not in named.doubts and all(map(_is_text, parts)):
            return key, parts
    return None


def _is_text(part: bytes) -> bool:
    try:
        return "\ufffd" not in part.decode()
    except UnicodeDecodeError:
        return False


def _count_values(batch: Batch, names: Sequence[str]) -> int:
    """How many rows have a value in one of these columns."""
    import pyarrow.compute as pc

    found = None
    for name in names:
        is_there = pc.is_valid(batch[name])
        found = is_there if found is None else pc.or_(found, is_there)
    return 0 if found is None else pc.sum(found).as_py() or 0
