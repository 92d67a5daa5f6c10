"""A table as it was when a statement had made or altered it, and what others have done to it since."""

from __future__ import annotations

from dataclasses import dataclass

from hive_acid.errors import HiveAcidError
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.names import FolderName, is_hidden
from hive_acid.model.table import TableName
from hive_acid.reading.late_tables import find_write_ids_now
from hive_acid.reading.warehouse import Warehouse


@dataclass(frozen=True)
class TableState:
    """The metastore's identity of a table, and the greatest write ID that it had given out for it (0: none)."""

    identity: str
    write_id: int = 0


def load_state(warehouse: Warehouse, name: TableName) -> TableState:
    """The state now; whoever wants it to stay true holds an exclusive lock."""
    metastore = warehouse.metastore
    return TableState(metastore.table_identity(name), find_write_ids_now(metastore, name).high_water_mark)


def find_stranger(warehouse: Warehouse, name: TableName, state: TableState) -> str | None:
    """The reason for leaving a table to others, who have used it since that state; None if nobody has."""
    metastore = warehouse.metastore
    try:
        if metastore.table_identity(name) != state.identity:
            return "it was dropped and made again meanwhile"
    except HiveAcidError as error:
        if error.getCondition() != "HIVE_ACID_TABLE_NOT_FOUND":
            raise
        return "it was dropped or renamed meanwhile"
    write_ids = find_write_ids_now(metastore, name)
    if write_ids.open:
        return f"another transaction is about to write to it, under write ID {min(write_ids.open)}"
    # 3.1 forgets what was aborted with nothing recorded: it looks committed, and has left no file
    if write_ids.max_visible > state.write_id and (
        metastore.line is MetastoreLine.HIVE_4 or _has_newer_files(warehouse, name, state.write_id)
    ):
        return f"another transaction has written to it, under write ID {write_ids.max_visible}"
    return None


def _has_newer_files(warehouse: Warehouse, name: TableName, write_id: int) -> bool:
    table = warehouse.metastore.table(name)
    places = [table.location]
    if table.is_partitioned:
        names = warehouse.metastore.partition_names(name)
        places += [partition.location for partition in warehouse.metastore.partitions(name, names)]
    return any(
        not is_hidden(file.name) and _is_newer(file.relative_path, write_id)
        for listing in warehouse.file_system.list_trees(places)
        for file in listing.files
    )


def _is_newer(path: str, write_id: int) -> bool:
    """Whether a file, by its path below the table or a partition, was written later; any file after write ID 0."""
    folders = (FolderName.parse(part) for part in path.split("/"))
    return write_id == 0 or any(folder is not None and folder.max_write_id > write_id for folder in folders)
