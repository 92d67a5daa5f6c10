"""The values of a key in a batch of rows: each different one is spelled once, and not again if no subject has it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hive_acid_erasure.engine import Key
from hive_acid_erasure.second_reader.plain_keys import Doubt

Parts = tuple[bytes, ...]

_KNOWN_VALUES = 1 << 18
"""Looking through them costs about 10 ms for each batch."""


@dataclass(frozen=True)
class Spelled:
    """A value by its number in a batch. `parts` is None for NULL. `is_doubtful`: Spark may spell it otherwise."""

    number: int
    parts: Parts | None
    is_doubtful: bool


@dataclass(frozen=True)
class Control:
    """A value of a key that is known to be in a file. `stored` is an Arrow scalar, None if it has several columns."""

    key: Key
    parts: Parts
    stored: Any


class KnownValues:
    """The last values of a key of one column that no subject has, as files store them."""

    def __init__(self) -> None:
        self._values: dict[Any, Any] = {}

    def find_others(self, stored: Any) -> Any:
        """The numbers of the values in an Arrow array that are not known, as an Arrow array."""
        import pyarrow
        import pyarrow.compute as pc

        known = self._values.get(stored.type)  # the type in the file decides how a value is spelled
        if known is None:
            return pyarrow.array(range(len(stored)), pyarrow.uint64())
        return pc.indices_nonzero(pc.invert(pc.is_in(stored, value_set=known)))

    def add(self, stored: Any, numbers: Sequence[int]) -> None:
        """These values of the array are no subject's, each surely."""
        import pyarrow

        if numbers:
            new = stored.take(pyarrow.array(numbers, pyarrow.int32()))
            known = self._values.get(stored.type, new[:0])
            self._values[stored.type] = pyarrow.concat_arrays([new, known])[:_KNOWN_VALUES]


class NamedRows(ABC):
    """The different values of a key in a batch by their numbers, and the rows that have them.

    `codes` are the numbers row by row, or of elements of lists, whose rows are `rows` then.
    """

    def __init__(self, codes: Any, rows: Any = None) -> None:
        self.codes = codes
        self._rows = rows

    @abstractmethod
    def spell(self, known: KnownValues) -> Iterator[Spelled]:
        """The values that are not known."""

    @abstractmethod
    def learn(self, known: KnownValues, numbers: Sequence[int]) -> None:
        """Keeps these values as ones that no subject has."""

    @abstractmethod
    def find_control(self, key: Key) -> Control | None:
        """The first value that is sure, and a text."""

    @abstractmethod
    def find(self, control: Control) -> list[int]:
        """The numbers of the values that are that of the control."""

    def rows_of(self, numbers: Sequence[int]) -> set[int]:
        """The numbers of the rows that have one of these values."""
        import pyarrow
        import pyarrow.compute as pc

        if not numbers:
            return set()
        is_one = pc.is_in(self.codes, value_set=pyarrow.array(numbers, self.codes.type))
        found = pc.indices_nonzero(is_one) if self._rows is None else self._rows.filter(is_one)
        return set(found.to_pylist())


class OneColumn(NamedRows):
    """The values of a key of one column: an Arrow array of the different ones, and how one is spelled."""

    def __init__(self, stored: Any, spell: Callable[[Any], bytes], codes: Any, rows: Any) -> None:
        super().__init__(codes, rows)
        self._stored = stored
        self._spell = spell

    def spell(self, known: KnownValues) -> Iterator[Spelled]:
        numbers = known.find_others(self._stored)
        return self._spell_each(numbers.to_pylist(), self._stored.take(numbers).to_pylist())

    def spell_all(self) -> Iterator[Spelled]:
        """Every value, one after the other."""
        return self._spell_each(range(len(self._stored)), (value.as_py() for value in self._stored))

    def _spell_each(self, numbers: Iterable[int], values: Iterable[Any]) -> Iterator[Spelled]:
        for number, value in zip(numbers, values, strict=True):
            try:
                yield Spelled(number, None if value is None else (self._spell(value),), is_doubtful=False)
            except Doubt as doubt:
                yield Spelled(number, (doubt.text,), is_doubtful=True)

    def learn(self, known: KnownValues, numbers: Sequence[int]) -> None:
        known.add(self._stored, numbers)

    def find_control(self, key: Key) -> Control | None:
        found = _find_text(self.spell_all())
        return None if found is None else Control(key, found.parts or (), self._stored[found.number])

    def find(self, control: Control) -> list[int]:
        """See `NamedRows`. Values that are stored otherwise and spelled alike are not counted."""
        import pyarrow.compute as pc

        if control.stored is None or control.stored.type != self._stored.type:
            return []
        return list[int](pc.indices_nonzero(pc.equal(self._stored, control.stored)).to_pylist())


class SeveralColumns(NamedRows):
    """The values of a key of several columns, or of none, spelled."""

    def __init__(self, values: Sequence[Spelled], codes: Any) -> None:
        super().__init__(codes)
        self._values = values

    def spell(self, known: KnownValues) -> Iterator[Spelled]:
        """See `NamedRows`. None is known."""
        return iter(self._values)

    def learn(self, known: KnownValues, numbers: Sequence[int]) -> None:
        """Keeps nothing."""

    def find_control(self, key: Key) -> Control | None:
        found = _find_text(self._values)
        return None if found is None else Control(key, found.parts or (), None)

    def find(self, control: Control) -> list[int]:
        return [value.number for value in self._values if value.parts == control.parts]


def _find_text(values: Iterable[Spelled]) -> Spelled | None:
    return next((v for v in values if v.parts is not None and not v.is_doubtful and all(map(_is_text, v.parts))), None)


def _is_text(part: bytes) -> bool:
    try:
        return "\ufffd" not in part.decode()
    except UnicodeDecodeError:
        return False
