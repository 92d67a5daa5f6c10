"""Texts in the one form in which spellings of a name are compared, each character with its place in the text.

Folded texts are alike where the texts differ by case, by Unicode's composed, decomposed and compatible forms, by the
width of blanks, by invisible signs, and by the points of Arabic and Hebrew, which are mostly left out (The Unicode
Standard, sections 3.13 and 9).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import groupby

from hive_acid_erasure.subjects.readings import Reading, build_readings

_PIECE = re.compile(r"\s+|[^\s]+")
_LEFT_OUT = re.compile(
    "[\u0307\u034f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u0610-\u061a\u0640\u064b-\u065f\u0670]"
)
"""A dot above, as Turkish i have it; joiners and points, and the line that stretches Arabic words."""
_DOTLESS_I = "\u0131"
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")


def fold(text: str) -> str:
    """The folded text, without blanks around it."""
    return fold_reading(next(build_readings(text))).text.strip()


def fold_reading(reading: Reading) -> Reading:
    """The folded text, with the places of the reading."""
    text, starts, ends = reading.text, reading.starts, reading.ends
    folded: list[str] = []
    places: list[int] = []
    for match in _PIECE.finditer(text):
        piece, first = match.group(), match.start()
        if piece.isspace():
            folded.append(" ")
            places.append(first)
        elif piece.isascii():
            folded.append(piece.lower())
            places.extend(range(first, match.end()))
        else:
            characters, origins = _fold_piece(piece)
            folded.append(characters)
            places.extend(first + origin for origin in origins)
    last_of_blanks = {match.start(): match.end() - 1 for match in re.finditer(r"\s\s+", text)}
    return Reading("".join(folded), [starts[at] for at in places], [ends[last_of_blanks.get(at, at)] for at in places])


def _fold_piece(piece: str) -> tuple[str, list[int]]:
    """The folded characters, marks of one letter in canonical order, and the place of each."""
    pairs = [(character, at) for at, original in enumerate(piece) for character in _fold_character(original)]
    ordered: list[tuple[str, int]] = []
    for is_starter, group in groupby(pairs, key=lambda pair: unicodedata.combining(pair[0]) == 0):
        marks = list(group)
        ordered += marks if is_starter else sorted(marks, key=lambda pair: unicodedata.combining(pair[0]))
    return "".join(character for character, _ in ordered), [at for _, at in ordered]


@lru_cache(maxsize=10_000)
def _fold_character(character: str) -> str:
    if unicodedata.category(character) == "Cf" or _SELECTORS.match(character):
        return ""
    small = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold())
    return _LEFT_OUT.sub("", small).replace(_DOTLESS_I, "i")


def is_within_word(text: str, at: int) -> bool:
    """True if a folded text goes on at this place, so that no name ends or begins there.

    Words of scripts that have cases, and numbers, end where their letters and digits do. Other scripts, such as those
    of Chinese and Thai, write words without blanks between, or with further letters before and after them, as Arabic:
    there any letter may be the first or last one, but marks and vowel signs belong to their letter.
    """
    if not 0 < at < len(text):
        return False
    after = text[at]
    return unicodedata.category(after)[0] == "M" or (_is_of_words(text[at - 1]) and _is_of_words(after))


def _is_of_words(character: str) -> bool:
    if character.isascii():
        return character.isalnum()
    return character.isnumeric() or character.upper() != character
