"""Masks in place of people's values, and what they stand for to those who know the text behind them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import unquote

from hive_acid.api.tables import NULL_PARTITION
from hive_acid_erasure.subjects.keyed_hash import HashKey

_MASK = re.compile("#[0-9a-f]{16}")


def build_mask(key: HashKey, text: str) -> str:
    """The mask of a text, also of one that UTF-8 cannot hold: `#` and a part of its keyed hash."""
    return f"#{key.hash_parts((text.encode(errors='backslashreplace').decode(),)).hex()[:16]}"


def has_masks(text: str) -> bool:
    """True if a part of the text may be a mask."""
    return _MASK.search(text) is not None


def read_partition(name: str) -> dict[str, str]:
    """The values in the name of a partition by column; NULL is left out."""
    pieces = (piece.partition("=") for piece in name.split("/"))
    return {unquote(column).lower(): unquote(value) for column, _, value in pieces if value != NULL_PARTITION}


def find_shown(partition: str, masked: str) -> dict[str, str]:
    """The values of a partition's name that are the same where it is masked."""
    shown = read_partition(masked)
    return {column: value for column, value in read_partition(partition).items() if shown.get(column) == value}


class MaskedTexts:
    """Texts in which somebody masked more, or less, than is known by now."""

    def __init__(self, texts: Iterable[str], key: HashKey) -> None:
        self._key = key
        self._texts = frozenset(texts)
        masked = [(_MASK.split(text), text) for text in sorted(self._texts) if has_masks(text)]
        # many paths differ in one mask alone
        self._frames = tuple(dict.fromkeys((pieces[0], pieces[1]) for pieces, _ in masked if len(pieces) == 2))
        self._patterns = [(_build_pattern(pieces), text) for pieces, text in masked if len(pieces) > 2]

    def find(self, plain: str, masked: str) -> str | None:
        """The one of the texts that a text stands for, which is `masked` by now; None if it is none of them."""
        candidates = (masked, plain, *self._mask_one(plain), *self._mask_several(plain))
        return next((text for text in candidates if text in self._texts), None)

    def _mask_one(self, plain: str) -> Iterator[str]:
        for before, after in self._frames:
            end = len(plain) - len(after)
            if plain.startswith(before) and plain.endswith(after) and len(before) < end:
                yield f"{before}{build_mask(self._key, plain[len(before) : end])}{after}"

    def _mask_several(self, plain: str) -> Iterator[str]:
        for pattern, text in self._patterns:
            hidden = found.groups() if (found := pattern.fullmatch(plain)) else ()
            if hidden and [build_mask(self._key, each) for each in hidden] == _MASK.findall(text):
                yield text


def _build_pattern(pieces: Sequence[str]) -> re.Pattern[str]:
    return re.compile("(.+?)".join(map(re.escape, pieces)), re.DOTALL)
