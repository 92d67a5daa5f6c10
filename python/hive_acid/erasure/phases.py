"""The run of an erasure through its phases, from wherever its ledger says it stands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hive_acid.erasure.cleaning import CleanerWatch
from hive_acid.erasure.engine import ErasureEngine
from hive_acid.erasure.finding import Finder
from hive_acid.erasure.keyed_hash import HashKey
from hive_acid.erasure.ledger import Ledger
from hive_acid.erasure.places import Place, PlaceKind, describe_visible
from hive_acid.erasure.plan import Plan, TablePlan
from hive_acid.erasure.retrying import try_until_won
from hive_acid.erasure.rewritten import add_digests
from hive_acid.erasure.spotting import Spotter
from hive_acid.erasure.state import (
    COMPACTED,
    DELETED,
    DELETING,
    FOUND,
    VERIFIED,
    ErasureState,
    FoundTable,
    describe_found,
)
from hive_acid.erasure.subjects import Subjects
from hive_acid.erasure.verification import Former, TableReport, Verification
from hive_acid.errors import build_error
from hive_acid.metastore.protocol import Metastore
from hive_acid.model.table import TableName
from hive_acid.snapshot.filesystem import FileSystem

_ROUNDS = 3
"""The first compacts what was deleted from, the others what verification finds besides."""
_OF_CONTENTS = (PlaceKind.ROWS, PlaceKind.FILE_STATISTICS, PlaceKind.FILE_TEXT, PlaceKind.UNSEARCHED)
"""A path that names a subject goes with the partition of that name, which the user then drops."""


@dataclass(frozen=True)
class World:
    """Everything outside of an erasure that it works on. `tell` hears of its progress, without subjects."""

    engine: ErasureEngine
    metastore: Metastore
    file_system: FileSystem
    clock_ms: Callable[[], int]
    pause_ms: Callable[[int], None]
    tell: Callable[[str], None] = lambda _: None
    cleaning_limit_ms: int = 600_000


@dataclass(frozen=True)
class TableResult:
    """A table in the end. `places` are those that count: of partitions within the plan's limits."""

    found: FoundTable
    report: TableReport
    places: tuple[Place, ...]


