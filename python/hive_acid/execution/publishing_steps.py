"""The last steps of a writing statement: what the engine has written is put in place, told and committed.

See `hive_acid.execution.steps` for their order.
"""

from __future__ import annotations

from hive_acid import config
from hive_acid.errors import TransactionAborted, build_error
from hive_acid.execution.new_places import refuse_leftovers, refuse_older_table, refuse_second_insert
from hive_acid.execution.scope import WritingScope
from hive_acid.reading.late_tables import find_write_ids_now
from hive_acid.writing.conflicts import Conflict
from hive_acid.writing.new_folders import FIRST_WRITE_ID
from hive_acid.writing.notification import notify
from hive_acid.writing.overwrites import remove_aborted_overwrites
from hive_acid.writing.partitions import add_new, find_touched, withdraw_statistics
from hive_acid.writing.placement_rules import refuse_places
from hive_acid.writing.rights import refuse_closed
from hive_acid.writing.stages import Prepared, Published, Written


def prepare(scope: WritingScope, written: Written) -> Prepared:
    """Makes sure that the staged folders can be put in place, and that they are missed or hidden by nobody's.

    Raises Conflict if an overwrite was committed or a partition taken away meanwhile, HIVE_ACID_FOLDER_NOT_EMPTY if
    there is something in the folder of a new partition or table, HIVE_ACID_IMMUTABLE_TABLE if the table takes no second
    INSERT INTO of a place, HIVE_ACID_STORAGE_DENIED if this user may not write to one, and HIVE_ACID_INTERNAL if a
    partition was written that is not among the locked ones.
    """
    tools, table, work, changed = scope.tools, written.table, written.work, written.result.partitions
    if unlocked := written.plan.find_unlocked(changed):
        raise build_error("HIVE_ACID_INTERNAL", reason=f"partitions {', '.join(unlocked)} were written without a lock")
    tools.pause_ms(0)
    touched = find_touched(tools.metastore, table, changed) if table.is_partitioned else None
    refuse_places(tools.files, written, touched)
    prepared = Prepared(**vars(written), touched=touched)
    tools.checks.check_touched(prepared)
    now = find_write_ids_now(tools.metastore, table.name)
    tools.checks.check_bases(prepared, now)
    remove_aborted_overwrites(tools.files, prepared.locations, now)
    is_seen = written.taken.write_ids(table.name).is_valid(work.write_id)  # by an earlier statement
    refuse_second_insert(tools, written, prepared.locations, now.with_own(work.write_id) if is_seen else now)
    if touched:
        refuse_closed(tools.files, list(touched.existing.values()))
        refuse_leftovers(tools, written, touched.new)
        written.publication.make_folders(prepared.locations)
    elif work.write_id == FIRST_WRITE_ID and written.result.has_first_folder:
        refuse_older_table(tools, written)
    return prepared


def register_partitions(scope: WritingScope, prepared: Prepared) -> None:
    """New partitions, and those written to if no lock has named them, before there is a file in them.

    The record serves conflict detection and compaction. A metastore of the 3.1 line forgets an aborted transaction that
    has recorded nothing, and a lock for dynamic partitions records nothing there: its write ID would count as
    committed, and its files would be seen.
    """
    if prepared.touched is None:
        return
    metastore, work, table, txn_id = scope.tools.metastore, prepared.work, prepared.table, prepared.transaction.txn_id
    add_new(metastore, table, prepared.touched, txn_id, work.write_id, work.own_view)
    names = sorted(prepared.touched.locations)
    if prepared.plan.partitions is None:
        metastore.add_dynamic_partitions(txn_id, work.write_id, table.name, names, prepared.plan.rule.operation)
    work.partitions |= prepared.touched.locations


def withdraw_stale_statistics(scope: WritingScope, prepared: Prepared) -> None:
    """Withdraws statistics of the table and of all partitions that the transaction has written to.

    Raises Conflict if one of these is gone or lies elsewhere: a client that asks for no lock has renamed or dropped it,
    and nobody would find the rows.
    """
    work = prepared.work
    partitions = sorted(work.partitions)
    there = withdraw_statistics(scope.tools.metastore, work.table, partitions, work.write_id, work.own_view)
    for name, location in work.partitions.items():
        if there.get(name, "").rstrip("/") != location.rstrip("/"):
            raise Conflict(prepared.transaction.txn_id, "HIVE_ACID_WRITE_CONFLICT.PARTITION_GONE", partition=name)


def publish(scope: WritingScope, prepared: Prepared) -> Published:
    """Late: the base of an overwrite must not lie there longer than needed."""
    txn_id, write_id, touched = prepared.transaction.txn_id, prepared.work.write_id, prepared.touched
    told = (prepared.statement, prepared.result, txn_id, write_id, prepared.settings, scope.purpose)
    locations = touched.locations if touched else {}
    prepared.publication.publish(prepared.transaction, prepared.result, locations, scope.tools.notes.build(*told))
    published = Published(**vars(prepared))
    prepared.work.published.append(published)
    return published


def note_written(_: WritingScope, published: Published) -> None:
    """For statements that follow in the transaction: they write under greater statement IDs."""
    published.work.note(published.result)


def show_written(_: WritingScope, published: Published) -> None:
    """Statements that follow in the transaction see what this one wrote."""
    published.taken.note_written(published.table.name, published.work.own_view, published.result.partitions)


def notify_listeners(scope: WritingScope, published: Published) -> None:
    """Tells listeners of all that the transaction has written to the table, if a setting says so."""
    told = [one for one in published.work.published if one.settings.flag(config.NOTIFY_WRITES)]
    if told:
        notify(scope.tools.metastore, scope.tools.files, told)


def commit(scope: WritingScope, published: Published) -> None:
    """Raises Conflict if the metastore ended the transaction because another one had changed the same rows."""
    scope.quirks.before_commit(published)
    try:
        published.transaction.commit()
    except TransactionAborted as error:
        if not error.is_write_conflict:
            raise
        answer = error.getMessageParameters()["reason"]
        raise Conflict(published.transaction.txn_id, "HIVE_ACID_WRITE_CONFLICT.ENDED", answer=answer) from error
