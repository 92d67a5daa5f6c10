"""Telling the metastore's listeners which files a statement has put in place: for replication, and for Impala."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hive_acid.metastore.protocol import Metastore
from hive_acid.metastore.types import AddedFile
from hive_acid.model.names import VERSION_FILE
from hive_acid.model.table import TableDescription
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.wire.write_spec import WriteResult
from hive_acid.writing.partitions import TouchedPartitions
from hive_acid.writing.stages import Published


def notify(metastore: Metastore, file_system: FileSystem, changes: Sequence[Published]) -> None:
    """Before the commit, of all that statements of a transaction, one at least, have published in a table."""
    table, txn_id, write_id = changes[0].table, changes[0].transaction.txn_id, changes[0].work.write_id
    placed: dict[str, list[tuple[str, str]]] = {}
    for change in changes:
        for partition, files in _find_placed(table, change.result, change.touched).items():
            placed.setdefault(partition, []).extend(files)
    paths = [path for files in placed.values() for path, _ in files]
    sums = dict(zip(paths, file_system.checksums(paths), strict=True))
    added = {name: [AddedFile(path, folder, sums[path]) for path, folder in files] for name, files in placed.items()}
    metastore.notify_write(txn_id, write_id, table.name, added)


def _find_placed(
    table: TableDescription, result: WriteResult, touched: TouchedPartitions | None
) -> Mapping[str, Sequence[tuple[str, str]]]:
    """Each file and the name of its folder, by partition (empty: of a flat table)."""
    locations = touched.locations if touched else {}
    placed: dict[str, list[tuple[str, str]]] = {}
    for folder in result.folders:
        root = (locations[folder.partition] if folder.partition else table.location).rstrip("/")
        names = (VERSION_FILE, *folder.files) if table.kind.has_row_ids else folder.files
        files = [(f"{root}/{folder.name}/{name}", folder.name) for name in names]
        placed.setdefault(folder.partition, []).extend(files)
    return placed
