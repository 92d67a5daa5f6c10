"""The sixth phase: what is left of the subjects, and whether the links by which it was searched still are all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hive_acid.api.tables import TableName
from hive_acid_erasure.find.finding import Finder
from hive_acid_erasure.find.record import Record
from hive_acid_erasure.find.state import SEARCHED, FoundTable
from hive_acid_erasure.find.trails import Reach, Trail
from hive_acid_erasure.find.world import Chosen, TableResult, World
from hive_acid_erasure.plan.plan import TablePlan
from hive_acid_erasure.verify.closing import close
from hive_acid_erasure.verify.places import Place, PlaceKind, describe_visible
from hive_acid_erasure.verify.table_report import Former, TableReport
from hive_acid_erasure.verify.verification import Verification

_NOT_OF_CONTENTS = (
    PlaceKind.PATH,
    PlaceKind.PARTITION_NAME,
    PlaceKind.PARTITION_PROPERTY,
    PlaceKind.TABLE_PROPERTY,
    PlaceKind.COLUMN_STATISTICS,
    PlaceKind.DEFAULT_VALUE,
    PlaceKind.NOT_COMPACTED,
    PlaceKind.NOT_CLEANED,
)
"""Kinds that leave nothing open about what files hold. A path that names a subject goes with the partition of that
name, which the user then drops."""


@dataclass(frozen=True)
class Checker:
    """Verifies the tables of an erasure."""

    world: World
    record: Record
    finder: Finder
    verification: Verification

    def verify_all(self, tables: Sequence[TablePlan], failed: Sequence[Place]) -> tuple[TableResult, ...]:
        """All tables as they were at one moment, then once more the links to each, which may have come meanwhile.

        `failed` are places of earlier phases. Raises as engines do.
        """

        def again(at: int, result: TableResult) -> TableResult:
            return self._verify(tables[at], failed, result.report)

        verified = [self._verify(table, failed) for table in tables]
        closed = close(verified, self.verification, again, self.world.clock_ms)
        stamped = (
            replace(each, report=closed.stamp(each.report), places=(*each.places, *places))
            for each, places in zip(closed.results, closed.places, strict=True)
        )
        return tuple(map(self._find_changing_links, tables, stamped))

    def _verify(self, table: TablePlan, failed: Sequence[Place], earlier: TableReport | None = None) -> TableResult:
        """The table by all links that are known now."""
        self.world.tell(f"verify: {table.table}")
        trail = self.look_behind(table) if table.via else None
        found = self._locate(table.table)
        report = self.verification.verify(
            found.matcher, Former(found.identity, found.locations, found.hidden_locations), earlier
        )
        located = self._locate(table.table)
        found = replace(found, locations=located.locations, hidden_locations=located.hidden_locations)
        places = [*report.places, *find_unknown_links(table.table, found.reach, trail)]
        if report.identity:
            count = self.verification.visible.count_if_there(found.matcher, table.partitions)
            visible = describe_visible(found.matcher, count)
            report = replace(report, counted_ms=self.world.clock_ms())
            places += visible
            places += _find_doubts(table, trail) if visible and trail else []
            places += self._find_gone(table.table, report)
        self.record.note(SEARCHED, table=str(table.table))
        outside = self._find_outside(table, found, report)
        mask = self.record.spotter(table.table).mask
        counted = [place for place in places if mask(place.partition or "") not in outside]
        left = {mask(place.partition or "") for place in places if place.kind not in _NOT_OF_CONTENTS} & outside
        own = [place for place in failed if f"{place.where} ".startswith(f"{table.table} ")]
        found = replace(found, beyond=found.beyond | left)
        chosen = None
        if table.partitions is not None:
            known = found.partitions | self.record.touched(table.table) | frozenset(map(mask, report.partitions))
            chosen = Chosen(known - outside - {""}, outside)
        return TableResult(found, report, tuple(dict.fromkeys((*counted, *own))), chosen)

    def _locate(self, table: TableName) -> FoundTable:
        """The table with all folders in which it lies and has lain, which a run after a kill has to know."""
        self.verification.hide_named(self.record.found(table).matcher)
        return self.record.locate(table, self.verification.sights.seen(table))

    def look_behind(self, table: TablePlan) -> Trail:
        """The trail to a table by all that is visible now, once the links that nobody can follow are noted."""
        trail, _ = self.record.follow(table, self.finder)
        self.record.look_behind(table, trail, self.finder)
        return trail

    def _find_changing_links(self, table: TablePlan, result: TableResult) -> TableResult:
        """With a place if there are links by now by which the table was not searched."""
        if table.via and self.record.follow(table, self.finder)[1]:
            return replace(result, places=(*result.places, changing_links(table.table)))
        return result

    def find_free(self, result: TableResult) -> tuple[list[str], list[str]]:
        """Masked names of partitions within the limits: those whose files name nobody any more, and the others.

        A place of no partition, as of a table that changed, leaves all of them open.
        """
        table = result.found.matcher.table
        mask = self.record.spotter(table).mask
        places = (*result.report.places, *result.places)
        open_ = {place.partition for place in places if place.kind not in _NOT_OF_CONTENTS}
        outside = result.found.beyond - self.record.watched(table)
        present = result.report.partitions  # files may lie in folders of no partition
        within = frozenset(map(mask, present)) - outside
        clear = frozenset(mask(name) for name in present if name not in open_)
        free = within & clear if None not in open_ else frozenset[str]()
        return sorted(free - self.record.free(table)), sorted(within - free)

    def _find_outside(self, table: TablePlan, found: FoundTable, report: TableReport) -> frozenset[str]:
        """Masked names of the partitions outside of the plan's limits; none that was within them when rows went."""
        if table.partitions is None:
            return frozenset()
        mask = self.record.spotter(table.table).mask
        chosen = self.finder.choose(table, report.partitions) if report.identity else frozenset(report.partitions)
        now = frozenset(mask(name) for name in report.partitions if name not in chosen)
        within = found.partitions | self.record.touched(table.table) | {""}
        return (now | found.beyond) - within

    def _find_gone(self, table: TableName, report: TableReport) -> list[Place]:
        """Partitions that are not there any more, though their files were not found to be free of subjects.

        Nobody can tell where the files are: an exchange moves them into another table, and a drop may leave them. Rows
        that no query shows are in partitions that no count names.
        """
        present = set(map(self.record.spotter(table).mask, report.partitions))
        gone = self.record.watched(table) - present - self.record.free(table) - {""}
        detail = (
            "it was dropped, renamed or exchanged before its files were found to be free of subjects; "
            "see to its files, then erase with a new ledger"
        )
        return [Place(PlaceKind.CHANGED_TABLE, f"{table} PARTITION ({name})", detail, "") for name in sorted(gone)]


