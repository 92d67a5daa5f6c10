"""The second and third phases: nothing is deleted that the plan's guard forbids, and the rest in transactions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hive_acid.api.conditions import HiveAcidError, build_error
from hive_acid.api.statements import TransactionState
from hive_acid.api.tables import TableName
from hive_acid_erasure.engine import Deletion, MatchCount, Matcher, Within
from hive_acid_erasure.erase.retrying import try_until_won
from hive_acid_erasure.find.finding import Finder
from hive_acid_erasure.find.record import Record
from hive_acid_erasure.find.state import DELETED, DELETING, WRITTEN, FoundTable
from hive_acid_erasure.find.trails import Trail
from hive_acid_erasure.find.world import World
from hive_acid_erasure.plan.key_types import bind, refuse_changes
from hive_acid_erasure.plan.plan import Guard, Plan, TablePlan


@dataclass(frozen=True)
class Deleter:
    """Deletes the visible rows of subjects."""

    plan: Plan
    world: World
    record: Record
    finder: Finder
    erasure_id: str

    def guard(self, found: Sequence[FoundTable]) -> None:
        """Raises HIVE_ACID_ERASURE.GUARD for a table that was not deleted from yet, before anything is."""
        for each in found:
            limit, table = _find_limit(self.plan.guard, each.count), each.matcher.table
            if limit is not None and self.record.state.needs_delete(table):
                counts = {"matched": each.count.matched, "total": each.count.total}
                raise build_error("HIVE_ACID_ERASURE.GUARD", **counts, table=table, limit=limit)

    def delete_all(self) -> None:
        """The tables whose deletion was not noted yet. Raises as `delete` does."""
        missing = [table for table in self.plan.tables if self.record.state.needs_delete(table.table)]
        for group in [missing] if self.plan.one_transaction else [[table] for table in missing]:
            self.delete(group, 0)

    def delete(self, group: Sequence[TablePlan], round_: int) -> None:
        """One transaction. Rows that a killed run has deleted are not there any more, and are not counted again.

        Raises HIVE_ACID_ERASURE with ANOTHER_TABLE, GUARD_AT_DELETION, SHARED_LINKS or CHANGED_KEY, and what the engine
        and storage raise.
        """
        if not group:
            return
        tables = [table.table for table in group]
        for name in tables:
            refuse_changes(self.world.engine, self.record.found(name).matcher)
            self._look(name)
        title = f"delete: {', '.join(map(str, tables))}"
        world, record = self.world, self.record
        world.tell(title)
        interrupted = {table: record.state.is_interrupted(table) for table in tables}
        for name in tables:
            record.note(DELETING, table=str(name), round=round_)
        deletions = try_until_won(lambda: self._attempt(group), title, world.pause_ms, world.tell)
        for name, deletion in zip(tables, deletions, strict=True):
            record.note(
                DELETED,
                table=str(name),
                round=round_,
                rows=deletion.row_count,
                txn_id=deletion.txn_id,
                write_id=deletion.write_id,
                after_interruption=interrupted[name],
                partitions=sorted(map(record.spotter(name).mask, deletion.partitions)),
            )

    def _look(self, table: TableName) -> None:
        """At partitions that have come since, whose names are noted next, and at where the table lies."""
        verification = self.finder.verification
        verification.hide_named(self.record.found(table).matcher)
        self.record.locate(table, verification.sights.seen(table))

    def _attempt(self, group: Sequence[TablePlan]) -> Sequence[Deletion]:
        """One transaction, by the links of its snapshot.

        The links of tables whose path goes through one of the group are noted within it. It deletes what gives them,
        and nobody could find the rows behind them again. Links of other paths are found before it, and looked at again
        after the deletion: a busy table ends a transaction that deletes from it long after its snapshot.
        """
        names = {table.table for table in group}
        through = [table for table in self.plan.tables if any(step.table in names for step in table.via)]
        matchers = {table.table: self.record.found(table.table).matcher for table in group}
        ahead = [table for table in group if table.via and table not in through]
        matchers.update({table.table: self._follow(table) for table in ahead})

        def match(_: Sequence[Matcher]) -> list[Matcher]:
            followed = {table.table: self._follow(table) for table in through}
            matchers.update({name: matcher for name, matcher in followed.items() if name in names})
            return list(matchers.values())

        def confirm(deletions: Mapping[TableName, Deletion]) -> None:
            for table in ahead:
                _refuse_lost(matchers[table.table], self._find_trail(table).for_deletion)
            for name, deletion in deletions.items():
                self._refuse_another(name)
                self._guard_deletion(name, deletion)
                self._note_written(name, deletion)

        limits = {table.table: table.partitions for table in group if table.partitions is not None}
        paths = {step.table for table in (*through, *ahead) for step in table.via}
        within = Within(match, confirm, frozenset(filter(self.finder.is_there, paths)), f"erasure {self.erasure_id}")
        return self.world.engine.delete(list(matchers.values()), limits, within)

    def _follow(self, table: TablePlan) -> Matcher:
        """The rows to be deleted by the links of the moment.

        Its types are those of the find, so that a change since is seen when the rows are deleted.
        """
        trail = self._find_trail(table)
        known = self.record.found(table.table).matcher
        return bind(trail.for_deletion, [keyed.types for keyed in known.keys])

    def _find_trail(self, table: TablePlan) -> Trail:
        """The trail by the links of the moment. Raises HIVE_ACID_ERASURE.SHARED_LINKS."""
        trail, _ = self.record.follow(table, self.finder)
        try:
            self.finder.refuse_shared(table, trail)
        except HiveAcidError as error:
            if error.getCondition() == "HIVE_ACID_ERASURE.SHARED_LINKS":
                self.record.note_shared(table, trail)
            raise
        return trail

    def _refuse_another(self, table: TableName) -> None:
        """Rows of a table that was made since, or of another metastore's, have nothing to do with the known links.

        Raises HIVE_ACID_ERASURE.ANOTHER_TABLE.
        """
        if self.world.metastore.table_identity(table) != self.record.found(table).identity:
            raise build_error("HIVE_ACID_ERASURE.ANOTHER_TABLE", table=table)

    def _guard_deletion(self, table: TableName, deletion: Deletion) -> None:
        """All rows that the erasure deletes from a table count, those of earlier rounds and of killed runs too."""
        before = sum(each.row_count for each in self.record.state.confirmed(table) if self._may_count(each.txn_id))
        count = MatchCount(self.record.found(table).count.total, {"": before + deletion.row_count})
        limit = _find_limit(self.plan.guard, count)
        if limit is not None and deletion.row_count:
            counts = {"matched": deletion.row_count, "before": before, "total": count.total}
            raise build_error("HIVE_ACID_ERASURE.GUARD_AT_DELETION", **counts, table=table, limit=limit)

    def _may_count(self, txn_id: int) -> bool:
        """True for a transaction that was committed, and for one of which the metastore knows nothing any more."""
        return self.world.metastore.transaction_state(txn_id) in (TransactionState.COMMITTED, None)

    def _note_written(self, table: TableName, deletion: Deletion) -> None:
        """Notes a deletion that is about to be committed: a kill may come after it."""
        if deletion.row_count or deletion.partitions:
            self._look(table)
            masked = sorted(map(self.record.spotter(table).mask, deletion.partitions))
            counts = {"rows": deletion.row_count, "txn_id": deletion.txn_id}
            self.record.note(WRITTEN, table=str(table), partitions=masked, **counts)


def _refuse_lost(used: Matcher, confirmed: Matcher) -> None:
    """Raises HIVE_ACID_ERASURE.LINKS_CHANGED if rows were deleted by a link that is another's in the snapshot."""
    for before, after in zip(used.keys, confirmed.keys, strict=True):
        if before.hashes - after.hashes:
            raise build_error("HIVE_ACID_ERASURE.LINKS_CHANGED", table=used.table)


def _find_limit(guard: Guard, count: MatchCount) -> str | None:
    """The limit of the guard that so many rows exceed."""
    if guard.max_rows is not None and count.matched > guard.max_rows:
        return f"{guard.max_rows} rows"
    if guard.max_percent is not None and count.matched * 100 > guard.max_percent * count.total:
        return f"{guard.max_percent:g} per cent"
    return None
