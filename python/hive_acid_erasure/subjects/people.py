"""The values of the subjects, and where a text has spellings of them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from hive_acid_erasure.subjects.folding import fold, fold_reading, is_within_word
from hive_acid_erasure.subjects.hashed_values import normalise_number
from hive_acid_erasure.subjects.readings import Reading

_PREFIX = 3
"""Values are looked up by so many characters."""
_CUT = "…"
"""Behind a text of ours that was cut (hive_acid.history.note)."""
_BETWEEN = re.compile(r"""[^\w]{0,40}(?:[^\W\d]\w{0,60}["'`\]]?\s{0,2}(?:=|:|=>)\s{0,2})?[^\w]{0,8}""")
"""The text between two values that belong together: signs, and the name of the second one's column."""


@dataclass(frozen=True)
class Mention:
    """A place in a text, `start` to `end`, exclusive, that spells a value; `values` are all that it may be."""

    start: int
    end: int
    values: tuple[str, ...]


class People:
    """The values of subjects by their folded spellings."""

    def __init__(self, rows: Iterable[Sequence[str | None]] = ()) -> None:
        """`rows` has a tuple of values for each subject; they stay in this process."""
        values: dict[str, dict[str, None]] = {}
        self._rows: dict[tuple[str, ...], tuple[str, ...]] = {}
        for row in rows:
            whole = tuple(value for value in row if value is not None)
            for value in whole:
                values.setdefault(fold(value), {})[value] = None
            if len(whole) == len(row):
                self._rows[tuple(map(fold, whole))] = whole
        self._rows_in_order = {tuple(sorted(folded)): row for folded, row in self._rows.items()}
        self._values = {folded: tuple(spelled) for folded, spelled in values.items() if folded}
        lengths: dict[str, set[int]] = {}
        for folded in self._values:
            lengths.setdefault(folded[:_PREFIX], set()).add(len(folded))
        self._lengths = {prefix: sorted(found, reverse=True) for prefix, found in lengths.items()}
        self._sorted = sorted(self._values)
        self._longest = max(map(len, self._sorted), default=0)
        self._numbers: dict[str, tuple[str, ...]] = {}
        for folded, spelled in self._values.items():
            if (number := normalise_number(folded)) is not None:
                self._numbers[number] = (*self._numbers.get(number, ()), *spelled)
        self._prefixes = sorted({len(prefix) for prefix in lengths}, reverse=True)

    @property
    def values(self) -> frozenset[str]:
        """All values, as they were given."""
        return frozenset(value for spelled in self._values.values() for value in spelled)

    @cached_property
    def sizes(self) -> frozenset[int]:
        """How many values subjects have that have one in each column."""
        return frozenset(map(len, self._rows))

    def find_row(self, parts: Sequence[str]) -> tuple[str, ...] | None:
        """The values of the subject whose values all these spell, in their order; None if there is none."""
        return self._rows.get(tuple(map(fold, parts)))

    def find_row_of(self, parts: Sequence[str]) -> tuple[str, ...] | None:
        """The values of a subject that these spell in any order; None if there is none."""
        return self._rows_in_order.get(tuple(sorted(map(fold, parts))))

    def find_values(self, text: str) -> tuple[str, ...]:
        """The values that a text as a whole spells."""
        return self._values.get(fold(text), ())

    def find_numbers(self, text: str) -> tuple[str, ...]:
        """The values that are the same number as a text."""
        number = normalise_number(text) if self._numbers else None
        return self._numbers.get(number, ()) if number is not None else ()

    def find_mentions(self, reading: Reading) -> list[Mention]:
        """The places of the text that spell a value, when it is read so."""
        return [*self._find_in(fold_reading(reading)), *self._find_cut(reading)] if self._values else []

    def _find_cut(self, reading: Reading) -> Iterator[Mention]:
        """The places where at least half of a value stands before the sign of what was cut."""
        text = reading.text
        for end in (at for at, character in enumerate(text) if character == _CUT):
            for start in range(max(0, end - self._longest), end):
                if not is_within_word(text, start) and (values := self._find_begun(fold(text[start:end]))):
                    yield Mention(reading.starts[start], reading.ends[end - 1], values)
                    break

    def _find_begun(self, begun: str) -> tuple[str, ...]:
        for folded in self._sorted[bisect_left(self._sorted, begun) :] if begun else ():
            if not folded.startswith(begun):
                break
            if len(folded) <= 2 * len(begun):
                return self._values[folded]
        return ()

    def _find_in(self, folded: Reading) -> Iterator[Mention]:
        text = folded.text
        for at in range(len(text)):
            if is_within_word(text, at):
                continue
            for size in self._prefixes:
                for length in self._lengths.get(text[at : at + size], ()):
                    values = self._values.get(text[at : at + length]) if at + length <= len(text) else None
                    if values and not is_within_word(text, at + length):
                        yield Mention(folded.starts[at], folded.ends[at + length - 1], values)


def find_neighbours(text: str, found: Sequence[Mention], size: int) -> Iterator[tuple[Mention, ...]]:
    """So many values at a time that stand beside each other in a text, in its order."""

    def grow(chosen: tuple[Mention, ...]) -> Iterator[tuple[Mention, ...]]:
        if len(chosen) == size:
            yield chosen
            return
        end = chosen[-1].end
        for other in found:
            if other.start >= end and _BETWEEN.fullmatch(text[end : other.start]):
                yield from grow((*chosen, other))

    for first in found:
        yield from grow((first,))
