"""Where a table lay, kept without the names of subjects, so that one can still tell whether it lies there now."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from hive_acid_erasure.subjects.keyed_hash import HashKey
from hive_acid_erasure.subjects.masks import has_masks
from hive_acid_erasure.subjects.spotting import Spotter
from hive_acid_erasure.verify.places import find_outer
from hive_acid_erasure.verify.table_report import Former

_TAG = "location"


@dataclass(frozen=True)
class Locations:
    """Locations as ledger and certificate keep them: `shown` are masked.

    `hidden` are keyed hashes, in hexadecimal, of those that had to be masked and lie within no other one.
    """

    shown: tuple[str, ...]
    hidden: frozenset[str] = frozenset()

    def mask(self, spotter: Spotter, key: HashKey) -> Locations:
        """The same without the names that the spotter knows."""
        shown = tuple(map(spotter.mask, self.shown))
        changed = {old for old, new in zip(self.shown, shown, strict=True) if old != new and not has_masks(old)}
        new = (hash_location(path, key) for path in find_outer(self.shown) if path in changed)
        return Locations(shown, self.hidden | frozenset(new))


def hash_location(path: str, key: HashKey) -> str:
    """The keyed hash of a location."""
    return key.hash_parts((_TAG, path.rstrip("/"))).hex()


def find_lost(former: Former, present: Iterable[str], key: HashKey) -> tuple[str, ...]:
    """The masked locations that are none of `present`, as they are shown: nobody can search there."""
    shown = [path for path in find_outer(former.locations) if has_masks(path)]
    hashes = {hash_location(path, key) for path in present}
    is_known = len(shown) == len(former.hidden) and former.hidden <= hashes
    return () if is_known else tuple(dict.fromkeys(shown)) or ("a folder that is not shown",) * bool(former.hidden)


def find_plain(locations: Collection[str]) -> tuple[str, ...]:
    """The locations that are not masked."""
    return tuple(path for path in locations if not has_masks(path))