def changing_links(table: TableName) -> Place:
    """Rows of a path gave further links while the table was searched."""
    return Place(PlaceKind.CHANGING_LINKS, str(table), "links to it came while it was searched, by which it was not")


def find_unknown_links(table: TableName, reach: Sequence[Reach], trail: Trail | None) -> list[Place]:
    """Places for links that nobody can follow: from rows that no query shows, and from tables that are gone."""
    places = []
    for each in reach:
        if each.is_open:
            files = f", and {each.unsearched_files} files cannot be searched" if each.unsearched_files else ""
            detail = (
                f"{each.without} of {each.asked} gave no link in {each.table}, where {each.hidden_rows} rows that no "
                f"query shows name some of them{files}; see what these rows link to, and erase it by keys of its own"
            )
            places.append(Place(PlaceKind.UNKNOWN_LINKS, str(table), detail))
    gone = [f"{name}, which leads to it, is not there any more" for name in (trail.gone if trail else ())]
    return [*places, *(Place(PlaceKind.UNKNOWN_LINKS, str(table), detail) for detail in gone)]


def _find_doubts(table: TablePlan, trail: Trail) -> list[Place]:
    if not trail.doubtful:
        return []
    detail = (
        f"{len(trail.doubtful)} links that subjects' rows gave in {table.via[-1].table} are now given by rows of "
        "others alone, or were others', too, before they went; rows were not deleted by these: see whose they are, "
        "then erase with a new ledger"
    )
    return [Place(PlaceKind.UNKNOWN_LINKS, str(table.table), detail)]
