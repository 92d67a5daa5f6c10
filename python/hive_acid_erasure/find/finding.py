"""The first phase: the subjects' hashes for each table, and how many rows they have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from hive_acid.api.conditions import HiveAcidError, build_error
from hive_acid.api.tables import Metastore, TableDescription, TableKind, TableName
from hive_acid_erasure.engine import ErasureEngine, MatchCount
from hive_acid_erasure.find.state import FoundTable
from hive_acid_erasure.find.trails import Links, Reach, Stage, Trail, TrailFinder, find_givers
from hive_acid_erasure.plan.key_types import bind, look_up_types
from hive_acid_erasure.plan.plan import Plan, Step, TablePlan
from hive_acid_erasure.subjects.plan_literals import names_subject
from hive_acid_erasure.subjects.spotting import Spotter
from hive_acid_erasure.subjects.subjects import Subjects
from hive_acid_erasure.verify.locations import Locations
from hive_acid_erasure.verify.shown_files import READ_BY_SEARCH
from hive_acid_erasure.verify.verification import Verification

_LOOKS = 2
"""How often rows that no query showed are looked for again, while writers make some of them visible."""


@dataclass(frozen=True)
class Finder:
    """Finds the subjects in the visible rows of tables."""

    engine: ErasureEngine
    metastore: Metastore
    verification: Verification
    subjects: Subjects

    def check(self, plan: Plan, *, erases: bool) -> None:
        """Looks at the tables of the plan, and at its texts, before anything is done.

        Raises HIVE_ACID_ERASURE with NO_SUCH_TABLE, NOT_TRANSACTIONAL, PLAN_VIEW, PLAN_NAMES_SUBJECT or
        PLAN_PARTITIONS, and as `look_up_types` does.
        """
        for table in plan.tables:
            for step in table.via:
                self._refuse_view(table.table, step.table)
            if self._describe(table.table).kind is TableKind.PLAIN and erases:
                raise build_error("HIVE_ACID_ERASURE.NOT_TRANSACTIONAL", table=table.table)
            self._check_texts(table)
            self.choose(table, ())
            look_up_types(self.engine, table, self.is_there)

    def _refuse_view(self, table: TableName, source: TableName) -> None:
        """A view may leave out rows that give links, and nobody can look for rows that no query of it shows."""
        if not self._describe(source).location:
            raise build_error("HIVE_ACID_ERASURE.PLAN_VIEW", table=table, source=source)

    def _describe(self, name: TableName) -> TableDescription:
        try:
            return self.metastore.table(name)
        except HiveAcidError as error:
            if error.main_condition == "HIVE_ACID_TABLE_NOT_FOUND":
                raise build_error("HIVE_ACID_ERASURE.NO_SUCH_TABLE", table=name) from None
            raise

    def _check_texts(self, table: TablePlan) -> None:
        """Literals of a plan are shown wherever it is."""
        spotter = self.verification.spotters.of(())
        expressions = [*table.keys, *(key for step in table.via for key in (*step.keys, step.link))]
        texts = [part for key in expressions for part in key.key.parts]
        if any(names_subject(text, spotter) for text in (*texts, table.partitions or "")):
            raise build_error("HIVE_ACID_ERASURE.PLAN_NAMES_SUBJECT", table=table.table)

    def follow(self, table: TablePlan, known: Links = (), seen: Links = (), shared: Links = ()) -> Trail:
        """The keys and hashes that name the subjects in the table by now; `known` links are followed as well.

        `seen` are those of an earlier trail. Nothing is to be deleted by `shared` links that nobody gives any more.

        Raises as `look_up_types` does.
        """
        learn = self.verification.spotters.learn
        finder = TrailFinder(self.engine, self.subjects, self.verification.visible.links, self.is_there, learn)
        trail = finder.find(table, known, seen, shared)
        types = look_up_types(self.engine, table, self.is_there)
        return replace(trail, matcher=bind(trail.matcher, types))

    def refuse_shared(self, table: TablePlan, trail: Trail) -> None:
        """Raises HIVE_ACID_ERASURE.SHARED_LINKS if rows of others would go by a link that others' rows give, too."""
        for step, stage in zip(table.via, trail.stages, strict=True):
            is_asked = stage.sure_links and not step.deletes_shared
            count = self.engine.count_shared(stage.sure, step.link.key, stage.sure_links) if is_asked else 0
            if count:
                raise build_error("HIVE_ACID_ERASURE.SHARED_LINKS", table=table.table, source=step.table, count=count)

    def is_there(self, name: TableName) -> bool:
        """True if there is such a table."""
        try:
            self._describe(name)
        except HiveAcidError as error:
            if error.getCondition() != "HIVE_ACID_ERASURE.NO_SUCH_TABLE":
                raise
            return False
        return True

    def choose(self, table: TablePlan, names: Iterable[str]) -> frozenset[str]:
        """The partitions of these names that lie within the plan's limits. Raises HIVE_ACID_ERASURE.PLAN_PARTITIONS.

        An empty name is of files that lie in no partition. They have no values for a condition, and are within.
        """
        if table.partitions is None:
            return frozenset(names)
        named = frozenset(names) - {""}
        return self.engine.choose_partitions(table.table, table.partitions, sorted(named)) | (frozenset(names) - named)

    def find(self, table: TablePlan, trail: Trail) -> FoundTable:
        """The table's hashes, counts and files. Raises HIVE_ACID_ERASURE.NOT_COUNTED."""
        count, beyond = self.verification.visible.count(trail.matcher, table.partitions), frozenset[str]()
        if table.partitions is not None:
            names = frozenset(self.verification.visible.count(trail.matcher, None).by_partition)
            beyond = names - self.choose(table, names)
        return self._describe_found(table, trail, count, beyond)

    def find_for_search(self, table: TablePlan, trail: Trail) -> tuple[FoundTable, str]:
        """The same for a search of the files, and why visible rows were not counted; empty: they were."""
        try:
            return self.find(table, trail), ""
        except HiveAcidError as error:
            if error.getCondition() != "HIVE_ACID_ERASURE.NOT_COUNTED":
                raise
            found = self._describe_found(table, trail, MatchCount(0, {}), frozenset())
            return found, self.verification.spotters.of(found.matcher.keys).mask(str(error))

    def _describe_found(self, table: TablePlan, trail: Trail, count: MatchCount, beyond: frozenset[str]) -> FoundTable:
        sight = self.verification.sights.look(trail.matcher.table)
        files = self.verification.sights.list_files(sight)
        self.verification.visible.hide_named(trail.matcher, sight, (file.path for file in files))
        spotter = self.verification.spotters.of(trail.matcher.keys)
        locations = Locations(sight.locations).mask(spotter, self.verification.spotters.key)
        present = self.choose(table, (partition.name for partition in sight.partitions))
        return FoundTable(
            trail.matcher,
            sight.identity,
            locations.shown,
            MatchCount(count.total, _mask_names(count.by_partition, spotter)),
            frozenset(map(spotter.mask, beyond)),
            {spotter.mask(file.path): file.length_bytes for file in files},
            frozenset(map(spotter.mask, present)),
            trail.links,
            self.look_behind(table, trail),
            trail.seen,
            locations.hidden,
        )

    def look_behind(self, table: TablePlan, trail: Trail) -> tuple[Reach, ...]:
        """The reach of each step of a path, with what no query shows; that of a table without a path as it is."""
        return tuple(map(self._look_behind, trail.stages, table.via)) if table.via else trail.reach

    def _look_behind(self, stage: Stage, step: Step, looks: int = _LOOKS) -> Reach:
        """The reach of a step, with the rows in its files that name those of whom no query shows a link.

        They may link to the next table, and nobody can follow them by a query. Rows that have become visible meanwhile
        are none of them.
        """
        unseen = stage.find_unseen(step.link.key)
        if unseen is None or self._is_shown(step.table):
            return stage.reach
        rows, files = self.verification.search_rows(unseen)
        given = self.engine.links(stage.matcher, step.link.key) if rows and looks else {}
        if find_givers(given) - stage.seen:
            later = replace(stage, given={**stage.given, **given}, seen=stage.seen | find_givers(given))
            return self._look_behind(later, step, looks - 1)
        return replace(stage.reach, hidden_rows=rows, unsearched_files=files)

    def _is_shown(self, name: TableName) -> bool:
        """True for a table that is gone, and one of plain Hive whose rows are read by queries alone."""
        if not self.is_there(name):
            return True
        table = self._describe(name)
        return table.kind is TableKind.PLAIN and table.file_format not in READ_BY_SEARCH


def _mask_names(by_partition: Mapping[str, int], spotter: Spotter) -> dict[str, int]:
    return {spotter.mask(name): count for name, count in by_partition.items() if count}
