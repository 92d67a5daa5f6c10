"""The steps of a writing statement, in their one order.

A statement of its own, one of several in a transaction, statements that run as one, and a dry run go through the same
steps. They differ in which they leave out, and in when the last ones come: see the sequences at the end. The `Scope` is
the part that each of them does in its own way. A new check is a line in one of these functions, or a function in
`STEPS`; what a step finds for later ones is a stage (`hive_acid.writing.stages`). Faults of servers are met
in the hooks of `scope.quirks`, each of which one step calls (`hive_acid.quirks.quirk`).
"""

from __future__ import annotations

from hive_acid.errors import build_error
from hive_acid.execution.publishing_steps import (
    commit,
    note_written,
    notify_listeners,
    prepare,
    publish,
    register_partitions,
    show_written,
    withdraw_stale_statistics,
)
from hive_acid.execution.scope import Scope, WritingScope
from hive_acid.execution.sequence import Steps
from hive_acid.execution.watch import Phase
from hive_acid.model.bucket import MAX_STATEMENT
from hive_acid.reading.changed_tables import refuse_changed
from hive_acid.transactions.validity import build_lock_components, find_rule, is_covered
from hive_acid.writing.conflicts import Conflict
from hive_acid.writing.foreseen_partitions import choose_lockable, find_foreseen_partitions
from hive_acid.writing.kept_lock import KeptLock
from hive_acid.writing.placement_rules import refuse_beside_overwrites, refuse_overlap, refuse_storage
from hive_acid.writing.rights import refuse_closed, refuse_closed_partitions
from hive_acid.writing.stages import (
    Begun,
    Counted,
    Foreseen,
    Found,
    Locked,
    LockPlan,
    Numbered,
    Opened,
    Planned,
    Published,
    Request,
    TableWork,
    Written,
)
from hive_acid.writing.table_rules import refuse_unwritable


def find_table(scope: Scope, request: Request) -> Found:
    """As it is now."""
    return Found(**vars(request), table=scope.tools.metastore.table(request.statement.target))


def check_table(_: Scope, found: Found) -> None:
    """A statement that cannot be written right is refused before anything is opened."""
    refuse_unwritable(found.table, found.statement, found.settings)
    for analysed in found.statement.analysed:
        if analysed.table == found.table.name:
            refuse_changed(analysed, found.table)


def check_rights(scope: Scope, found: Found) -> None:
    """Storage that is not fit for writing, or closed to this user, is told before anything is opened."""
    refuse_storage(scope.tools.files, found, [found.table.location])
    refuse_closed(scope.tools.files, [found.table.location])


def open_snapshot(scope: Scope, found: Found) -> Opened:
    """Nothing is begun for it."""
    return scope.open_snapshot(found)


def begin(scope: WritingScope, found: Found) -> Begun:
    """The snapshot comes before the write ID, which must be above all that the snapshot sees."""
    begun = scope.open_snapshot(found)
    scope.watch.txn_id = begun.transaction.txn_id
    return begun


def allocate_write_id(scope: WritingScope, begun: Begun) -> Numbered:
    """One per transaction and table; a lock is recorded with it."""
    name, txn_id = begun.table.name, begun.transaction.txn_id
    if name not in scope.work:
        before = begun.taken.write_ids(name)
        scope.quirks.before_write_id(begun, before)
        write_id = begun.transaction.allocate_write_id(name)
        if before.max_visible >= write_id:
            raise Conflict(txn_id, "HIVE_ACID_WRITE_CONFLICT.WRITE_ID_TOO_LOW", writeId=write_id)
        scope.work[name] = TableWork(begun.table, begun.taken, before, write_id)
    if scope.work[name].next_statement_id > MAX_STATEMENT - 1:
        raise build_error("HIVE_ACID_TRANSACTION_STATE.STATEMENTS_USED_UP", txnId=txn_id)
    return Numbered(**vars(begun), work=scope.work[name])


def check_own_overwrites(_: WritingScope, numbered: Numbered) -> None:
    """Refuses a change beside an overwrite by an earlier statement of the transaction."""
    refuse_beside_overwrites(numbered)


def plan_locks(scope: WritingScope, numbered: Numbered) -> Planned:
    """Partitions are locked by their names where that is possible and the table is not locked as a whole."""
    return Planned(**vars(numbered), plan=_plan_locks(scope, numbered))


def foresee_locks(scope: Scope, opened: Opened) -> Foreseen:
    """The statement would ask for them."""
    return Foreseen(**vars(opened), plan=_plan_locks(scope, opened))


def _plan_locks(scope: Scope, opened: Opened) -> LockPlan:
    statement, table = opened.statement, opened.table
    reads_target = scope.reads_target or statement.target in statement.sources
    rule = find_rule(statement.kind, scope.tools.metastore.line, reads_target, table.is_immutable)
    rule = rule if scope.kept_lock is None else rule.behind_kept_lock()
    foreseen = find_foreseen_partitions(opened)
    whole_table, *_ = build_lock_components(rule, table.name, (), table.is_partitioned)
    partitions = None if is_covered(whole_table, scope.held) else choose_lockable(foreseen, opened.settings)
    locks = build_lock_components(rule, table.name, statement.sources, table.is_partitioned, partitions)
    return LockPlan(rule, foreseen, partitions, locks)


