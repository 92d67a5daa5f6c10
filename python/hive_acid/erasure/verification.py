"""Proving by the files themselves that nothing of the subjects is left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hive_acid.erasure.cross_check import CrossCheck, CrossChecker
from hive_acid.erasure.engine import ErasureEngine, Matcher, PhysicalFile
from hive_acid.erasure.file_search import FileSearch, SearchedFile
from hive_acid.erasure.key_types import find_changes
from hive_acid.erasure.places import (
    Place,
    PlaceKind,
    Roots,
    find_roots,
    list_files,
    search_metastore,
    search_uploads,
)
from hive_acid.erasure.shown_files import ShownFiles, count_shown
from hive_acid.erasure.spotting import Spotters
from hive_acid.errors import HiveAcidError
from hive_acid.metastore.protocol import Metastore
from hive_acid.model.table import Partition, TableDescription
from hive_acid.snapshot.filesystem import FileSystem

_WENT = "it went while it was searched"
_LISTINGS = 5
"""Beside writers that never rest there is no end."""


@dataclass(frozen=True)
class Sight:
    """A table as it was seen at one moment."""

    identity: str
    table: TableDescription
    partitions: tuple[Partition, ...]

    @property
    def locations(self) -> tuple[str, ...]:
        """Where it and its partitions lie, sorted."""
        return tuple(sorted({self.table.location, *(partition.location for partition in self.partitions)}))


@dataclass(frozen=True)
class Former:
    """The table as an earlier phase saw it: its identity and locations. Empty: nobody did."""

    identity: str = ""
    locations: tuple[str, ...] = ()


@dataclass(frozen=True)
class TableReport:
    """The result for one table.

    `places` are all that was found, those of files and of the second reader too; `partitions` are plain names.
    """

    identity: str
    files: tuple[SearchedFile, ...]
    places: tuple[Place, ...]
    cross_check: CrossCheck = field(default_factory=CrossCheck)
    partitions: tuple[str, ...] = field(default=(), repr=False)


class Verification:
    """Searches tables by their physical files and the metastore's texts, whatever snapshots show."""

    def __init__(
        self, engine: ErasureEngine, metastore: Metastore, file_system: FileSystem, spotters: Spotters
    ) -> None:
        self._engine = engine
        self._metastore = metastore
        self._file_system = file_system
        self._spotters = spotters

    def look(self, matcher: Matcher) -> Sight:
        """The table as it is now. Raises HIVE_ACID_TABLE_NOT_FOUND."""
        name = matcher.table
        identity, table = self._metastore.table_identity(name), self._metastore.table(name)
        names = self._metastore.partition_names(name) if table.is_partitioned else []
        return Sight(identity, table, tuple(self._metastore.partitions(name, names)))

    def list_files(self, sight: Sight, former: Sequence[str]) -> tuple[PhysicalFile, ...]:
        """All files there are now."""
        return list_files(self._file_system, self._find_roots(sight, former))

    def _find_roots(self, sight: Sight, former: Sequence[str]) -> Roots:
        return find_roots(self._file_system, sight.table, sight.partitions, former)

    def search_rows(self, matcher: Matcher) -> tuple[int, int]:
        """How many rows in the table's files match, whatever a query shows; and how many files cannot be searched."""
        files = self.list_files(self.look(matcher), ())
        search = FileSearch(self._engine, self._file_system, matcher, self._spotters.of(matcher.keys))
        found = search.search(files).values()
        rows = sum(file.match_count for file in found if file.way == "rows")
        return rows, sum(not file.is_searched for file in found)

    def verify(self, matcher: Matcher, former: Former) -> TableReport:
        """Searches everything, and again what has changed meanwhile.

        A table that is gone, or is another one, is a place. Raises what the engine, metastore and storage raise.
        """
        spotter = self._spotters.of(matcher.keys)
        before = self.look_if_there(matcher)
        if before is None:
            return TableReport("", (), (_changed(matcher, "it is not there any more"),))
        places = self._find_changed_keys(matcher)
        if former.identity and former.identity != before.identity:
            places.append(_changed(matcher, "it is another table of this name than before"))
        search = FileSearch(self._engine, self._file_system, matcher, spotter)
        searched, is_settled = self._search_until_settled(matcher, before, former, search)
        if not is_settled:
            detail = f"files changed each of {_LISTINGS} times that they were listed"
            places.append(Place(PlaceKind.CHANGING_FILES, str(matcher.table), detail))
        after = self.look_if_there(matcher)
        if after is None or after.identity != before.identity or not set(before.locations) <= set(after.locations):
            places.append(_changed(matcher, "it was replaced, renamed or moved while it was searched"))
        else:
            places += self._find_changed_keys(matcher)
        shown = ShownFiles(self._metastore, self._file_system, (after or before).table, (after or before).partitions)
        searched, visible = count_shown(shown, self._engine, matcher, searched)
        places += [*visible, *(self._search_metastore(matcher, after) if after is not None else ())]
        roots = self._find_roots(after or before, (*former.locations, *before.locations))
        places += search_uploads(self._file_system, matcher.table, roots, spotter)
        for file in searched:
            places += file.places
        checker = CrossChecker(self._engine, self._file_system, self._spotters.key, before.table)
        compared = checker.check(matcher, searched)
        names = tuple(partition.name for partition in before.partitions)
        found = tuple(dict.fromkeys((*places, *compared.places)))
        return TableReport(before.identity, searched, found, compared, names)

    def _find_changed_keys(self, matcher: Matcher) -> list[Place]:
        """The keys by which rows of subjects would not be recognised."""
        detail = "rows have other values of the key {} than those that are searched for: {}"
        try:
            changes = tuple(find_changes(self._engine, matcher))
        except HiveAcidError as error:
            _expect_gone(error)
            return [_changed(matcher, _WENT)]
        return [_changed(matcher, detail.format(", ".join(key.parts), change)) for key, change in changes]

    def _search_metastore(self, matcher: Matcher, sight: Sight) -> list[Place]:
        spotter = self._spotters.of(matcher.keys)

        def judge(rows: Sequence[Mapping[str, str]]) -> Sequence[bool | None]:
            return self._engine.judge_values(matcher, rows) if rows else ()

        try:
            return list(search_metastore(self._metastore, sight.table, sight.partitions, spotter, judge))
        except HiveAcidError as error:
            _expect_gone(error)
            return [_changed(matcher, _WENT)]

    def look_if_there(self, matcher: Matcher) -> Sight | None:
        """The table as it is now, None if it is gone."""
        try:
            return self.look(matcher)
        except HiveAcidError as error:
            _expect_gone(error)
            return None

    def _search_until_settled(
        self, matcher: Matcher, before: Sight, former: Former, search: FileSearch
    ) -> tuple[tuple[SearchedFile, ...], bool]:
        """The files that are there in the end, and whether two listings one after the other agreed."""
        known: dict[PhysicalFile, SearchedFile] = {}
        current = set(self.list_files(before, former.locations))
        for _ in range(_LISTINGS):
            wanted = sorted(current - known.keys(), key=lambda file: file.path)
            known |= search.search(wanted)
            sight = self.look_if_there(matcher) or before
            latest = set(self.list_files(sight, (*former.locations, *before.locations)))
            if latest == current:
                return tuple(known[file] for file in sorted(current, key=lambda file: file.path)), True
            current = latest
        remaining = sorted(current & known.keys(), key=lambda file: file.path)
        return tuple(known[file] for file in remaining), False


def _expect_gone(error: HiveAcidError) -> None:
    """Raises an error that says anything else than that the table is gone."""
    if error.main_condition != "HIVE_ACID_TABLE_NOT_FOUND":
        raise error


def _changed(matcher: Matcher, detail: str) -> Place:
    return Place(PlaceKind.CHANGED_TABLE, str(matcher.table), detail)
