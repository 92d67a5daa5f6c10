"""The keys of a table as pyarrow reads them in one of its files, batch by batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hive_acid.api.tables import TableDescription
from hive_acid_erasure.engine import Key
from hive_acid_erasure.second_reader.arrow_files import FileColumns
from hive_acid_erasure.second_reader.named_rows import NamedRows, OneColumn, SeveralColumns, Spelled
from hive_acid_erasure.second_reader.plain_keys import Doubt, NotPlain, PlainPart, find_type, parse_part
from hive_acid_erasure.second_reader.plain_values import (
    Speller,
    check_declared,
    check_partition_type,
    find_speller,
    read_partition_value,
)

Batch = Mapping[str, Any]
"""Arrow arrays of one length, by the names of columns in the file."""


@dataclass(frozen=True)
class PlainKey:
    """A key that can be computed without Spark, over columns of these types in Hive's spelling."""

    parts: tuple[PlainPart, ...]
    columns: Mapping[str, str]
    partition_columns: Mapping[str, str]

    @classmethod
    def of(cls, key: Key, table: TableDescription) -> PlainKey:
        """Raises NotPlain for a key that only Spark computes."""
        found = cls(
            tuple(map(parse_part, key.parts)),
            {column.name: column.type for column in table.columns},
            {column.name: column.type for column in table.partition_columns},
        )
        is_many = [found._check(part) for part in found.parts]
        if len(is_many) > 1 and any(is_many):
            raise NotPlain("a key is an expression that only Spark computes")
        return found

    def _check(self, part: PlainPart) -> bool:
        """True for a part with several values. Raises NotPlain for a type that only Spark spells."""
        is_partition = part.path[0] in self.partition_columns
        declared = find_type(self.partition_columns if is_partition else self.columns, part.path).lower()
        if is_partition:
            check_partition_type(declared)
        if part.of_map and declared.startswith("map<"):
            check_declared(declared[len("map<") :].partition(",")[0])
            return True
        if declared.startswith("array<") and not part.functions:
            check_declared(declared[len("array<") : -1])
            return True
        check_declared("" if part.of_map else declared)
        return False

    def bind(self, file: FileColumns, partition: str) -> tuple[BoundKey, ...]:
        """The key in a file: by each way in which some engine finds the columns. Raises NotPlain."""
        found = [self._bind(file, where, partition) for where in file.find(list(self.columns))]
        return tuple({key.places: key for key in found}.values())

    def _bind(self, file: FileColumns, where: Mapping[str, str], partition: str) -> BoundKey:
        return BoundKey(tuple(self._bind_part(part, file, where, partition) for part in self.parts))

    def _bind_part(self, part: PlainPart, file: FileColumns, where: Mapping[str, str], partition: str) -> BoundPart:
        name = part.path[0]
        if name in self.partition_columns:
            text = read_partition_value(partition, name, self.partition_columns[name])
            return BoundPart((), _nothing, constant=None if text is None else _apply_surely(part, text))
        if name not in where:
            return BoundPart((), _nothing)
        column, fields, stored = where[name], list[str](), file.types[where[name]]
        for each in part.path[1:]:
            inner = _fields_of(stored)
            if each not in inner:
                return BoundPart((), _nothing)
            fields.append(inner[each][0])
            stored = inner[each][1]
        spell, form = _find_spelling(part, find_type(self.columns, part.path), stored)
        return BoundPart((column, *fields), lambda value: _spell(part, spell, value), form)


def _fields_of(stored: Any) -> dict[str, tuple[str, Any]]:
    """Names and types of the fields of a struct, by the names in lower case; none for another type."""
    from pyarrow import types

    if not types.is_struct(stored):
        return {}
    fields = [stored.field(at) for at in range(stored.num_fields)]
    return {each.name.lower(): (each.name, each.type) for each in reversed(fields)}


def _find_spelling(part: PlainPart, declared: str, stored: Any) -> tuple[Speller, str]:
    """How the values are spelled, and whether they are those of a `map`, of a `list`, or neither."""
    from pyarrow import types

    wanted, form = declared.lower(), ""
    if part.of_map and types.is_map(stored):
        wanted, stored, form = wanted[len("map<") :].partition(",")[0], stored.key_type, "map"
    elif wanted.startswith("array<") and types.is_list(stored):
        wanted, stored, form = wanted[len("array<") : -1], stored.value_type, "list"
    elif types.is_dictionary(stored):
        stored = stored.value_type
    return find_speller(wanted, stored), form


