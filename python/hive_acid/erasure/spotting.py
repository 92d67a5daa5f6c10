"""Finding subjects in texts by what is known of them, and hiding them there."""

from __future__ import annotations

import itertools
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import unquote

from hive_acid.erasure.engine import KeyedHashes
from hive_acid.erasure.folding import is_within_word
from hive_acid.erasure.keyed_hash import HashKey
from hive_acid.erasure.people import Mention, People, find_neighbours
from hive_acid.erasure.readings import Reading, build_readings

_WORD = re.compile(r"[^\W_]+")
_PARTS_JOINED = 16
"""Where only a hash is known, so many words and signs in a row are taken for a value; and whole lines and fields."""
_QUOTED = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"")
_PART = re.compile(r"[^/=]+")
_LINE = re.compile(r"[^\n]+")
_VALUE = re.compile(r"(?<==)[^/=]+")
_LITERAL = re.compile(r"'([^']*)'|\"([^\"]*)\"|\b([0-9]{5,})\b")
_TRIFLE = re.compile(r"[0-9]{1,5}")
_CACHED = 100_000
_AROUND = " \t\r."
"""Blanks and points around a value in a text."""
_FIELD = re.compile(r"[^\x00-\x1f,;|\t]+")

_MASK = re.compile("#[0-9a-f]{16}")

_Spot = tuple[int, int, bytes]
"""Start, end and hash of a place that names a subject."""


class Spotter:
    """Knows the subjects of a table: the values that were given, and the hashes of its keys.

    A text names a subject by any spelling of a value (see `folding`), however formats escape it (see `readings`).
    Values that are known by their hashes alone, as links that other tables give, are found as they are spelled, in
    lower and in upper case. A key of several parts is named by as many values beside each other. A number of up to five
    digits names nobody in a text, where counts and IDs are such numbers; it does as a value, also as one in the name of
    a folder.
    """

    def __init__(self, key: HashKey, keys: Iterable[KeyedHashes], people: People, of_people: frozenset[bytes]) -> None:
        """`of_people` are the hashes of each value of `people`."""
        self._key = key
        self._people = people
        self._hashes: dict[int, set[bytes]] = {}
        for keyed in keys:
            self._hashes.setdefault(len(keyed.key.parts), set()).update(keyed.hashes)
        self._unknown = {size: hashes - of_people for size, hashes in self._hashes.items() if hashes - of_people}
        self._known: dict[tuple[str, ...], bytes | None] = {}

    def count(self, text: str) -> int:
        """How many places of the text name a subject."""
        return len(_find_outer(self._spots(text)))

    def names(self, parts: Sequence[str]) -> bool:
        """True if the values name a subject: one by itself, or several in this order."""
        return self._find((*parts,)) is not None

    def count_literals(self, expression: str) -> int:
        """How many literals of an SQL expression are values of subjects."""
        found = ("".join(part or "" for part in match.groups()) for match in _LITERAL.finditer(expression))
        return sum(bool(self._people.find_values(value)) for value in found)

    def mask(self, text: str) -> str:
        """The text with `#` and a part of its keyed hash in place of each value of a subject, as that is spelled there.

        So two texts that differ still do: a partition `city=Bonn` is not taken for `city=BONN`.
        """
        masked = text
        for start, end, _ in reversed(_find_outer((*self._spots(text), *self._values_in(text)))):
            masked = f"{masked[:start]}#{self._key.hash_parts((_escape(text[start:end]),)).hex()[:16]}{masked[end:]}"
        return masked

    def _spots(self, text: str) -> Iterator[_Spot]:
        """The places that name a subject."""
        for reading in build_readings(text):
            mentions = self._people.find_mentions(reading)
            single = [mention for mention in mentions if not _is_trifle(text, mention)]
            for size in self._people.sizes | self._hashes.keys():
                yield from self._neighbours(text, single if size == 1 else mentions, size)
            yield from self._unknown_in(reading)
        for match in _VALUE.finditer(text):
            if found := self._find((match.group(),)):
                yield (*match.span(), found)

    def _values_in(self, text: str) -> Iterator[_Spot]:
        """The places of all values, also of those that name nobody by themselves."""
        for reading in build_readings(text):
            for mention in self._people.find_mentions(reading):
                if not _is_trifle(text, mention):
                    yield mention.start, mention.end, self._key.hash_parts(mention.values[:1])
        for match in _VALUE.finditer(text):
            if values := self._people.find_values(match.group()):
                yield (*match.span(), self._key.hash_parts(values[:1]))

    def _neighbours(self, text: str, mentions: Sequence[Mention], size: int) -> Iterator[_Spot]:
        for chosen in find_neighbours(text, mentions, size):
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
        for size in self._unknown:
            spans = (_windows(_spans(pattern, text), size) for pattern in (_QUOTED, _PART, _FIELD, _WORD, _LINE))
            of_parts = ((span,) for span in _join_parts(text)) if size == 1 else ()
            for chosen in itertools.chain(of_parts, *spans):
                for kept in dict.fromkeys((tuple(_trim(text, span) for span in chosen), tuple(chosen))):
                    parts = tuple(text[start:end] for start, end in kept)
                    if not (size == 1 and _TRIFLE.fullmatch(parts[0])) and (found := self._find_unknown(parts)):
                        yield reading.starts[kept[0][0]], reading.ends[kept[-1][1] - 1], found
                        break

    def _find(self, parts: tuple[str, ...]) -> bytes | None:
        spelled = [self._people.find_values(part) for part in parts]
        found = (self._find_values(values) for values in itertools.product(*spelled))
        return next((hashed for hashed in found if hashed is not None), None) or self._find_unknown(parts)

    def _find_unknown(self, parts: tuple[str, ...]) -> bytes | None:
        if len(parts) not in self._unknown:
            return None
        if parts not in self._known:
            if len(self._known) >= _CACHED:
                self._known.clear()
            hashes = map(self._key.hash_parts, _spellings(parts))
            self._known[parts] = next((hashed for hashed in hashes if hashed in self._unknown[len(parts)]), None)
        return self._known[parts]


