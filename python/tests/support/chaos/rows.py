"""The rows and layouts of the tables whose catalog entries change under their readers and writers.

A row is known by its key: every value says which column it belongs to and which row, so that values of another column,
row or table are seen. Tables made one after the other under one name differ in the order of columns, in the order of
partition columns and in types, never in names: a statement that names its columns is right for all of them.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

KEYS_PER_WRITE = 4
"""Rows of a write: one in each partition."""
OFFSETS = {"a": 10_000_000, "b": 20_000_000}
"""Column `a` of row 7 holds 10000007."""
COLUMNS = {"t": ("STRING",), "n": ("INT",), "a": ("INT", "BIGINT", "STRING"), "b": ("INT", "STRING"), "v": ("INT",)}
"""The types from which each table has one; `t` names the write, `n` is the key, `v` counts updates."""
PARTITION_COLUMNS = {"p": ("INT", "STRING"), "q": ("INT", "BIGINT")}
ADDED = "x_"
"""Begins the names of columns that are added later; no row has a value there."""
RESIDUES = 7
"""An UPDATE or DELETE touches the rows whose key has one of these residues."""
TRANSACTIONAL = "STORED AS ORC TBLPROPERTIES ('transactional'='true')"

Place = tuple[int, int]
"""The values of `p` and `q`."""
NOWHERE: Place = (0, 0)
"""The place of all rows of a flat table."""


@dataclass(frozen=True)
class Slot:
    """A name under which one table after the other is found."""

    name: str
    is_partitioned: bool

    def place_of(self, key: int) -> Place:
        """Where a row is written."""
        return (100 + key % 2, 200 + key // 2 % 2) if self.is_partitioned else NOWHERE

    @property
    def columns(self) -> tuple[str, ...]:
        """All of them, partition columns last."""
        return (*COLUMNS, *(PARTITION_COLUMNS if self.is_partitioned else ()))


@dataclass(frozen=True)
class SeenRow:
    """A row as a read shows it."""

    key: int
    updates: int
    place: Place


@dataclass(frozen=True)
class Layout:
    """Columns with their types, in order, and the partition columns likewise."""

    columns: tuple[tuple[str, str], ...]
    partition_columns: tuple[tuple[str, str], ...]

    @classmethod
    def choose(cls, slot: Slot, chance: random.Random) -> Layout:
        """Any order, any of the types."""

        def shuffled(columns: Mapping[str, tuple[str, ...]]) -> tuple[tuple[str, str], ...]:
            found = [(name, chance.choice(types)) for name, types in columns.items()]
            chance.shuffle(found)
            return tuple(found)

        return cls(shuffled(COLUMNS), shuffled(PARTITION_COLUMNS) if slot.is_partitioned else ())

    def create(self, name: str) -> str:
        """CREATE TABLE."""
        partitions = f"PARTITIONED BY ({_declare(self.partition_columns)})" if self.partition_columns else ""
        return f"CREATE TABLE {name} ({_declare(self.columns)}) {partitions} {TRANSACTIONAL}"

    def create_as(self, name: str, source: str) -> str:
        """CREATE TABLE AS; the source has all columns by their names."""
        names = ", ".join(column for column, _ in self.partition_columns)
        casts = ", ".join(
            f"CAST({column} AS {kind}) AS {column}" for column, kind in (*self.columns, *self.partition_columns)
        )
        partitions = f"PARTITIONED BY ({names})" if names else ""
        return f"CREATE TABLE {name} {partitions} {TRANSACTIONAL} AS SELECT {casts} FROM ({source})"


def _declare(columns: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f"{name} {kind}" for name, kind in columns)


def keys_of(write: int) -> tuple[int, ...]:
    """The keys of the rows of a write, by the write's number."""
    return tuple(range(write * KEYS_PER_WRITE, (write + 1) * KEYS_PER_WRITE))


def source_of(write: int, columns: Sequence[str]) -> str:
    """The rows of a write as a query with these columns, in two tasks."""
    values = {
        "t": f"'w{write}'",
        "n": "CAST(id AS INT)",
        "v": "0",
        "p": "CAST(100 + id % 2 AS INT)",
        "q": "CAST(200 + id DIV 2 % 2 AS INT)",
        **{column: f"CAST({offset} + id AS INT)" for column, offset in OFFSETS.items()},
    }
    shown = ", ".join(f"{values[column]} AS {column}" for column in columns)
    first = write * KEYS_PER_WRITE
    return f"SELECT {shown} FROM range({first}, {first + KEYS_PER_WRITE}, 1, 2)"


def insert_into(name: str, write: int, columns: Sequence[str], verb: str = "INTO") -> str:
    """INSERT of the rows of a write, the columns named in this order."""
    return f"INSERT {verb} {name} ({', '.join(columns)}) {source_of(write, columns)}"


def parse_row(text: str) -> SeenRow | str:
    """A row as `to_json(struct(*))` has it, or the text itself if any value is wrong."""
    values = {name: value for name, value in json.loads(text).items() if not name.startswith(ADDED)}
    try:
        key, updates = int(values["n"]), int(values["v"])
        place = (int(values["p"]), int(values["q"])) if "p" in values or "q" in values else NOWHERE
        is_right = (
            values["t"] == f"w{key // KEYS_PER_WRITE}"
            and all(int(values[column]) == offset + key for column, offset in OFFSETS.items())
            and len(values) == len(COLUMNS) + (0 if place == NOWHERE else len(PARTITION_COLUMNS))
            and not any(name.startswith(ADDED) for name in json.loads(text))
        )
    except (KeyError, ValueError, TypeError):
        return text
    return SeenRow(key, updates, place) if is_right else text