class Erasure:
    """One erasure. Each phase notes in the ledger what it has done, and does not do it again."""

    def __init__(self, plan: Plan, subjects: Subjects, key: HashKey, world: World, ledger: Ledger) -> None:
        self._plan = plan
        self._world = world
        self._ledger = ledger
        self._spotters = spotters = subjects.spotters(key)
        self.state = ErasureState(ledger)
        self._verification = Verification(world.engine, world.metastore, world.file_system, spotters)
        self._finder = Finder(world.engine, world.metastore, self._verification, key, subjects)
        self._identity = {"plan": plan.digest, "subjects": subjects.digest(key), "key": key.id}

    def find(self) -> tuple[FoundTable, ...]:
        """The first phase: how many rows of each table are of subjects. Nothing is changed."""
        if all(self.state.found(table.table) is None for table in self._plan.tables):
            self._finder.check(self._plan, erases=True)
        self._ledger.begin(self._identity, self._world.clock_ms())
        for table in self._plan.tables:
            if self.state.found(table.table) is None:
                self._world.tell(f"find: {table.table}")
                self._note(FOUND, **describe_found(self._finder.find(table)))
        return tuple(self._found(table) for table in self._plan.tables)

    def run(self) -> tuple[TableResult, ...]:
        """All phases up to the verification; the result of each table, in the plan's order.

        Raises HIVE_ACID_ERASURE with GUARD and those of `Finder.check` and `Ledger.begin`, and what the engine, the
        metastore and storage raise. A run after that goes on.
        """
        found = self.find()
        self._guard(found)
        self._delete()
        first = self.state.last_round()
        results: tuple[TableResult, ...] = ()
        for round_ in range(first, first + _ROUNDS):
            wanted = {table.table: self._find_wanted(table, round_, results) for table in self._plan.tables}
            if round_ > first and not any(wanted.values()):
                break
            failed = [place for table in self._plan.tables for place in self._compact(table, wanted, round_)]
            failed += self._clean()
            results = tuple(self._verify(table, failed) for table in self._plan.tables)
            free = {str(result.found.matcher.table): sorted(self._find_free(result)) for result in results}
            self._note(VERIFIED, places=sum(len(result.places) for result in results), free=free)
            if not any(result.places for result in results):
                break
        return tuple(map(self._add_digests, results))

    def _add_digests(self, result: TableResult) -> TableResult:
        """With the SHA-256 of the files that were written; those that are others by now are places."""
        found, spotter = result.found, self._spotter(result.found)
        partitions = self.state.touched(found.matcher.table) | {
            entry["partition"] for entry in self.state.compactions(found.matcher.table)
        }
        report = add_digests(result.report, self._world.engine, found.files.keys(), partitions, spotter)
        new = report.places[len(result.report.places) :]
        return TableResult(found, report, (*result.places, *new))

    def _guard(self, found: Sequence[FoundTable]) -> None:
        guard = self._plan.guard
        for each in found:
            matched, total = each.count.matched, each.count.total
            limit = None
            if guard.max_rows is not None and matched > guard.max_rows:
                limit = f"{guard.max_rows} rows"
            elif guard.max_percent is not None and matched * 100 > guard.max_percent * total:
                limit = f"{guard.max_percent:g} per cent"
            if limit is not None and self.state.needs_delete(each.matcher.table):
                table = each.matcher.table
                raise build_error("HIVE_ACID_ERASURE.GUARD", matched=matched, total=total, table=table, limit=limit)

    def _delete(self) -> None:
        missing = [table for table in self._plan.tables if self.state.needs_delete(table.table)]
        groups = [missing] if self._plan.one_transaction else [[table] for table in missing]
        for group in groups:
            self._delete_group(group, 0)

    def _delete_group(self, group: Sequence[TablePlan], round_: int) -> None:
        """One transaction. Rows that a killed run has deleted are not there any more, and are not counted again."""
        if not group:
            return
        tables = [table.table for table in group]
        title = f"delete: {', '.join(map(str, tables))}"
        world = self._world
        world.tell(title)
        interrupted = {table: self.state.is_interrupted(table) for table in tables}
        touched = {table: self._count_now(table) for table in group} if round_ or any(interrupted.values()) else {}
        for name in tables:
            self._note(DELETING, table=str(name), round=round_)
        matchers = [self._found(table).matcher for table in group]
        limits = {table.table: table.partitions for table in group if table.partitions is not None}
        deletions = try_until_won(lambda: world.engine.delete(matchers, limits), title, world.pause_ms, world.tell)
        for table, deletion in zip(group, deletions, strict=True):
            self._note(
                DELETED,
                table=str(table.table),
                round=round_,
                rows=deletion.row_count,
                txn_id=deletion.txn_id,
                write_id=deletion.write_id,
                after_interruption=interrupted[table.table],
                partitions=sorted(touched.get(table, ())),
            )

    def _count_now(self, table: TablePlan) -> frozenset[str]:
        """Masked names of the partitions that have visible rows of subjects now."""
        found = self._found(table)
        count = self._world.engine.count(found.matcher, table.partitions)
        spotter = self._spotter(found)
        return frozenset(spotter.mask(name) for name, rows in count.by_partition.items() if rows)

    def _find_wanted(self, table: TablePlan, round_: int, results: Sequence[TableResult]) -> frozenset[str]:
        """Masked names of the partitions to be compacted; rows that came since the deletion are deleted before."""
        if not results:
            return self.state.touched(table.table) if round_ == 0 else frozenset()  # later runs look first
        result = next(each for each in results if each.found.matcher.table == table.table)
        spotter = self._spotter(result.found)
        kinds = (PlaceKind.ROWS, PlaceKind.FILE_STATISTICS, PlaceKind.FILE_TEXT, PlaceKind.VISIBLE_ROWS)
        places = [place for place in result.places if place.kind in kinds]
        if any(place.kind is PlaceKind.VISIBLE_ROWS for place in places):
            self._delete_group([table], round_)
        found = frozenset(spotter.mask(place.partition or "") for place in places)
        return found | (self.state.touched(table.table) if found else frozenset())

    def _compact(self, table: TablePlan, wanted: dict[TableName, frozenset[str]], round_: int) -> list[Place]:
        """The partitions that could not be compacted."""
        found = self._found(table)
        spotter, failed = self._spotter(found), list[Place]()
        sight = self._verification.look_if_there(found.matcher)
        partitions = [partition.name for partition in sight.partitions] if sight is not None else []
        names = {spotter.mask(name): name for name in partitions}
        if sight is not None and not sight.table.is_partitioned:
            names[""] = ""
        # a name that is missing was dropped meanwhile, or is of files of no partition, which are searched all the same
        open_ = wanted[table.table] - self.state.compacted(table.table, round_)
        due = [names[masked] for masked in sorted(open_) if masked in names]
        for masked in map(spotter.mask, due):
            self._world.tell(f"compact: {table.table} {masked}".strip())
        for done in self._world.engine.compact(table.table, due):
            masked = spotter.mask(done.partition)
            if done.failure is not None:
                where = f"{table.table} {masked}".strip()
                failed.append(Place(PlaceKind.NOT_COMPACTED, where, spotter.mask(done.failure)))
                continue
            self._note(COMPACTED, table=str(table.table), partition=masked, id=done.id, round=round_)
        return failed

    def _clean(self) -> list[Place]:
        """The compactions that have not been cleaned."""
        tables = [table.table for table in self._plan.tables]
        ids = [entry["id"] for table in tables for entry in self.state.compactions(table)]
        world = self._world
        world.tell("clean: waiting for the Cleaner")
        watch = CleanerWatch(world.metastore, world.clock_ms, world.pause_ms, world.cleaning_limit_ms)
        waiting = watch.wait(ids, world.tell) if ids else ()
        spotters = {table.table: self._spotter(self._found(table)) for table in self._plan.tables}
        return [
            Place(PlaceKind.NOT_CLEANED, str(each.table), spotters[each.table].mask(each.reason)) for each in waiting
        ]

    def _verify(self, table: TablePlan, failed: Sequence[Place]) -> TableResult:
        self._world.tell(f"verify: {table.table}")
        found = self._found(table)
        report = self._verification.verify(found.matcher, Former(found.identity, found.locations))
        places = list(report.places)
        spotter = self._spotter(found)
        if report.identity:
            places += describe_visible(found.matcher, self._world.engine.count(found.matcher, table.partitions))
            places += self._find_gone(table.table, set(map(spotter.mask, report.partitions)))
        counted = [place for place in places if spotter.mask(place.partition or "") not in found.beyond - {""}]
        own = [place for place in failed if place.where.split(" ")[0] == str(table.table)]
        return TableResult(found, report, tuple(dict.fromkeys((*counted, *own))))

    def _find_gone(self, table: TableName, present: set[str]) -> list[Place]:
        """Partitions that held subjects and are not there any more, though their files were not free of them yet.

        Nobody can tell where the files are: an exchange moves them into another table, and a drop may leave them.
        """
        gone = self.state.touched(table) - present - self.state.free(table) - {""}
        detail = (
            "it held subjects, and was dropped, renamed or exchanged before its files were found to be free of them; "
            "see to its files, then erase with a new ledger"
        )
        return [Place(PlaceKind.CHANGED_TABLE, f"{table} PARTITION ({name})", detail) for name in sorted(gone)]

    def _find_free(self, result: TableResult) -> frozenset[str]:
        """Masked names of the partitions that subjects were deleted from and whose files name none any more."""
        spotter = self._spotter(result.found)
        bad = {place.partition for place in result.report.places if place.kind in _OF_CONTENTS}
        present = frozenset(spotter.mask(name) for name in result.report.partitions if name not in bad)
        return present & self.state.touched(result.found.matcher.table)

    def _found(self, table: TablePlan) -> FoundTable:
        found = self.state.found(table.table)
        if found is None:
            raise build_error("HIVE_ACID_INTERNAL", reason=f"{table.table} was not searched yet")
        return found

    def _spotter(self, found: FoundTable) -> Spotter:
        return self._spotters.of(found.matcher.keys)

    def _note(self, event: str, **values: object) -> None:
        self._ledger.append(event, self._world.clock_ms(), **values)
