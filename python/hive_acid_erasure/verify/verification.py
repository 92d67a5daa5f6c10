"""Proving by the files themselves that nothing of the subjects is left."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from hive_acid.api.conditions import HiveAcidError
from hive_acid.api.storage import FileSystem
from hive_acid.api.tables import Metastore, TableDescription, TableKind
from hive_acid_erasure.engine import ErasureEngine, Matcher, PhysicalFile
from hive_acid_erasure.plan.key_types import find_changes
from hive_acid_erasure.plan.plan import SearchLimits
from hive_acid_erasure.subjects.spotting import Spotter, Spotters
from hive_acid_erasure.verify.cross_check import CrossChecker
from hive_acid_erasure.verify.file_search import FileSearch, SearchedFile
from hive_acid_erasure.verify.locations import find_lost, find_plain
from hive_acid_erasure.verify.metastore_places import search_metastore
from hive_acid_erasure.verify.places import (
    Place,
    PlaceKind,
    find_elsewhere,
    find_orphans,
    find_shared_folders,
    search_bare,
    search_orphans,
    search_uploads,
)
from hive_acid_erasure.verify.shown_files import count_shown
from hive_acid_erasure.verify.sights import Listed, Sights, expect_gone
from hive_acid_erasure.verify.table_report import Former, Sight, State, TableReport
from hive_acid_erasure.verify.visible_rows import VisibleRows

_WENT = "it went while it was searched"
_LISTINGS = 5
"""Beside writers that never rest there is no end."""


class Verification:
    """Searches tables by their physical files and the metastore's texts, whatever snapshots show."""

    def __init__(
        self,
        engine: ErasureEngine,
        metastore: Metastore,
        file_system: FileSystem,
        spotters: Spotters,
        clock_ms: Callable[[], int],
        limits: SearchLimits,
    ) -> None:
        self._limits = limits
        self._engine = engine
        self._metastore = metastore
        self._file_system = file_system
        self.spotters = spotters
        self.sights = Sights(metastore, file_system, clock_ms)
        self.visible = VisibleRows(engine, file_system, self.sights, spotters)
        self._read_before: dict[Matcher, tuple[_Shape, dict[PhysicalFile, SearchedFile]]] = {}

    def search_rows(self, matcher: Matcher) -> tuple[int, int]:
        """How many rows in the table's files match, whatever a query shows; and how many files cannot be searched.

        A file that the same search has read before is not read again.
        """
        sight = self.sights.look(matcher.table)
        shape, read = self._read_before.get(matcher, (None, {}))
        known = read if shape == _shape(sight) else {}
        files = self.sights.list_files(sight)
        search = self._build_search(matcher, self.spotters.of(matcher.keys))
        found = {file: known[file] for file in files if file in known}
        found |= search.search([file for file in files if file not in known])
        self._read_before[matcher] = _shape(sight), {file: each for file, each in found.items() if each.was_read}
        rows = sum(file.match_count for file in found.values() if file.way == "rows")
        return rows, sum(not file.is_searched for file in found.values())

    def _build_search(self, matcher: Matcher, spotter: Spotter) -> FileSearch:
        return FileSearch(self._engine, self._file_system, matcher, spotter, self._limits.former_columns)

    def verify(self, matcher: Matcher, former: Former, earlier: TableReport | None = None) -> TableReport:
        """Searches everything, and again what has changed meanwhile; of files that `earlier` tells of the new ones.

        A table that is gone, or is another one, is a place. Raises what the engine, metastore and storage raise.
        """
        before = self.sights.look_if_there(matcher.table)
        if before is not None:
            self.visible.hide_named(matcher, before)
        version = self.spotters.version
        if earlier is not None and earlier.state is not None and earlier.state.version != version:
            earlier = None  # texts are searched by more than before
        if before is None:
            gone = (_changed(matcher, "it is not there any more"),)
            return TableReport(matcher, "", (), gone, former=former)
        former, lost = self._recall(matcher, former)
        places = [*lost, *self._find_changed_keys(matcher)]
        if former.identity and former.identity != before.identity:
            places.append(_changed(matcher, "it is another table of this name than before"))
        searched, settled = self._search_until_settled(matcher, before, former, _find_known(matcher, before, earlier))
        if settled is None:
            detail = f"files changed each of {_LISTINGS} times that they were listed"
            places.append(Place(PlaceKind.CHANGING_FILES, str(matcher.table), detail))
        after = self.sights.look_if_there(matcher.table)
        if after is None or after.identity != before.identity or not set(before.locations) <= set(after.locations):
            places.append(_changed(matcher, "it was replaced, renamed or moved while it was searched"))
        else:
            places += self._find_changed_keys(matcher)
        searched, visible = count_shown(self.sights.shown(after or before), self._engine, matcher, searched)
        texts = self._search_texts(matcher, after or before, (*former.locations, *before.locations), settled)
        parts = self._engine, self._file_system, self.spotters.key
        checker = CrossChecker(*parts, before.table, self._limits.second_reader)
        compared = checker.check(matcher, searched)
        own = (place for file in searched for place in file.places)
        return TableReport(
            matcher,
            before.identity,
            searched,
            tuple(dict.fromkeys((*places, *visible, *texts, *own, *compared.places))),
            compared,
            tuple(partition.name for partition in before.partitions),
            State(after, settled.write_ids, settled.files, texts, version)
            if settled is not None and after is not None
            else None,
            former,
            None if settled is None else settled.at_ms,
        )

    def hide_named(self, matcher: Matcher, paths: Iterable[str] = ()) -> None:
        """As `VisibleRows` has it, of the table as it is now; nothing if it is gone."""
        if (sight := self.sights.look_if_there(matcher.table)) is not None:
            self.visible.hide_named(matcher, sight, paths)

    def _recall(self, matcher: Matcher, former: Former) -> tuple[Former, list[Place]]:
        """Where the table lay, by all names that are known, and a place for each that is known by its mask alone."""
        detail = (
            "its files lay in {}, which is none of its folders any more, and whose name is masked: nobody can search "
            "there; see to the files there, then erase with a new ledger"
        )
        seen = self.sights.seen(matcher.table)
        lost = [_changed(matcher, detail.format(path)) for path in find_lost(former, seen, self.spotters.key)]
        return replace(former, locations=tuple(dict.fromkeys((*find_plain(former.locations), *seen)))), lost

    def is_as_it_was(self, report: TableReport) -> bool:
        """Whether nothing has come to the table since, and nothing has gone. Raises as `verify` does."""
        matcher, state = report.matcher, report.state
        sight = self.sights.look_if_there(matcher.table)
        if sight is None or state is None:
            return sight is None and state is None
        former = (*report.former.locations, *state.sight.locations)
        listed = self.sights.list_now(sight, former)
        texts = self._search_texts(matcher, sight, former, listed)
        return state == State(sight, listed.write_ids, listed.files, texts, self.spotters.version)

    def _find_changed_keys(self, matcher: Matcher) -> list[Place]:
        """The keys by which rows of subjects would not be recognised."""
        detail = "rows have other values of the key {} than those that are searched for: {}"
        try:
            changes = tuple(find_changes(self._engine, matcher))
        except HiveAcidError as error:
            expect_gone(error)
            return [_changed(matcher, _WENT)]
        return [_changed(matcher, detail.format(", ".join(key.parts), change)) for key, change in changes]

    def _search_texts(
        self, matcher: Matcher, sight: Sight, former: Sequence[str], listed: Listed | None
    ) -> tuple[Place, ...]:
        """The places of the metastore, those of uploads, of folders that hold nothing, or that are no partitions.

        And folders of which nobody can tell what is of whom. `listed` is None for a table that never rested.
        """
        roots = self.sights.find_roots(sight, former)
        files, bare = (listed.files, listed.bare) if listed is not None else (frozenset(), frozenset[str]())
        folders = {*(file.path.rpartition("/")[0] for file in files), *bare, *sight.locations}
        orphans, answers = find_orphans(folders, sight.table, sight.partitions), dict[str, bool | None]()

        def judge(rows: Sequence[Mapping[str, str]]) -> Sequence[bool | None]:
            return self._engine.judge_values(matcher, rows) if rows else ()

        try:
            self.visible.hide_named(matcher, sight)
            answers = dict(zip(orphans, judge(list(orphans.values())), strict=True))
            self.visible.hide(matcher, answers)
            spotter = self.spotters.of(matcher.keys)
            found = list(search_metastore(self._metastore, sight.table, sight.partitions, spotter, judge))
        except HiveAcidError as error:
            expect_gone(error)
            found, spotter = [_changed(matcher, _WENT)], self.spotters.of(matcher.keys)
        uploads = search_uploads(self._file_system, matcher.table, roots, spotter)
        shared = find_shared_folders(matcher.table, sight.partitions, spotter)
        unlisted = self.sights.kept_files.find_unlisted(self._file_system, matcher.table, roots.folders, spotter)
        named = search_bare(bare, roots, spotter)
        none = search_orphans(answers, matcher.table, spotter)
        return (*found, *named, *none, *uploads, *shared, *unlisted, *find_elsewhere(sight.table, spotter))

    def _search_until_settled(
        self, matcher: Matcher, before: Sight, former: Former, known: dict[PhysicalFile, SearchedFile]
    ) -> tuple[tuple[SearchedFile, ...], Listed | None]:
        """The files that are there in the end, and the second of two listings that agreed one after the other."""
        all_locations = (*former.locations, *before.locations)
        current = self.sights.list_now(before, former.locations).files
        latest: Listed | None = None
        for _ in range(_LISTINGS):
            wanted = sorted(current - known.keys(), key=lambda file: file.path)
            self.visible.hide_named(matcher, before, (file.path for file in wanted))
            known |= self._build_search(matcher, self.spotters.of(matcher.keys)).search(wanted)
            latest = self.sights.list_now(self.sights.look_if_there(matcher.table) or before, all_locations)
            if latest.files == current:
                break
            current, latest = latest.files, None
        files = (known[file] for file in sorted(current & known.keys(), key=lambda file: file.path))
        return tuple(self.sights.kept_files.explain(file, all_locations) for file in files), latest


def _find_known(matcher: Matcher, sight: Sight, earlier: TableReport | None) -> dict[PhysicalFile, SearchedFile]:
    """The files that the same search of the same columns has read."""
    if earlier is None or earlier.state is None or earlier.matcher != matcher:
        return {}
    if earlier.identity != sight.identity or _shape(earlier.state.sight) != _shape(sight):
        return {}
    return {file.source: file for file in earlier.files if file.was_read}


_Shape = tuple[TableKind, TableDescription]


def _shape(sight: Sight) -> _Shape:
    """The parts of a table that the rows of a file depend on. Counts and times stand in parameters."""
    return sight.table.kind, replace(sight.table, parameters={})


def _changed(matcher: Matcher, detail: str) -> Place:
    return Place(PlaceKind.CHANGED_TABLE, str(matcher.table), detail)
