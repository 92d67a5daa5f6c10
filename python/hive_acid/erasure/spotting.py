"""Finding subjects in texts by their keyed hashes, and hiding them there."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import unquote

from hive_acid.erasure.engine import Key, KeyedHashes
from hive_acid.erasure.keyed_hash import HashKey

_WORD = re.compile(r"[^\W_]+")
_WORDS_JOINED = 8
"""Texts of so many words are looked at wherever they begin: addresses, names, what a file's ending follows."""
_QUOTED = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"")
_PART = re.compile(r"[^/=]+")
_LINE = re.compile(r"[^\n]+")
_VALUE = re.compile(r"(?<==)[^/=]+")
_LITERAL = re.compile(r"'([^']*)'|\"([^\"]*)\"|\b([0-9]{5,})\b")
_TRIFLE = re.compile(r"[0-9]{1,5}")
_CACHED = 100_000
_FIELD = re.compile(r"[^\x00-\x1f,;|\t]+")


class Spotter:
    """Knows the subjects of a table by the hashes of all its keys.

    A text names a subject if one of its words, quoted texts, lines or fields does, also unescaped and in lower or upper
    case; for keys of several parts, if as many of them stand beside each other. A number of up to five digits names
    nobody in a text, where counts and IDs are such numbers; it does as a value, also as one in the name of a folder.
    """

    def __init__(self, key: HashKey, keys: Iterable[KeyedHashes], hidden: frozenset[bytes] = frozenset()) -> None:
        """`hidden` are hashes of single values that are masked, and that name nobody by themselves."""
        self._key = key
        self._hidden = Spotter(key, [KeyedHashes(Key(("",)), hidden)]) if hidden else None
        self._hashes: dict[int, set[bytes]] = {}
        for keyed in keys:
            self._hashes.setdefault(len(keyed.key.parts), set()).update(keyed.hashes)
        self._known: dict[tuple[str, ...], bytes | None] = {}

    def count(self, text: str) -> int:
        """How many places of the text name a subject."""
        return len(self._spots(text))

    def names(self, parts: Sequence[str]) -> bool:
        """True if the values name a subject: one by itself, or several in this order."""
        return self._find((*parts,)) is not None

    def count_literals(self, expression: str) -> int:
        """How many literals of an SQL expression are subjects."""
        found = ("".join(part or "" for part in match.groups()) for match in _LITERAL.finditer(expression))
        return sum(self.names((value,)) for value in found)

    def mask(self, text: str) -> str:
        """The text with `#` and a part of the hash in place of each subject."""
        masked = text if self._hidden is None else self._hidden.mask(text)
        for start, end, found in sorted(self._spots(masked), reverse=True):
            masked = f"{masked[:start]}#{found.hex()[:16]}{masked[end:]}"
        return masked

    def _spots(self, text: str) -> list[tuple[int, int, bytes]]:
        """Start, end and hash of each place that names a subject; none within another."""
        found = [
            (start, end, spot)
            for start, end, parts in self._candidates(text)
            if not (len(parts) == 1 and _TRIFLE.fullmatch(parts[0])) and (spot := self._find(parts))
        ]
        values = _VALUE.finditer(text)
        found += [(*match.span(), spot) for match in values if (spot := self._find((match.group(),)))]
        outer: list[tuple[int, int, bytes]] = []
        for place in sorted(found, key=lambda place: (place[0], -place[1])):
            if not outer or place[0] >= outer[-1][1]:
                outer.append(place)
        return outer

    def _candidates(self, text: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
        """Start, end and values of what may name a subject."""
        if 1 in self._hashes:
            spans = itertools.chain(_join_words(text), (match.span() for match in _LINE.finditer(text)))
            yield from ((start, end, (text[start:end],)) for start, end in spans)
        for pattern in (_QUOTED, _PART, _FIELD, _WORD):
            yield from self._windows(text, [match.span() for match in pattern.finditer(text)])

    def _windows(self, text: str, spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, tuple[str, ...]]]:
        """As many spans beside each other as keys have parts."""
        for size in self._hashes:
            for first in range(len(spans) - size + 1):
                chosen = spans[first : first + size]
                yield chosen[0][0], chosen[-1][1], tuple(text[start:end] for start, end in chosen)

    def _find(self, parts: tuple[str, ...]) -> bytes | None:
        if len(parts) not in self._hashes:
            return None
        if parts not in self._known:
            if len(self._known) >= _CACHED:
                self._known.clear()
            hashes = map(self._key.hash_parts, _spellings(parts))
            self._known[parts] = next((hashed for hashed in hashes if hashed in self._hashes[len(parts)]), None)
        return self._known[parts]


@dataclass(frozen=True)
class Spotters:
    """Makes the spotters of tables: each knows the table's own hashes, and `known` and `hidden` of all subjects."""

    key: HashKey
    known: tuple[KeyedHashes, ...] = ()
    hidden: frozenset[bytes] = frozenset()

    def of(self, keys: Iterable[KeyedHashes]) -> Spotter:
        """The spotter of a table with these keys."""
        return Spotter(self.key, (*keys, *self.known), self.hidden)


def _join_words(text: str) -> Iterator[tuple[int, int]]:
    words = [match.span() for match in _WORD.finditer(text)]
    for first, (start, _) in enumerate(words):
        yield from ((start, end) for _, end in words[first : first + _WORDS_JOINED])


def _spellings(parts: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The parts as they are, without quotes and escapes, in lower and in upper case; each spelling once."""
    plain = tuple(_unquote(part) for part in parts)
    stripped = tuple(part.strip(" \t\r.") for part in plain)
    bare = tuple(unquote(part) for part in stripped)
    lower, upper = (tuple(map(change, bare)) for change in (str.lower, str.upper))
    yield from (each for each in dict.fromkeys((parts, plain, stripped, bare, lower, upper)) if _is_unicode(each))


def _is_unicode(parts: tuple[str, ...]) -> bool:
    return not any("\ud800" <= character <= "\udfff" for part in parts for character in part)


def _unquote(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] == '"':
        try:
            return str(json.loads(text))
        except ValueError:
            return text[1:-1]
    return text
