"""Queries of visible rows, unless Spark would show others, or tell of a subject."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from hive_acid.api.conditions import HiveAcidError, build_error
from hive_acid.api.storage import FileSystem
from hive_acid.api.tables import TableKind, TableName
from hive_acid_erasure.engine import ErasureEngine, Key, MatchCount, Matcher, PhysicalFile
from hive_acid_erasure.subjects.masks import find_shown
from hive_acid_erasure.subjects.spotting import Spotter, Spotters
from hive_acid_erasure.verify.file_search import FileSearch, read_whole
from hive_acid_erasure.verify.metastore_places import list_locations, list_values
from hive_acid_erasure.verify.places import find_orphans, split_location
from hive_acid_erasure.verify.shown_files import READ_BY_SEARCH, find_unhidden
from hive_acid_erasure.verify.sights import Sights, expect_gone
from hive_acid_erasure.verify.table_report import Sight

_TOLD = "the name or folder of a partition is a subject's, and Spark would write it into plans and logs"
_PACKED = "it is no text, and this session has no codec that unpacks it"


@dataclass(frozen=True)
class VisibleRows:
    """Asks the engine about visible rows.

    Spark writes the path of a file that it cannot read into its logs and its event log, and the folder of a partition
    may be named by a subject. So such files are searched before: the search tells no path. A plain table with such a
    partition is not queried: Spark's own readers put the partitions that they read into plans, and their folders into
    descriptions of jobs and into logs.
    """

    engine: ErasureEngine
    file_system: FileSystem
    sights: Sights
    spotters: Spotters
    _judged: dict[Matcher, dict[str, bool]] = field(default_factory=dict, repr=False, compare=False)
    """Whether names of partitions and folders are a subject's, or may be."""

    def hide_named(self, matcher: Matcher, sight: Sight, paths: Iterable[str] = ()) -> None:
        """Has the names masked that are a subject's by a key alone, as `replace(id, '-', '')` of a partition's value.

        They are those of partitions, and of folders in the locations of these and in `paths` of files.
        """
        known = self._judged.setdefault(matcher, {})
        self._judge_names(matcher, sight, paths, known)
        root = sight.table.location.rstrip("/")
        for partition in sight.partitions:
            is_apart = partition.location.rstrip("/") != f"{root}/{partition.name}"  # else its name tells it alone
            if is_apart and known.get(partition.name):
                self.spotters.hide_folder(split_location(partition.location)[1].rstrip("/"), partition.values)

    def _judge_names(self, matcher: Matcher, sight: Sight, paths: Iterable[str], known: dict[str, bool]) -> None:
        new = [partition for partition in sight.partitions if partition.name not in known]
        values = dict(zip((partition.name for partition in new), list_values(sight.table, new), strict=True))
        folders = {*list_locations(sight.table, sight.partitions), *(path.rpartition("/")[0] for path in paths)}
        orphans = find_orphans(folders, sight.table, sight.partitions)
        values |= {name: each for name, each in orphans.items() if name not in known}
        if not values:
            return
        try:
            answers = self.engine.judge_values(matcher, list(values.values()))
        except HiveAcidError as error:
            expect_gone(error)
            return
        known.update({name: answer is not False for name, answer in zip(values, answers, strict=True)})
        self.hide(matcher, dict(zip(values, answers, strict=True)))

    def hide(self, matcher: Matcher, answers: Mapping[str, bool | None]) -> None:
        """Has the names masked that are not known to be nobody's, by the answers to that."""
        mask = self.spotters.of(matcher.keys).mask
        named = {name: mask(name) for name, answer in answers.items() if answer is not False}
        self.spotters.hide([name for name, masked in named.items() if masked == name])
        partly = {name: find_shown(name, masked) for name, masked in named.items() if masked != name}
        rest = {name: shown for name, shown in partly.items() if shown}
        again = self.engine.judge_values(matcher, list(rest.values())) if rest else ()
        self.spotters.hide([name for name, answer in zip(rest, again, strict=True) if answer is not False])

    def count(self, matcher: Matcher, partitions: str | None) -> MatchCount:
        """Visible rows as `ErasureEngine.count` has them.

        Raises HIVE_ACID_ERASURE.NOT_COUNTED, with masked paths, and HIVE_ACID_TABLE_NOT_FOUND.
        """
        self._try_files(matcher)
        return self.engine.count(matcher, partitions)

    def count_if_there(self, matcher: Matcher, partitions: str | None) -> MatchCount:
        """The same, and no rows of a table that is gone, which whoever looks at it tells. Raises NOT_COUNTED alone."""
        try:
            return self.count(matcher, partitions)
        except HiveAcidError as error:
            expect_gone(error)
            return MatchCount(0, {})

    def links(self, matcher: Matcher, link: Key) -> Mapping[bytes, frozenset[bytes]]:
        """The links of `ErasureEngine`; raises as `count` does."""
        self._try_files(matcher)
        return self.engine.links(matcher, link)

    def _try_files(self, matcher: Matcher) -> None:
        sight = self.sights.look(matcher.table)
        self.hide_named(matcher, sight)
        spotter = self.spotters.of(matcher.keys)
        for failure in self._find_failures(matcher, sight, spotter):
            raise _not_counted(matcher.table, failure)

    def _find_failures(self, matcher: Matcher, sight: Sight, spotter: Spotter) -> Iterator[str]:
        """Why the table is not queried, one reason after the other."""
        is_plain = sight.table.kind is TableKind.PLAIN
        plain = find_unhidden(self.sights.list_files(sight), sight.locations) if is_plain else ()
        for path in self.sights.shown(sight).find_packed(plain):
            yield f"{spotter.mask(path)}: {_PACKED}"
        told = (*sight.locations, *(partition.name for partition in sight.partitions))
        if is_plain and any(spotter.mask(text) != text for text in told):
            yield _TOLD
        if sight.table.kind is TableKind.FULL_ACID or sight.table.file_format in READ_BY_SEARCH:
            named = self._find_named(sight, spotter)
            search = FileSearch(
                self.engine, self.file_system, read_whole(matcher, sight.table), spotter, former_columns=False
            )
            found = search.search(named).values() if named else ()
            for place in (place for file in found if not file.is_searched for place in file.places):
                yield f"{place.where}: {place.detail}"

    def _find_named(self, sight: Sight, spotter: Spotter) -> list[PhysicalFile]:
        """The files that queries show and whose paths name a subject; of plain Hive all that are not hidden."""
        files = find_unhidden(self.sights.list_files(sight), sight.locations)
        named = [file for file in files if spotter.mask(file.path) != file.path]
        if not named or sight.table.kind is TableKind.PLAIN:
            return named
        shown = self.sights.shown(sight).list_all()
        return [file for file in named if (file.path, file.length_bytes, file.modified_ms) in shown]


def _not_counted(table: TableName, failure: str) -> HiveAcidError:
    return build_error("HIVE_ACID_ERASURE.NOT_COUNTED", table=table, failure=failure)
