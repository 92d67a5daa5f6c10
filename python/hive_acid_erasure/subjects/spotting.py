"""Finding subjects in texts by what is known of them, and hiding them there."""

from __future__ import annotations

import itertools
import re
import string
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import unquote

from hive_acid_erasure.engine import KeyedHashes
from hive_acid_erasure.subjects.hashed_values import (
    Span,
    build_spellings,
    find_candidates,
    find_folders,
    find_long_numbers,
    find_unordered,
    is_trifle,
    spell_number,
    trim,
    windows,
)
from hive_acid_erasure.subjects.keyed_hash import HashKey
from hive_acid_erasure.subjects.masks import build_mask
from hive_acid_erasure.subjects.people import Mention, People, find_neighbours
from hive_acid_erasure.subjects.readings import Reading, build_readings

_TRIFLE = re.compile(r"[0-9]{1,5}")
"""A number that names nobody in a text."""
_LISTED = re.compile(r"(?:=\s*|\[)['\"]?(?=[0-9])[^\]=\n]*")
"""A value, or values in brackets, that errors tell of a partition."""
_BARE_NUMBER = re.compile(r"(?<![\w.])[0-9]{1,5}(?![\w.]*\w)")
_CACHED = 100_000
_VALUE = re.compile("(?<==)[^/]+")
_FOLDER = re.compile("[^/]+")
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
"""Spark's folders have the columns' names in the case of the table, the metastore has them in lower case."""
_ENDS = re.compile(r"[/\s'\")\],;:]|$")
"""The characters that may stand behind the name of a partition in a text."""

_Spot = tuple[int, int, bytes]
"""Start, end and hash of a place that names a subject."""


