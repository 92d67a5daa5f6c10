"""Where a text may have values that are known by their hashes alone, and how these may be spelled."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from decimal import Decimal
from urllib.parse import unquote

from hive_acid_erasure.subjects.folding import is_within_word

Span = tuple[int, int]
"""Start and end of a place in a text."""
_WORD = re.compile(r"[^\W_]+")
_PARTS_JOINED = 16
"""So many words and signs in a row are taken for a value; and whole lines and fields."""
_QUOTED = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"")
_JSON = re.compile(rf"{_QUOTED.pattern}|(?<![\w.-])-?[0-9][\w.+-]*")
_BEGINS_JSON = re.compile(r'[\[{"]')
_NAME_OF_FIELD = re.compile(r"\s*:")
_PART = re.compile(r"[^/=]+")
_LINE = re.compile(r"[^\n]+")
_VALUE = re.compile(r"(?<==)[^/=]+")
"""The value in the name of a folder."""
_AROUND = " \t\r."
"""Blanks and points around a value in a text."""
_FIELD = re.compile(r"[^\x00-\x1f,;|\t]+")
_NUMBER = re.compile(r"[+-]?[0-9]{1,40}(?:\.[0-9]{1,40})?(?:[eE][+-]?[0-9]{1,2})?")
_SHOWN_NUMBER = re.compile(rf"(?<![\w.]){_NUMBER.pattern}(?=(?:BD|[LSYFD])?(?!\.?\w))")
"""In columns, and as SQL spells literals."""
_TRIFLE = re.compile(r"[0-9]{1,5}")
_SCALES = 18
"""Decimal places of a number that is known by its hash alone."""


def find_candidates(text: str, size: int) -> Iterator[tuple[Span, ...]]:
    """The places of values of a key of so many parts, in the order of the key."""
    if size == 1:
        yield from ((span,) for span in _join_parts(text))
    for pattern in (_QUOTED, _PART, _FIELD, _WORD, _LINE):
        yield from windows(_spans(pattern, text), size)


def find_unordered(text: str, size: int) -> Iterator[tuple[Span, ...]]:
    """The same where the parts may stand in any order: in the names of folders, and among values of JSON."""
    if size > 1:
        yield from find_folders(text, size)
        yield from windows(_values_of_json(text), size)


def find_folders(text: str, size: int) -> Iterator[tuple[Span, ...]]:
    """The places of so many values in the names of folders one below the other."""
    return windows(_spans(_VALUE, text), size)


def find_long_numbers(text: str) -> Iterator[tuple[Span]]:
    """The places of numbers that are no trifles."""
    yield from ((span,) for span in _spans(_SHOWN_NUMBER, text) if not is_trifle(text[slice(*span)]))


def is_trifle(value: str) -> bool:
    """True for a number of up to five digits, however it is spelled: it names nobody in a text."""
    return _TRIFLE.fullmatch(normalise_number(value) or value) is not None


def _values_of_json(text: str) -> list[Span]:
    if not _BEGINS_JSON.search(text):  # paths have many numbers
        return []
    return [span for span in _spans(_JSON, text) if not _NAME_OF_FIELD.match(text, span[1])]


def normalise_number(text: str) -> str | None:
    """The one spelling of a number, without zeros that say nothing; None for another text."""
    if not _NUMBER.fullmatch(text.strip()):
        return None
    plain = format(Decimal(text.strip()), "f")
    plain = plain.rstrip("0").rstrip(".") if "." in plain else plain
    whole = plain.lstrip("+-")
    whole = whole.lstrip("0") if whole.partition(".")[0].strip("0") else f"0{whole.lstrip('0')}"
    return f"-{whole}" if plain.startswith("-") and whole != "0" else whole


def spell_number(text: str) -> Iterator[str]:
    """The spellings of a number in columns of whole numbers and decimals; none of another text."""
    plain = normalise_number(text)
    if plain is None:
        return
    yield plain
    whole, _, places = plain.partition(".")
    for scale in range(max(1, len(places)), _SCALES + 1):
        yield f"{whole}.{places.ljust(scale, '0')}"


def _spans(pattern: re.Pattern[str], text: str) -> list[Span]:
    return [match.span() for match in pattern.finditer(text)]


def trim(text: str, span: Span) -> Span:
    """The span without what stands around a value; as it is if nothing else stands there."""
    start, end = span
    while end > start and text[end - 1] in _AROUND:
        end -= 1
    while start < end and text[start] in _AROUND:
        start += 1
    return (start, end) if start < end else span


def windows(spans: Sequence[Span], size: int) -> Iterator[tuple[Span, ...]]:
    """As many spans beside each other as a key has parts."""
    return (tuple(spans[first : first + size]) for first in range(len(spans) - size + 1))


def _join_parts(text: str) -> Iterator[Span]:
    """Words and signs in a row, without blanks around them."""
    ends = [at for at in range(len(text) + 1) if not is_within_word(text, at)]
    for first, start in enumerate(ends[:-1]):
        if not text[start].isspace():
            following = ends[first + 1 : first + 1 + _PARTS_JOINED]
            yield from ((start, end) for end in following if not text[end - 1].isspace())


def build_spellings(parts: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
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


def _unquote(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] == '"':
        try:
            return str(json.loads(text))
        except ValueError:
            return text[1:-1]
    return text
