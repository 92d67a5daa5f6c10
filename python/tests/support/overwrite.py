"""An INSERT OVERWRITE as a client of Hive makes it: the metastore's calls, and a base written beside."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow
from pyarrow import orc

from hive_acid.metastore.protocol import Metastore
from hive_acid.metastore.types import LockComponent, LockKind, LockState, OperationKind
from hive_acid.model.names import FolderKind, FolderName
from hive_acid.model.table import TableName

_BUCKET_0 = 536870912


def overwrite(client: Metastore, table: TableName, ids: Sequence[int]) -> None:
    """Overwrites the table, whose one column is `id INT`, under the lock of Hive 4."""
    who = ("somebody", "elsewhere", "their tool")
    txn_id = client.open_transaction(*who)
    write_id = client.allocate_write_id(txn_id, table)
    _, state = client.lock(txn_id, [LockComponent(table, LockKind.EXCL_WRITE, OperationKind.UPDATE)], *who)
    assert state is LockState.ACQUIRED
    root = Path(client.table(table).location.removeprefix("file:"))
    base = root / FolderName(FolderKind.BASE, write_id, write_id).format()
    base.mkdir()
    (base / "_orc_acid_version").write_text("2")
    orc.write_table(_build_rows(write_id, ids), base / "bucket_00000")
    client.commit(txn_id)


def _build_rows(write_id: int, ids: Sequence[int]) -> pyarrow.Table:
    count = len(ids)
    row = pyarrow.StructArray.from_arrays([pyarrow.array(ids, pyarrow.int32())], ["id"])
    return pyarrow.table(
        {
            "operation": pyarrow.array([0] * count, pyarrow.int32()),
            "originalTransaction": pyarrow.array([write_id] * count, pyarrow.int64()),
            "bucket": pyarrow.array([_BUCKET_0] * count, pyarrow.int32()),
            "rowId": pyarrow.array(range(count), pyarrow.int64()),
            "currentTransaction": pyarrow.array([write_id] * count, pyarrow.int64()),
            "row": row,
        }
    )