class Spotter:
    """Knows the subjects of a table: the values that were given, and the hashes of its keys.

    A text names a subject by any spelling of a value (see `folding`), however formats escape it (see `readings`).
    Values that are known by their hashes alone, as links that other tables give, are found as they are spelled, in
    lower and in upper case. A key of several parts is named by as many values beside each other. Numbers of up to five
    digits alone name nobody in a text, where counts and IDs are such numbers; they do as values, also in the names of
    folders. Numbers that only other tables know name nobody at all.
    """

    def __init__(self, key: HashKey, keys: Iterable[KeyedHashes], spotters: Spotters) -> None:
        """`spotters` know the people, and the keys of all tables."""
        people, of_people = spotters.people, spotters.of_people
        self._key = key
        self._people = people
        self._hashes: dict[int, set[bytes]] = {}
        for keyed in keys:
            self._hashes.setdefault(len(keyed.key.parts), set()).update(keyed.hashes)
        every = {size: set(hashes) for size, hashes in self._hashes.items()}
        for keyed in spotters.learned:
            every.setdefault(len(keyed.key.parts), set()).update(keyed.hashes)
        self._sizes = {1} | people.sizes | self._hashes.keys()
        self._unknown = {size: hashes - of_people for size, hashes in every.items() if hashes - of_people}
        self._known: dict[tuple[str, ...], bytes | None] = {}
        self._known_in_any_order: dict[tuple[str, ...], bytes | None] = {}
        self._masked: dict[str, str] = {}
        self._hidden = {name.translate(_LOWER): spans for name, spans in spotters.hidden.items()}

    def count(self, text: str) -> int:
        """How many places of the text name a subject."""
        return len(_find_outer(self._spots(text)))

    def names(self, parts: Sequence[str]) -> bool:
        """True if the values name a subject: one by itself, or several in this order."""
        return self._find((*parts,)) is not None

    def names_person(self, text: str) -> bool:
        """True if the text as a whole is one of the values that were given."""
        return bool(self._people.find_values(text) or self._people.find_numbers(text)) or self.spells(text)

    def spells(self, text: str) -> bool:
        """True if one of the values that were given stands in the text, and is no short number."""
        found = ((text, mention) for each in build_readings(text) for mention in self._people.find_mentions(each))
        return any(not _is_trifle(text, mention) for text, mention in found)

    def mask(self, text: str) -> str:
        """The text with `#` and a part of its keyed hash in place of each value of a subject, as that is spelled there.

        So two texts that differ still do: a partition `city=Bonn` is not taken for `city=BONN`.
        """
        if text in self._masked:  # names in the ledger are masked again and again
            return self._masked[text]
        masked = text
        spots = (*self._spots(text), *self._values_in(text), *self._short_numbers(text), *self._hidden_in(text))
        for start, end, _ in reversed(_join_overlapping(spots)):
            masked = f"{masked[:start]}{build_mask(self._key, text[start:end])}{masked[end:]}"
        if len(self._masked) >= _CACHED:
            self._masked.clear()
        self._masked[text] = masked
        return masked

    def _spots(self, text: str) -> Iterator[_Spot]:
        """The places that name a subject."""
        for reading in build_readings(text):
            mentions = self._people.find_mentions(reading)
            single = [mention for mention in mentions if not _is_trifle(text, mention)]
            for size in self._sizes:
                yield from self._neighbours(text, single if size == 1 else mentions, size)
            yield from self._unknown_in(reading)
        for ((start, end),) in find_long_numbers(text):
            if found := self._find((text[start:end],)):
                yield start, end, found
        for spans in (each for size in self._sizes for each in find_folders(text, size)):
            if found := self._find_in_folders(tuple(text[start:end] for start, end in spans)):
                yield spans[0][0], spans[-1][1], found

    def _values_in(self, text: str) -> Iterator[_Spot]:
        """The places of all values, also of those that name nobody by themselves."""
        for reading in build_readings(text):
            for mention in self._people.find_mentions(reading):
                if not _is_trifle(text, mention):
                    yield mention.start, mention.end, self._key.hash_parts(mention.values[:1])
        for spans in (*find_long_numbers(text), *find_folders(text, 1)):
            ((start, end),) = spans
            value = text[start:end]
            values = self._people.find_values(value) or self._people.find_numbers(value)
            if values and not is_trifle(value):
                yield start, end, self._key.hash_parts(values[:1])

    def _short_numbers(self, text: str) -> Iterator[_Spot]:
        """The places of numbers of up to five digits, behind a sign that stands before values, that name a subject."""
        for listed in _LISTED.finditer(text):
            spans = [match.span() for match in _BARE_NUMBER.finditer(text, *listed.span())]
            shown = spans if listed.group().startswith("[") else spans[:1]
            for size in self._sizes:
                for chosen in windows(shown, size):
                    if found := self._find(tuple(text[start:end] for start, end in chosen)):
                        yield chosen[0][0], chosen[-1][1], found

    def _hidden_in(self, text: str) -> Iterator[_Spot]:
        """The places of the values in names and folders of partitions that are hidden."""
        lowered = text.translate(_LOWER) if self._hidden else ""
        for name, spans in self._hidden.items():
            at = lowered.find(name)
            while at >= 0:
                if _ENDS.match(text, at + len(name)):
                    yield from ((at + start, at + end, b"") for start, end in spans)
                at = lowered.find(name, at + 1)

    def _neighbours(self, text: str, mentions: Sequence[Mention], size: int) -> Iterator[_Spot]:
        for chosen in find_neighbours(text, mentions, size):
            if all(_is_trifle(text, mention) for mention in chosen):
                continue
            for values in itertools.product(*(mention.values for mention in chosen)):
                if (found := self._find_values(values)) is not None:
                    yield chosen[0].start, chosen[-1].end, found
                    break

    def _find_values(self, values: tuple[str, ...]) -> bytes | None:
        """The hash of values of subjects, if they name one."""
        if (row := self._people.find_row(values)) is not None:
            return self._key.hash_parts(row)
        found = self._key.hash_parts(values)
        return found if found in self._hashes.get(len(values), ()) else None

    def _unknown_in(self, reading: Reading) -> Iterator[_Spot]:
        """The places of values that are known by their hashes alone."""
        text = reading.text
        ways = ((find_candidates, self._find_unknown), (find_unordered, self._find_in_any_order))
        for size, (candidates, find) in itertools.product(self._unknown, ways):
            for chosen in candidates(text, size):
                for kept in dict.fromkeys((tuple(trim(text, span) for span in chosen), tuple(chosen))):
                    parts = tuple(text[start:end] for start, end in kept)
                    if not all(map(_TRIFLE.fullmatch, parts)) and (found := find(parts)):
                        yield reading.starts[min(kept)[0]], reading.ends[max(kept)[1] - 1], found
                        break

    def _find(self, parts: tuple[str, ...]) -> bytes | None:
        spelled = [self._people.find_values(part) or self._people.find_numbers(part) for part in parts]
        found = (self._find_values(values) for values in itertools.product(*spelled))
        known = next((hashed for hashed in found if hashed is not None), None) or self._find_unknown(parts)
        if known is not None or len(parts) != 1:
            return known
        others = (self._find_unknown((number,)) for number in spell_number(parts[0]))
        return next((hashed for hashed in others if hashed is not None), None)

    def _find_in_folders(self, parts: tuple[str, ...]) -> bytes | None:
        """The hash of a subject whose values are the names of folders, which have an order of their own."""
        if len(parts) == 1:
            return self._find(parts)
        spelled = [self._people.find_values(part) or self._people.find_numbers(part) for part in parts]
        for values in itertools.product(*spelled):
            if (row := self._people.find_row_of(values)) is not None:
                return self._key.hash_parts(row)
        return self._find_in_any_order(parts)

    def _find_unknown(self, parts: tuple[str, ...]) -> bytes | None:
        return self._look_up(self._known, parts, lambda spelled: (self._key.hash_parts(spelled),))

    def _find_in_any_order(self, parts: tuple[str, ...]) -> bytes | None:
        """The factorial of their number is tried once for the same parts, which the files of a partition share."""
        return self._look_up(self._known_in_any_order, tuple(sorted(parts)), self._key.hash_orders)

    def _look_up(
        self,
        known: dict[tuple[str, ...], bytes | None],
        parts: tuple[str, ...],
        hash_: Callable[[tuple[str, ...]], Iterable[bytes]],
    ) -> bytes | None:
        if len(parts) not in self._unknown:
            return None
        if parts not in known:
            if len(known) >= _CACHED:
                known.clear()
            is_small = all(map(is_trifle, parts))
            wanted = self._hashes.get(len(parts), set()) if is_small else self._unknown[len(parts)]
            hashes = (hashed for spelled in build_spellings(parts) for hashed in hash_(spelled))
            known[parts] = next((hashed for hashed in hashes if hashed in wanted), None)
        return known[parts]


