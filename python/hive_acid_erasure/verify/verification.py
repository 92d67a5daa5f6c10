"""Proving by the files themselves that nothing of the subjects is left."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from hive_acid.api.conditions import HiveAcidError, build_error
from hive_acid.api.files import is_hidden
from hive_acid.api.snapshots import ValidWriteIdList
from hive_acid.api.storage import FileSystem
from hive_acid.api.tables import Metastore, TableDescription, TableKind, TableName
from hive_acid_erasure.engine import ErasureEngine, Key, MatchCount, Matcher, PhysicalFile
from hive_acid_erasure.plan.key_types import find_changes
from hive_acid_erasure.plan.plan import SearchLimits
from hive_acid_erasure.subjects.spotting import Spotter, Spotters
from hive_acid_erasure.verify.cross_check import CrossChecker
from hive_acid_erasure.verify.file_search import FileSearch, SearchedFile, read_whole
from hive_acid_erasure.verify.kept_files import KeptFiles
from hive_acid_erasure.verify.locations import find_lost, find_plain
from hive_acid_erasure.verify.places import (
    Place,
    PlaceKind,
    Roots,
    find_elsewhere,
    find_roots,
    find_shared_folders,
    list_files,
    search_metastore,
    search_uploads,
)
from hive_acid_erasure.verify.shown_files import READ_BY_SEARCH, ShownFiles, count_shown
from hive_acid_erasure.verify.table_report import Former, Sight, State, TableReport

_WENT = "it went while it was searched"
_TOLD = "the name or folder of a partition is a subject's, and Spark would write it into plans and logs"
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
        self._clock_ms = clock_ms
        self._read_before: dict[Matcher, tuple[_Shape, dict[PhysicalFile, SearchedFile]]] = {}
        self._texts: dict[tuple[str, int, int], bool] = {}
        self._seen: dict[TableName, dict[str, None]] = {}
        """All locations at which a table lay since this was made."""

    def look(self, matcher: Matcher) -> Sight:
        """The table as it is now. Raises HIVE_ACID_TABLE_NOT_FOUND."""
        name = matcher.table
        identity, table = self._metastore.table_identity(name), self._metastore.table(name)
        names = self._metastore.partition_names(name) if table.is_partitioned else []
        sight = Sight(identity, table, tuple(self._metastore.partitions(name, names)))
        self._seen.setdefault(name, {}).update(dict.fromkeys(sight.locations))
        return sight

    def list_files(self, sight: Sight, former: Sequence[str]) -> tuple[PhysicalFile, ...]:
        """All files there are now."""
        return list_files(self._file_system, self._find_roots(sight, former))

    def _find_roots(self, sight: Sight, former: Sequence[str]) -> Roots:
        return find_roots(self._file_system, sight.table, sight.partitions, former)

    def search_rows(self, matcher: Matcher) -> tuple[int, int]:
        """How many rows in the table's files match, whatever a query shows; and how many files cannot be searched.

        A file that the same search has read before is not read again.
        """
        sight = self.look(matcher)
        shape, read = self._read_before.get(matcher, (None, {}))
        known = read if shape == _shape(sight) else {}
        files = self.list_files(sight, ())
        search = self._build_search(matcher, self.spotters.of(matcher.keys))
        found = {file: known[file] for file in files if file in known}
        found |= search.search([file for file in files if file not in known])
        self._read_before[matcher] = _shape(sight), {file: each for file, each in found.items() if each.was_read}
        rows = sum(file.match_count for file in found.values() if file.way == "rows")
        return rows, sum(not file.is_searched for file in found.values())

    def _build_search(self, matcher: Matcher, spotter: Spotter) -> FileSearch:
        return FileSearch(self._engine, self._file_system, matcher, spotter, self._limits.former_columns)

    def count(self, matcher: Matcher, partitions: str | None) -> MatchCount:
        """Visible rows as `ErasureEngine.count` has them, unless Spark would tell of a subject.

        It writes the path of a file that it cannot read into its logs and its event log, and the folder of a partition
        may be named by a subject. So such files are searched before: the search tells no path. A plain table with such
        a partition is not queried: Spark's own readers put the partitions that they read into plans, and their folders
        into descriptions of jobs and into logs.

        Raises HIVE_ACID_ERASURE.NOT_COUNTED, with masked paths, and HIVE_ACID_TABLE_NOT_FOUND.
        """
        self._try_files(matcher)
        return self._engine.count(matcher, partitions)

    def links(self, matcher: Matcher, link: Key) -> Mapping[bytes, frozenset[bytes]]:
        """The links of `ErasureEngine`, unless Spark would tell of a subject; raises as `count` does."""
        self._try_files(matcher)
        return self._engine.links(matcher, link)

    def _try_files(self, matcher: Matcher) -> None:
        """Raises HIVE_ACID_ERASURE.NOT_COUNTED if a query would show rows that are none, or tell of a subject."""
        spotter, sight = self.spotters.of(matcher.keys), self.look(matcher)
        plain = self.list_files(sight, ()) if sight.table.kind is TableKind.PLAIN else ()
        for path in self._shown(sight).find_packed(file for file in plain if not _is_passed_over(file)):
            failure = f"{spotter.mask(path)}: it is no text, and this session has no codec that unpacks it"
            raise build_error("HIVE_ACID_ERASURE.NOT_COUNTED", table=matcher.table, failure=failure)
        told = (*sight.locations, *(partition.name for partition in sight.partitions))
        if sight.table.kind is TableKind.PLAIN and any(spotter.mask(text) != text for text in told):
            raise build_error("HIVE_ACID_ERASURE.NOT_COUNTED", table=matcher.table, failure=_TOLD)
        if sight.table.kind is TableKind.FULL_ACID or sight.table.file_format in READ_BY_SEARCH:
            named = self._find_named(sight, spotter)
            search = self._build_search(read_whole(matcher, sight.table), spotter)
            found = search.search(named).values() if named else ()
            for place in (place for file in found if not file.is_searched for place in file.places):
                failure = f"{place.where}: {place.detail}"
                raise build_error("HIVE_ACID_ERASURE.NOT_COUNTED", table=matcher.table, failure=failure)

    def _shown(self, sight: Sight) -> ShownFiles:
        return ShownFiles(self._metastore, self._file_system, sight.table, sight.partitions, self._texts)

    def _find_named(self, sight: Sight, spotter: Spotter) -> list[PhysicalFile]:
        """The files that queries show and whose paths name a subject; of plain Hive all that are not hidden."""
        files = (file for file in self.list_files(sight, ()) if not _is_passed_over(file))
        named = [file for file in files if spotter.mask(file.path) != file.path]
        if not named or sight.table.kind is TableKind.PLAIN:
            return named
        shown = self._shown(sight).list_all()
        return [file for file in named if (file.path, file.length_bytes, file.modified_ms) in shown]

    def verify(self, matcher: Matcher, former: Former, earlier: TableReport | None = None) -> TableReport:
        """Searches everything, and again what has changed meanwhile; of files that `earlier` tells of the new ones.

        A table that is gone, or is another one, is a place. Raises what the engine, metastore and storage raise.
        """
        version, before = self.spotters.version, self.look_if_there(matcher)
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
        after = self.look_if_there(matcher)
        if after is None or after.identity != before.identity or not set(before.locations) <= set(after.locations):
            places.append(_changed(matcher, "it was replaced, renamed or moved while it was searched"))
        else:
            places += self._find_changed_keys(matcher)
        searched, visible = count_shown(self._shown(after or before), self._engine, matcher, searched)
        texts = self._search_texts(matcher, after or before, (*former.locations, *before.locations))
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

    def _recall(self, matcher: Matcher, former: Former) -> tuple[Former, list[Place]]:
        """Where the table lay, by all names that are known, and a place for each that is known by its mask alone."""
        detail = (
            "its files lay in {}, which is none of its folders any more, and whose name is masked: nobody can search "
            "there; see to the files there, then erase with a new ledger"
        )
        seen = self._seen.get(matcher.table, {})
        lost = [_changed(matcher, detail.format(path)) for path in find_lost(former, seen, self.spotters.key)]
        return replace(former, locations=tuple(dict.fromkeys((*find_plain(former.locations), *seen)))), lost

    def is_as_it_was(self, report: TableReport) -> bool:
        """Whether nothing has come to the table since, and nothing has gone. Raises as `verify` does."""
        matcher, state = report.matcher, report.state
        sight = self.look_if_there(matcher)
        if sight is None or state is None:
            return sight is None and state is None
        former = (*report.former.locations, *state.sight.locations)
        listed = self._list(sight, former)
        texts = self._search_texts(matcher, sight, former)
        return state == State(sight, listed.write_ids, listed.files, texts, self.spotters.version)

    def _find_changed_keys(self, matcher: Matcher) -> list[Place]:
        """The keys by which rows of subjects would not be recognised."""
        detail = "rows have other values of the key {} than those that are searched for: {}"
        try:
            changes = tuple(find_changes(self._engine, matcher))
        except HiveAcidError as error:
            _expect_gone(error)
            return [_changed(matcher, _WENT)]
        return [_changed(matcher, detail.format(", ".join(key.parts), change)) for key, change in changes]

    def _search_texts(self, matcher: Matcher, sight: Sight, former: Sequence[str]) -> tuple[Place, ...]:
        """The places of the metastore, those of uploads, and folders of which nobody can tell what is of whom."""
        spotter = self.spotters.of(matcher.keys)

        def judge(rows: Sequence[Mapping[str, str]]) -> Sequence[bool | None]:
            return self._engine.judge_values(matcher, rows) if rows else ()

        try:
            found = list(search_metastore(self._metastore, sight.table, sight.partitions, spotter, judge))
        except HiveAcidError as error:
            _expect_gone(error)
            found = [_changed(matcher, _WENT)]
        roots = self._find_roots(sight, former)
        uploads = search_uploads(self._file_system, matcher.table, roots, spotter)
        shared = find_shared_folders(matcher.table, sight.partitions, spotter)
        unlisted = self._kept_files.find_unlisted(self._file_system, matcher.table, roots.folders, spotter)
        return (*found, *uploads, *shared, *unlisted, *find_elsewhere(sight.table, spotter))

    def look_if_there(self, matcher: Matcher) -> Sight | None:
        """The table as it is now, None if it is gone."""
        try:
            return self.look(matcher)
        except HiveAcidError as error:
            _expect_gone(error)
            return None

    def _search_until_settled(
        self, matcher: Matcher, before: Sight, former: Former, known: dict[PhysicalFile, SearchedFile]
    ) -> tuple[tuple[SearchedFile, ...], _Listed | None]:
        """The files that are there in the end, and the second of two listings that agreed one after the other."""
        search = self._build_search(matcher, self.spotters.of(matcher.keys))
        all_locations = (*former.locations, *before.locations)
        current = self._list(before, former.locations).files
        latest: _Listed | None = None
        for _ in range(_LISTINGS):
            wanted = sorted(current - known.keys(), key=lambda file: file.path)
            known |= search.search(wanted)
            latest = self._list(self.look_if_there(matcher) or before, all_locations)
            if latest.files == current:
                break
            current, latest = latest.files, None
        files = (known[file] for file in sorted(current & known.keys(), key=lambda file: file.path))
        return tuple(self._kept_files.explain(file, all_locations) for file in files), latest

    def _list(self, sight: Sight, former: Sequence[str]) -> _Listed:
        write_ids, name = None, sight.table.name
        if sight.table.kind is not TableKind.PLAIN:
            write_ids = self._metastore.valid_write_ids([name], None)[name]
        roots = self._find_roots(sight, former)
        kept = self._kept_files.list_files(self._file_system, roots.folders)
        return _Listed(write_ids, frozenset((*list_files(self._file_system, roots), *kept)), self._clock_ms())

    @cached_property
    def _kept_files(self) -> KeptFiles:
        return KeptFiles.of_server(self._metastore.config_value)


@dataclass(frozen=True)
class _Listed:
    """The files of a table and those kept for replicas, the write IDs that were visible before, and the time after."""

    write_ids: ValidWriteIdList | None
    files: frozenset[PhysicalFile]
    at_ms: int


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


def _is_passed_over(file: PhysicalFile) -> bool:
    """True for hidden files, and those of hidden folders below that of the partition."""
    return any(map(is_hidden, file.path.split("/")[-3:]))


def _expect_gone(error: HiveAcidError) -> None:
    """Raises an error that says anything else than that the table is gone."""
    if error.main_condition != "HIVE_ACID_TABLE_NOT_FOUND":
        raise error


def _changed(matcher: Matcher, detail: str) -> Place:
    return Place(PlaceKind.CHANGED_TABLE, str(matcher.table), detail)