def check_partition_rights(scope: Scope, planned: Planned | Foreseen) -> None:
    """A user who may not write to a partition is told before a row is read."""
    if planned.table.is_partitioned:
        refuse_closed_partitions(scope.tools.metastore, scope.tools.files, planned, planned.plan.foreseen)


def lock(scope: WritingScope, planned: Planned) -> Locked:
    """From here on the table stays as it is, but for what the rule admits."""
    scope.lock(planned)
    locked = Locked(**vars(planned), holds_target=scope.holds(planned.table.name))
    scope.quirks.after_lock(locked)
    return locked


def check_snapshot(scope: WritingScope, locked: Locked) -> None:
    """Whether the snapshot, which is older than the lock, still serves. A statement that runs again keeps the lock."""
    try:
        scope.tools.checks.check_table(locked)
        scope.tools.checks.check_partitions(locked)
        scope.check_sources(locked)
    except Conflict as conflict:
        conflict.kept_lock = scope.kept_lock or (
            KeptLock(locked.transaction, locked.plan.partitions) if locked.plan.rule.can_be_kept else None
        )
        raise


def run_job(scope: WritingScope, locked: Locked) -> Written:
    """The engine writes the changed rows."""
    scope.quirks.before_job(locked)
    publication = scope.build_publication(locked)
    return Written(**vars(locked), publication=publication, result=scope.tools.jobs.stage(locked, publication))


def discard_job(scope: Scope, foreseen: Foreseen) -> Counted:
    """The engine counts them."""
    return Counted(**vars(foreseen), result=scope.tools.jobs.discard(foreseen))


def abort_unchanged(_: WritingScope, written: Written) -> None:
    """If nothing was written: nothing is left for the initiator to look at."""
    if not written.result.folders:
        written.transaction.abort()


def end_unchanged(_: WritingScope, written: Written) -> bool:
    """If nothing was written, this is the last step."""
    if not written.result.folders:
        written.publication.remove_staging()
    return not written.result.folders


def check_own_folders(_: WritingScope, written: Written) -> None:
    """Beside those of earlier statements of the transaction."""
    refuse_overlap(written.work, written.result)


def ensure_active(scope: WritingScope, written: Written) -> None:
    """Nothing is changed in the table for a transaction, or behind a lock, that is lost."""
    written.transaction.ensure_active()
    scope.quirks.before_publish(written)
    if scope.kept_lock is not None:
        scope.kept_lock.ensure_active()


_WRITING = Steps[WritingScope, Request, Request]().during(Phase.SNAPSHOT)

STEPS: Steps[WritingScope, Request, Written] = (
    _WRITING.then(find_table)
    .do(check_table, check_rights)
    .then(begin)
    .then(allocate_write_id)
    .do(check_own_overwrites)
    .then(plan_locks)
    .do(check_partition_rights)
    .during(Phase.LOCK_WAIT)
    .then(lock)
    .during(Phase.SNAPSHOT)
    .do(check_snapshot)
    .during(Phase.WRITE)
    .then(run_job)
    .do(abort_unchanged)
    .unless(end_unchanged)
    .during(Phase.PUBLISH)
    .do(check_own_folders, ensure_active)
    .then(prepare)
    .do(register_partitions, withdraw_stale_statistics)
    .then(publish)
    .do(note_written, show_written, notify_listeners)
    .during(Phase.COMMIT)
    .do(commit)
)
"""All of them. Every other sequence has some of them, in this order."""

ALONE = STEPS.without(check_own_overwrites, check_own_folders, note_written, show_written)
"""A statement in a transaction of its own, which has no earlier statement."""

_AT_COMMIT = Steps[WritingScope, Published, Published]()

AT_COMMIT_OF_A_TABLE = _AT_COMMIT.during(Phase.PUBLISH).do(withdraw_stale_statistics, notify_listeners)
"""The steps of several statements that are done once for each table, when the transaction is to be committed."""

AT_COMMIT = _AT_COMMIT.during(Phase.COMMIT).do(commit)
"""Then those that are done once."""

IN_TRANSACTION = STEPS.without(abort_unchanged, withdraw_stale_statistics, notify_listeners, commit)
"""A statement of a transaction of several: what is left is done at the commit."""

TOGETHER = IN_TRANSACTION.without(check_own_overwrites, show_written)
"""A statement of several that run as one, each as if it were the first."""

LOCKED_AHEAD = _WRITING.then(find_table).then(begin).then(allocate_write_id).then(plan_locks)
"""Before the first of several statements that run as one, if their locks are asked for at once."""

DRY_RUN = (
    Steps[Scope, Request, Request]()
    .then(find_table)
    .do(check_table, check_rights)
    .then(open_snapshot)
    .then(foresee_locks)
    .do(check_partition_rights)
    .then(discard_job)
)
"""The steps of a statement that changes nothing: without a write ID, a lock for writing, and files."""
