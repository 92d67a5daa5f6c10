"""The steps of a writing statement, in their one order.

A statement of its own, one of several in a transaction, statements that run as one, and a dry run go through the same
steps. They differ in which they leave out, and in when the last ones come: see the tuples at the end. The `Scope` is
the part that each of them does in its own way. A new check is a line in one of these functions, or a function in
`STEPS`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from hive_acid.errors import build_error
from hive_acid.execution.cleaner import hold_lower_write_id, keep_cleaner_off
from hive_acid.execution.publishing_steps import (
    commit,
    keep_in_sight,
    keep_out_unlocked_writers,
    note_written,
    notify_listeners,
    prepare,
    publish,
    register_partitions,
    show_written,
    withdraw_stale_statistics,
)
from hive_acid.execution.scope import Scope, WritingScope
from hive_acid.model.bucket import MAX_STATEMENT
from hive_acid.transactions.validity import build_lock_components, find_rule, is_covered
from hive_acid.writing.conflicts import Conflict
from hive_acid.writing.foreseen_partitions import choose_lockable, find_foreseen_partitions
from hive_acid.writing.kept_lock import KeptLock
from hive_acid.writing.rights import refuse_closed, refuse_closed_partitions
from hive_acid.writing.statement_run import (
    StatementRun,
    TableWork,
    refuse_beside_overwrites,
    refuse_overlap,
    refuse_storage,
)
from hive_acid.writing.table_rules import refuse_unwritable


def find_table(scope: Scope, run: StatementRun) -> None:
    """As it is now."""
    run.table = scope.tools.metastore.table(run.statement.target)


def check_table(_: Scope, run: StatementRun) -> None:
    """A statement that cannot be written right is refused before anything is opened."""
    refuse_unwritable(run.table, run.statement, run.settings)
    run.statement.refuse_changed(run.table)


def check_rights(scope: Scope, run: StatementRun) -> None:
    """Storage that is not fit for writing, or closed to this user, is told before anything is opened."""
    refuse_storage(scope.tools.files, run, [run.table.location])
    refuse_closed(scope.tools.files, [run.table.location])


def open_snapshot(scope: Scope, run: StatementRun) -> None:
    """Before the write ID: that must be above all that the snapshot sees."""
    scope.open_snapshot(run)


def allocate_write_id(scope: WritingScope, run: StatementRun) -> None:
    """One per transaction and table; a lock is recorded with it."""
    name = run.table.name
    if name not in scope.work:
        before = run.taken.write_ids(name)
        hold_lower_write_id(scope, run, before)
        write_id = run.transaction.allocate_write_id(name)
        if before.max_visible >= write_id:
            raise Conflict(run.transaction.txn_id, f"write ID {write_id} is not above all that the snapshot sees")
        scope.work[name] = TableWork(run.table, run.taken, before, write_id)
    run.work = scope.work[name]
    if run.work.next_statement_id > MAX_STATEMENT - 1:
        raise build_error("HIVE_ACID_TRANSACTION_STATE.STATEMENTS_USED_UP", txnId=run.transaction.txn_id)


def check_own_overwrites(_: WritingScope, run: StatementRun) -> None:
    """Refuses a change beside an overwrite by an earlier statement of the transaction."""
    refuse_beside_overwrites(run.statement, run.work, run.transaction.txn_id)


def plan_locks(scope: Scope, run: StatementRun) -> None:
    """Partitions are locked by their names where that is possible and the table is not locked as a whole."""
    statement, table = run.statement, run.table
    reads_target = scope.reads_target or statement.target in statement.sources
    rule = find_rule(statement.kind, scope.tools.metastore.line, reads_target, table.is_immutable)
    run.rule = rule if scope.kept_lock is None else rule.behind_kept_lock()
    run.foreseen = find_foreseen_partitions(run)
    partitions = choose_lockable(run.foreseen, run.settings)
    whole_table, *_ = build_lock_components(run.rule, table.name, (), table.is_partitioned)
    run.partitions = None if is_covered(whole_table, scope.held) else partitions
    run.locks = build_lock_components(run.rule, table.name, statement.sources, table.is_partitioned, run.partitions)


def check_partition_rights(scope: Scope, run: StatementRun) -> None:
    """A user who may not write to a partition is told before a row is read."""
    if run.table.is_partitioned:
        refuse_closed_partitions(scope.tools.metastore, scope.tools.files, run)


def lock(scope: WritingScope, run: StatementRun) -> None:
    """From here on the table stays as it is, but for what the rule admits."""
    scope.lock(run)


def meet_unlocked_writers(scope: WritingScope, run: StatementRun) -> None:
    """Before it is asked whether the snapshot still serves."""
    held = [part for part in scope.held if part.table == run.table.name]
    scope.tools.unlocked_writers.meet(run.transaction, held, run.settings)


def check_snapshot(scope: WritingScope, run: StatementRun) -> None:
    """Whether the snapshot, which is older than the lock, still serves. A statement that runs again keeps the lock."""
    run.holds_target = scope.holds(run.table.name)
    try:
        scope.tools.checks.check_table(run)
        scope.tools.checks.check_partitions(run)
        scope.check_sources(run)
    except Conflict as conflict:
        conflict.kept_lock = scope.kept_lock or (
            KeptLock(run.transaction, run.partitions) if run.rule.can_be_kept else None
        )
        raise


def run_job(scope: Scope, run: StatementRun) -> None:
    """The engine writes the changed rows."""
    run.result = scope.run_job(run)


def abort_unchanged(_: WritingScope, run: StatementRun) -> None:
    """If nothing was written: nothing is left for the initiator to look at."""
    if not run.result.folders:
        run.transaction.abort()


def end_unchanged(_: WritingScope, run: StatementRun) -> None:
    """If nothing was written, this is the last step."""
    if not run.result.folders:
        run.publication.remove_staging()
        run.is_over = True


def check_own_folders(_: WritingScope, run: StatementRun) -> None:
    """Beside those of earlier statements of the transaction."""
    refuse_overlap(run.work, run.result)


def ensure_active(scope: WritingScope, run: StatementRun) -> None:
    """Nothing is changed in the table for a transaction, or behind a lock, that is lost."""
    run.transaction.ensure_active()
    scope.lower_write_ids.ensure_active()
    if scope.kept_lock is not None:
        scope.kept_lock.ensure_active()


Step = Callable[[WritingScope, StatementRun], None]
_S = TypeVar("_S", bound=Scope)

STEPS: tuple[Step, ...] = (
    find_table,
    check_table,
    check_rights,
    open_snapshot,
    allocate_write_id,
    check_own_overwrites,
    plan_locks,
    check_partition_rights,
    lock,
    meet_unlocked_writers,
    check_snapshot,
    keep_cleaner_off,
    run_job,
    abort_unchanged,
    end_unchanged,
    check_own_folders,
    ensure_active,
    prepare,
    register_partitions,
    withdraw_stale_statistics,
    publish,
    note_written,
    show_written,
    notify_listeners,
    keep_in_sight,
    keep_out_unlocked_writers,
    commit,
)
"""All of them. Every other tuple holds some of them, in this order."""


def _without(*left_out: Step) -> tuple[Step, ...]:
    return tuple(step for step in STEPS if step not in left_out)


ALONE = _without(check_own_overwrites, keep_cleaner_off, check_own_folders, note_written, show_written)
"""A statement in a transaction of its own, which has no earlier statement."""

AT_COMMIT_OF_A_TABLE: tuple[Step, ...] = (withdraw_stale_statistics, notify_listeners)
"""The steps of several statements that are done once for each table, when the transaction is to be committed."""

AT_COMMIT: tuple[Step, ...] = (keep_in_sight, keep_out_unlocked_writers, commit)
"""Then those that are done once."""

IN_TRANSACTION = _without(abort_unchanged, *AT_COMMIT_OF_A_TABLE, *AT_COMMIT)
"""A statement of a transaction of several: what is left is done at the commit."""

TOGETHER = tuple(step for step in IN_TRANSACTION if step not in (check_own_overwrites, show_written))
"""A statement of several that run as one, each as if it were the first."""

LOCKED_AHEAD: tuple[Step, ...] = (find_table, open_snapshot, allocate_write_id, plan_locks)
"""Before the first of several statements that run as one, if their locks are asked for at once."""

DRY_RUN: tuple[Callable[[Scope, StatementRun], None], ...] = (
    find_table,
    check_table,
    check_rights,
    open_snapshot,
    plan_locks,
    check_partition_rights,
    run_job,
)
"""The steps of a statement that changes nothing: without a write ID, a lock for writing, and files."""


def walk(scope: _S, run: StatementRun, steps: Sequence[Callable[[_S, StatementRun], None]]) -> None:
    """Goes through the steps, as far as there is anything to do."""
    for step in steps:
        step(scope, run)
        if run.is_over:
            return