def has_masks(text: str) -> bool:
    """True if a part of the text may be a mask."""
    return _MASK.search(text) is not None


@dataclass(frozen=True)
class Spotters:
    """Makes the spotters of tables: each knows the table's own hashes, and `people`, if they were given."""

    key: HashKey
    people: People = field(default_factory=People, repr=False)
    _learned: dict[KeyedHashes, None] = field(default_factory=dict, repr=False, compare=False)

    def learn(self, keys: Iterable[KeyedHashes]) -> None:
        """From now on `mask` hides these too."""
        self._learned.update(dict.fromkeys(keys))

    def mask(self, text: str) -> str:
        """The text without the people, and without all values whose hashes were learned, of whatever table."""
        return self.of(self._learned).mask(text)

    def of(self, keys: Iterable[KeyedHashes]) -> Spotter:
        """The spotter of a table with these keys."""
        return Spotter(self.key, keys, self.people, self._of_people)

    @cached_property
    def _of_people(self) -> frozenset[bytes]:
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


def _spans(pattern: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    return [match.span() for match in pattern.finditer(text)]


def _trim(text: str, span: tuple[int, int]) -> tuple[int, int]:
    """The span without what stands around a value; as it is if nothing else stands there."""
    start, end = span
    while end > start and text[end - 1] in _AROUND:
        end -= 1
    while start < end and text[start] in _AROUND:
        start += 1
    return (start, end) if start < end else span


def _windows(spans: Sequence[tuple[int, int]], size: int) -> Iterator[Sequence[tuple[int, int]]]:
    """As many spans beside each other as a key has parts."""
    return (spans[first : first + size] for first in range(len(spans) - size + 1))


def _join_parts(text: str) -> Iterator[tuple[int, int]]:
    """Words and signs in a row, without blanks around them."""
    ends = [at for at in range(len(text) + 1) if not is_within_word(text, at)]
    for first, start in enumerate(ends[:-1]):
        if not text[start].isspace():
            following = ends[first + 1 : first + 1 + _PARTS_JOINED]
            yield from ((start, end) for end in following if not text[end - 1].isspace())


def _spellings(parts: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The parts as they are, without quotes and escapes, in both cases, composed and decomposed; each spelling once."""
    plain = tuple(_unquote(part) for part in parts)
    bare = tuple(unquote(part) for part in plain)
    changed = (tuple(map(change, bare)) for change in (str.lower, str.upper, _compose, _decompose))
    yield from (each for each in dict.fromkeys((parts, plain, bare, *changed)) if _is_unicode(each))


def _compose(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _decompose(text: str) -> str:
    return unicodedata.normalize("NFD", text)


def _is_unicode(parts: tuple[str, ...]) -> bool:
    return not any("\ud800" <= character <= "\udfff" for part in parts for character in part)


def _escape(text: str) -> str:
    """A text that UTF-8 can hold; itself if it is one."""
    return text if _is_unicode((text,)) else ascii(text)


def _unquote(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] == '"':
        try:
            return str(json.loads(text))
        except ValueError:
            return text[1:-1]
    return text
