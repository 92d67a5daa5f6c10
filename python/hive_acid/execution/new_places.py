"""The folder of a table or partition before its first write, and of one that takes no other."""

from __future__ import annotations

from collections.abc import Mapping

from hive_acid.errors import build_error
from hive_acid.execution.scope import Tools
from hive_acid.model.write_ids import ValidWriteIdList
from hive_acid.reading.late_tables import find_write_ids_now
from hive_acid.snapshot.table_snapshot import load_states
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.writing.conflicts import Conflict
from hive_acid.writing.new_folders import find_leftover, find_older_table
from hive_acid.writing.statement_run import StatementRun


def refuse_older_table(tools: Tools, run: StatementRun) -> None:
    """The first write to a table: an older table of the same folder has left nothing that the new one would show.

    Raises HIVE_ACID_FOLDER_NOT_EMPTY.
    """
    name = run.table.name

    def is_alone() -> bool:
        own = run.transaction.txn_id
        return all(lock.txn_id == own for lock in tools.metastore.held_locks(name))  # an INSERT locks as a reader does

    found = find_older_table(
        tools.files, run.table.location, lambda: find_write_ids_now(tools.metastore, name), is_alone
    )
    if found is not None:
        raise found.build_error("The first write to a new table", name)


def refuse_leftovers(tools: Tools, run: StatementRun, new: Mapping[str, str]) -> None:
    """The first write to partitions: there is nothing in their folders. `new` has their locations by name.

    Raises HIVE_ACID_FOLDER_NOT_EMPTY, and Conflict if another client has added one of them meanwhile.
    """
    name, write_id = run.table.name, run.work.write_id
    found = find_leftover(tools.files, list(new.values()), write_id, lambda: find_write_ids_now(tools.metastore, name))
    if found is None:
        return
    partition = next(partition for partition, location in new.items() if location == found.folder)
    if tools.metastore.partitions(name, [partition]):
        raise Conflict(run.transaction.txn_id, f"partition {partition} was added meanwhile")
    raise found.build_error("A write to a new partition", name)


def refuse_second_insert(
    tools: Tools, run: StatementRun, now: ValidWriteIdList, own_write_id: int | None = None
) -> None:
    """An INSERT INTO an immutable table finds no folder with rows where it has written, whether or not they are left.

    Hive compares before the statement runs, counts folders of aborted transactions too, and asks for an empty table
    where it does not know the partition yet (GenFileSinkPlan.checkImmutableTable and FileUtils.isDirEmpty of 4.1.0).

    No other one writes meanwhile: its lock keeps them out (`Rule.keeping_out_others`). `now` are the write
    IDs that count now, without the own one. Raises HIVE_ACID_IMMUTABLE_TABLE.
    """
    if run.statement.kind is not StatementKind.INSERT or not run.table.is_immutable:
        return
    transactions, write_ids = tools.metastore.valid_transactions(0), now
    if own_write_id and run.taken.write_ids(run.table.name).is_valid(own_write_id):  # by an earlier statement
        write_ids = write_ids.with_own(own_write_id)
    for state in load_states(tools.files, run.locations, write_ids, transactions):
        if state.data_folders or state.originals:
            raise build_error("HIVE_ACID_IMMUTABLE_TABLE", table=run.table.name, place=state.listing.root)
