"""The run of an erasure through its phases, from wherever its ledger says it stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from hive_acid.api.tables import TableName
from hive_acid_erasure.certificate.certifying import Case
from hive_acid_erasure.erase.checking import Checker
from hive_acid_erasure.erase.cleaning import CleanerWatch
from hive_acid_erasure.erase.deleting import Deleter
from hive_acid_erasure.erase.old_notes import OldNotes
from hive_acid_erasure.find.finding import Finder
from hive_acid_erasure.find.ledger import Ledger
from hive_acid_erasure.find.record import Record
from hive_acid_erasure.find.state import COMPACTED, FOUND, VERIFIED, ErasureState, FoundTable, describe_found
from hive_acid_erasure.find.world import TableResult, World
from hive_acid_erasure.plan.plan import TablePlan
from hive_acid_erasure.subjects.subjects import identify_erasure
from hive_acid_erasure.verify.places import Place, PlaceKind
from hive_acid_erasure.verify.rewritten import add_digests
from hive_acid_erasure.verify.verification import Verification

_FORM = "6"
"""The form of the ledger. One of another form does not tell what a run needs to go on, and is refused."""
_ROUNDS = 3
"""The first compacts what was deleted from, the others what verification finds besides."""
_CURED_BY_COMPACTION = (
    PlaceKind.ROWS,
    PlaceKind.FILE_STATISTICS,
    PlaceKind.FILE_DICTIONARY,
    PlaceKind.FORMER_COLUMN,
    PlaceKind.FILE_TEXT,
    PlaceKind.VISIBLE_ROWS,
)


class Erasure:
    """One erasure. Each phase notes in the ledger what it has done, and does not do it again."""

    def __init__(self, case: Case, world: World, ledger: Ledger) -> None:
        self._plan = plan = case.plan
        self._world = world
        self._ledger = ledger
        self._record = record = Record(ledger, world.clock_ms, case.spotters)
        parts = world.engine, world.metastore, world.file_system, case.spotters, world.clock_ms
        self._verification = Verification(*parts, plan.search_limits)
        self._finder = finder = Finder(world.engine, world.metastore, self._verification, case.subjects)
        digest = case.subjects.digest(case.key)
        id_ = identify_erasure(plan.digest, digest)
        self._deleter = Deleter(plan, world, record, finder, id_)
        self._checker = Checker(world, record, finder, self._verification)
        self._identity = {"plan": plan.digest, "subjects": digest, "key": case.key.id, "form": _FORM}

    @property
    def state(self) -> ErasureState:
        """The state that the ledger tells of."""
        return self._record.state

    def find(self) -> tuple[FoundTable, ...]:
        """The first phase: how many rows of each table are of subjects. Nothing is changed."""
        self._ledger.check(self._identity)
        self._world.engine.check_session()
        if all(self.state.found(table.table) is None for table in self._plan.tables):
            self._finder.check(self._plan, erases=True)
        self._ledger.begin(self._identity, self._world.clock_ms())
        self._record.learn(self._plan.tables)
        for table in self._plan.tables:
            if (known := self.state.found(table.table)) is not None:
                self._verification.hide_named(known.matcher)
        missing = [table for table in self._plan.tables if self.state.found(table.table) is None]
        # all links are known before a name of any table is noted
        followed = [(table, self._finder.follow(table)) for table in missing]
        for table, trail in followed:
            self._finder.refuse_shared(table, trail)
        for table, trail in followed:
            self._world.tell(f"find: {table.table}")
            self._record.note(FOUND, **describe_found(self._finder.find(table, trail)))
        return tuple(self._record.found(table.table) for table in self._plan.tables)

    def run(self) -> tuple[TableResult, ...]:
        """All phases up to the verification; the result of each table, in the plan's order.

        Raises HIVE_ACID_ERASURE with COLUMNS_SETTING, GUARD, GUARD_AT_DELETION, SHARED_LINKS and those of
        `Finder.check` and `Ledger.begin`, and what the engine, the metastore and storage raise. A run after that goes
        on.
        """
        found = self.find()
        self._deleter.guard(found)
        self._deleter.delete_all()
        first = self.state.last_round()
        results: tuple[TableResult, ...] = ()
        for round_ in range(first, first + _ROUNDS):
            wanted = {table.table: self._find_wanted(table, round_, results) for table in self._plan.tables}
            if round_ > first and not any(wanted.values()) and not _has_changing_links(results):
                break
            self._look_behind(wanted)
            failed = [place for table in self._plan.tables for place in self._compact(table, wanted, round_)]
            failed += self._clean()
            self._mask_notes()
            results = self._verify(failed)
            if not any(result.places for result in results):
                break
        return tuple(map(self._add_digests, results))

    def _look_behind(self, wanted: Mapping[TableName, frozenset[str]]) -> None:
        """Compactions remove rows that no query shows, and with them links that nobody could follow."""
        for table in self._plan.tables:
            if any(wanted.get(step.table) for step in table.via):
                self._checker.look_behind(table)

    def _mask_notes(self) -> None:
        """In the partitions within the limits: statements of before may name subjects in the history."""
        for table in self._plan.tables:
            found = self._record.found(table.table)
            sight = self._verification.sights.look_if_there(found.matcher.table)
            if sight is not None and sight.identity == found.identity:
                files = self._verification.sights.list_files(sight)
                self._verification.visible.hide_named(found.matcher, sight, (file.path for file in files))
                chosen = self._finder.choose(table, {file.partition for file in files})
                notes = OldNotes(self._world.file_system, self._record.spotter(table.table), self._world.tell)
                notes.mask(tuple(file for file in files if file.partition in chosen))

    def _verify(self, failed: Sequence[Place]) -> tuple[TableResult, ...]:
        """All tables, and what of them the next round need not look at."""
        results = self._checker.verify_all(self._plan.tables, failed)
        free, held = {}, {}
        for result in results:
            name = str(result.found.matcher.table)
            free[name], held[name] = self._checker.find_free(result)
        self._record.note(VERIFIED, places=sum(len(result.places) for result in results), free=free, held=held)
        return results

    def _add_digests(self, result: TableResult) -> TableResult:
        """With the SHA-256 of the files that were written; those that are others by now are places."""
        found, table = result.found, result.found.matcher.table
        spotter = self._record.spotter(table)
        compacted = frozenset(entry["partition"] for entry in self.state.compactions(table))
        partitions = self._record.touched(table) | self._record.mask_again(table, compacted)
        report = add_digests(result.report, self._world.engine, found.files.keys(), partitions, spotter)
        new = report.places[len(result.report.places) :]
        return replace(result, report=report, places=(*result.places, *new))

    def _find_wanted(self, table: TablePlan, round_: int, results: Sequence[TableResult]) -> frozenset[str]:
        """Masked names of the partitions to be compacted; rows that came since the deletion are deleted before."""
        if not results:
            return self._record.touched(table.table) if round_ == 0 else frozenset()  # later runs look first
        result = next(each for each in results if each.found.matcher.table == table.table)
        spotter = self._record.spotter(table.table)
        places = [place for place in result.places if place.kind in _CURED_BY_COMPACTION]
        if any(place.kind is PlaceKind.VISIBLE_ROWS for place in places):
            self._deleter.delete([table], round_)
        found = frozenset(spotter.mask(place.partition or "") for place in places)
        return found | (self._record.touched(table.table) if found else frozenset())

    def _compact(self, table: TablePlan, wanted: dict[TableName, frozenset[str]], round_: int) -> list[Place]:
        """The partitions that could not be compacted."""
        spotter, failed = self._record.spotter(table.table), list[Place]()
        sight = self._verification.sights.look_if_there(self._record.found(table.table).matcher.table)
        partitions = [partition.name for partition in sight.partitions] if sight is not None else []
        names = {spotter.mask(name): name for name in partitions}
        if sight is not None and not sight.table.is_partitioned:
            names[""] = ""
        # a name that is missing was dropped meanwhile, or is of files of no partition, which are searched all the same
        open_ = wanted[table.table] - self._record.compacted(table.table, round_)
        due = [names[masked] for masked in sorted(open_) if masked in names]
        for masked in map(spotter.mask, due):
            self._world.tell(f"compact: {table.table} {masked}".strip())
        for done in self._world.engine.compact(table.table, due):
            masked = spotter.mask(done.partition)
            if done.failure is not None:
                where = f"{table.table} {masked}".strip()
                failed.append(Place(PlaceKind.NOT_COMPACTED, where, spotter.mask(done.failure)))
                continue
            self._record.note(COMPACTED, table=str(table.table), partition=masked, id=done.id, round=round_)
        return failed

    def _clean(self) -> list[Place]:
        """The compactions that have not been cleaned."""
        tables = [table.table for table in self._plan.tables]
        ids = [entry["id"] for table in tables for entry in self.state.compactions(table)]
        world = self._world
        world.tell("clean: waiting for the Cleaner")
        watch = CleanerWatch(world.metastore, world.clock_ms, world.pause_ms, world.cleaning_limit_ms)
        waiting = watch.wait(ids, world.tell) if ids else ()
        spotters = {table.table: self._record.spotter(table.table) for table in self._plan.tables}
        return [
            Place(PlaceKind.NOT_CLEANED, str(each.table), spotters[each.table].mask(each.reason)) for each in waiting
        ]


def _has_changing_links(results: Sequence[TableResult]) -> bool:
    return any(place.kind is PlaceKind.CHANGING_LINKS for result in results for place in result.places)