@dataclass(frozen=True)
class Spotters:
    """Makes the spotters of tables. Each knows the table's own hashes, what was learned of others, and `people`."""

    key: HashKey
    people: People = field(default_factory=People, repr=False)
    learned: dict[KeyedHashes, None] = field(default_factory=dict, repr=False, compare=False)
    hidden: dict[str, tuple[Span, ...]] = field(default_factory=dict, repr=False, compare=False)
    _made: dict[tuple[KeyedHashes, ...], tuple[int, Spotter]] = field(default_factory=dict, repr=False, compare=False)

    def learn(self, keys: Iterable[KeyedHashes]) -> None:
        """From now on `mask` and all new spotters know these too."""
        self.learned.update(dict.fromkeys(keys))

    def hide(self, partitions: Iterable[str]) -> None:
        """From now on `mask` hides the values in these names of partitions: no text of them tells whom a key names."""
        self.hidden.update({name: tuple(each.span() for each in _VALUE.finditer(name)) for name in partitions})

    def hide_folder(self, path: str, values: Iterable[str]) -> None:
        """The same of the names in a path that tell one of these values, by themselves or among other signs."""
        shown = [value.lower() for value in values]
        named = [(each.span(), unquote(each.group()).lower()) for each in _FOLDER.finditer(path)]
        spans = [span for span, name in named if name in shown]
        spans = spans or [span for span, name in named if any(value in name for value in shown)]
        if spans:
            self.hidden[path] = tuple(spans)

    @property
    def version(self) -> int:
        """Another one once more was learned, or is hidden."""
        return len(self.learned) + len(self.hidden)

    def mask(self, text: str) -> str:
        """The text without the people, and without all values whose hashes were learned, of whatever table."""
        return self.of(self.learned).mask(text)

    def of(self, keys: Iterable[KeyedHashes]) -> Spotter:
        """The spotter of a table with these keys."""
        own = tuple(keys)
        version, spotter = self._made.get(own, (-1, None))
        if spotter is None or version != self.version:
            spotter = Spotter(self.key, own, self)
            self._made[own] = self.version, spotter
        return spotter

    @cached_property
    def of_people(self) -> frozenset[bytes]:
        return frozenset(self.key.hash_parts((value,)) for value in self.people.values)


def _is_trifle(text: str, mention: Mention) -> bool:
    return _TRIFLE.fullmatch(text, mention.start, mention.end) is not None


def _find_outer(spots: Iterable[_Spot]) -> list[_Spot]:
    """In the order of the text, none within another."""
    outer: list[_Spot] = []
    for place in sorted(set(spots), key=lambda place: (place[0], -place[1])):
        if not outer or place[0] >= outer[-1][1]:
            outer.append(place)
    return outer


def _join_overlapping(spots: Iterable[_Spot]) -> list[_Spot]:
    """In the order of the text; those that overlap are one."""
    joined: list[_Spot] = []
    for start, end, found in sorted(set(spots), key=lambda place: (place[0], -place[1])):
        if joined and start < joined[-1][1]:
            first = joined[-1]
            joined[-1] = first[0], max(first[1], end), first[2]
        else:
            joined.append((start, end, found))
    return joined