def _spell(part: PlainPart, spell: Speller, value: Any) -> bytes:
    """The text of a part. Raises Doubt, with the functions' text of one that engines may cut, or of a day of old."""
    try:
        spelled = spell(value)
    except Doubt as doubt:
        raise Doubt(_apply_anyway(part, doubt.text)) from None
    return part.apply(spelled)


def _apply_anyway(part: PlainPart, text: bytes) -> bytes:
    try:
        return part.apply(text)
    except Doubt as doubt:
        return doubt.text


def _apply_surely(part: PlainPart, text: bytes) -> bytes:
    try:
        return part.apply(text)
    except Doubt:
        raise NotPlain("the value of its partition has letters whose case only Spark tells") from None


def _nothing(_: Any) -> bytes:
    raise AssertionError("a column that is not in the file has no values")


@dataclass(frozen=True)
class BoundPart:
    """A part of a key in one file. `place` are the names of a column and of fields in it; empty: there is none."""

    place: tuple[str, ...]
    spell: Speller = field(compare=False)
    form: str = ""
    constant: bytes | None = None

    def read(self, batch: Batch) -> OneColumn:
        """The different values in a batch; the part has a place."""
        import pyarrow
        import pyarrow.compute as pc

        array = batch[self.place[0]]
        if len(self.place) > 1:
            array = pc.struct_field(array, list(self.place[1:]))
        rows = None
        if self.form == "map":
            array = pyarrow.ListArray.from_arrays(array.offsets, array.keys)
        if self.form:
            array, rows = pc.list_flatten(array), pc.list_parent_indices(array)
        encoded = _as_bytes(array).dictionary_encode("encode")
        return OneColumn(encoded.dictionary, self.spell, encoded.indices, rows)

    def number(self, batch: Batch, row_count: int) -> tuple[list[Spelled], Any]:
        """The different values, spelled, and their numbers row by row."""
        import pyarrow

        if not self.place:
            parts = None if self.constant is None else (self.constant,)
            numbers = pyarrow.repeat(pyarrow.scalar(0, pyarrow.int32()), row_count)
            return [Spelled(0, parts, is_doubtful=False)], numbers
        read = self.read(batch)
        return list(read.spell_all()), read.codes


def _as_bytes(array: Any) -> Any:
    """Texts as the bytes that they are stored as, which need not be UTF-8."""
    import pyarrow
    from pyarrow import types

    if types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if types.is_string(array.type) or types.is_string_view(array.type) or types.is_binary_view(array.type):
        return array.cast(pyarrow.binary())
    return array.cast(pyarrow.large_binary()) if types.is_large_string(array.type) else array


@dataclass(frozen=True)
class BoundKey:
    """A key in one file."""

    parts: tuple[BoundPart, ...]

    @property
    def places(self) -> tuple[tuple[str, ...], ...]:
        """The columns and fields that it is computed of; two keys with the same are the same."""
        return tuple(part.place for part in self.parts)

    def read(self, batch: Batch, row_count: int) -> NamedRows:
        """The values in a batch of so many rows."""
        import pyarrow

        if len(self.parts) == 1 and self.parts[0].place:
            return self.parts[0].read(batch)
        read = [part.number(batch, row_count) for part in self.parts]
        numbers = dict[tuple[int, ...], int]()
        combined = zip(*(codes.to_pylist() for _, codes in read), strict=True)
        codes = pyarrow.array([numbers.setdefault(each, len(numbers)) for each in combined], pyarrow.int32())
        columns = [values for values, _ in read]
        values = [
            _combine(number, [values[at] for values, at in zip(columns, each, strict=True)])
            for each, number in numbers.items()
        ]
        return SeveralColumns(values, codes)


def _combine(number: int, values: Sequence[Spelled]) -> Spelled:
    parts = [value.parts for value in values if value.parts is not None]
    joined = tuple(text for each in parts for text in each) if len(parts) == len(values) else None
    return Spelled(number, joined, any(value.is_doubtful for value in values))
