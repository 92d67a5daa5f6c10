"""The folder of a table or partition before its first write, and of one that takes no other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hive_acid.errors import build_error
from hive_acid.execution.scope import Tools
from hive_acid.model.write_ids import ValidWriteIdList
from hive_acid.reading.late_tables import find_write_ids_now
from hive_acid.snapshot.table_snapshot import load_states
from hive_acid.wire.statement_kinds import StatementKind
from hive_acid.writing.conflicts import Conflict
from hive_acid.writing.new_folders import find_leftover, find_older_table
from hive_acid.writing.stages import Found, Written


def refuse_older_table(tools: Tools, written: Written) -> None:
    """The first write to a table: an older table of the same folder has left nothing that the new one would show.

    Raises HIVE_ACID_FOLDER_NOT_EMPTY.
    """
    name = written.table.name

    def is_alone() -> bool:
        own = written.transaction.txn_id
        return all(lock.txn_id == own for lock in tools.metastore.held_locks(name))  # an INSERT locks as a reader does

    found = find_older_table(
        tools.files, written.table.location, lambda: find_write_ids_now(tools.metastore, name), is_alone
    )
    if found is not None:
        raise found.build_error("The first write to a new table", name)


def refuse_leftovers(tools: Tools, written: Written, new: Mapping[str, str]) -> None:
    """The first write to partitions: there is nothing in their folders. `new` has their locations by name.

    Raises HIVE_ACID_FOLDER_NOT_EMPTY, and Conflict if another client has added one of them meanwhile.
    """
    name, write_id = written.table.name, written.work.write_id
    found = find_leftover(tools.files, list(new.values()), write_id, lambda: find_write_ids_now(tools.metastore, name))
    if found is None:
        return
    partition = next(partition for partition, location in new.items() if location == found.folder)
    if tools.metastore.partitions(name, [partition]):
        raise Conflict(written.transaction.txn_id, "HIVE_ACID_WRITE_CONFLICT.PARTITION_ADDED", partition=partition)
    raise found.build_error("A write to a new partition", name)


def refuse_second_insert(tools: Tools, found: Found, places: Sequence[str], write_ids: ValidWriteIdList) -> None:
    """An INSERT INTO an immutable table finds no folder with rows where it has written, whether or not they are left.

    Hive compares before the statement runs, counts folders of aborted transactions too, and asks for an empty table
    where it does not know the partition yet (GenFileSinkPlan.checkImmutableTable and FileUtils.isDirEmpty of 4.1.0).

    No other one writes meanwhile: its lock keeps them out (`Rule.keeping_out_others`). `places` are the folders that it
    has written to, and `write_ids` those that count now. Raises HIVE_ACID_IMMUTABLE_TABLE.
    """
    if found.statement.kind is not StatementKind.INSERT or not found.table.is_immutable:
        return
    for state in load_states(tools.files, places, write_ids, tools.metastore.valid_transactions(0)):
        if state.data_folders or state.originals:
            raise build_error("HIVE_ACID_IMMUTABLE_TABLE", table=found.table.name, place=state.listing.root)
