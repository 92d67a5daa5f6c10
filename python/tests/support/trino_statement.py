"""A statement of Trino on the table of a world in memory: it locks all as SHARED_READ, and names no partition."""

from __future__ import annotations

from hive_acid.metastore.types import LockComponent, LockKind, LockState, OperationKind
from support.statements import LOCATION, TABLE, World

PARTITION = f"{LOCATION}/d=x"
"""Where it writes if the table is partitioned."""


class Trino:
    """A statement that changes or adds rows, or only reads them, step by step."""

    def __init__(self, world: World, operation: OperationKind = OperationKind.UPDATE) -> None:
        self.world = world
        self.memory = world.memory
        self.operation = operation
        self.is_partitioned = world.memory.table(TABLE).is_partitioned
        self.txn_id = self.memory.open_transaction("user", "host", "")
        self.write_id = 0

    def begin_write(self) -> LockState:
        state = self._lock(self.operation, self.is_partitioned)
        self.write_id = self.memory.allocate_write_id(self.txn_id, TABLE)
        return state

    def begin_read(self) -> LockState:
        return self._lock(OperationKind.SELECT)

    def _lock(self, operation: OperationKind, is_dynamic: bool = False) -> LockState:
        part = LockComponent(TABLE, LockKind.SHARED_READ, operation, is_dynamic_partition_write=is_dynamic)
        return self.memory.lock(self.txn_id, [part], "user", "host", "20260101_000000_00001_abcde")[1]

    def begin(self) -> Trino:
        """Up to its snapshot."""
        assert (self.begin_write(), self.begin_read()) == (LockState.ACQUIRED, LockState.ACQUIRED)
        return self

    def commit(self) -> None:
        root = PARTITION if self.is_partitioned else LOCATION
        for kind in ("delete_delta", "delta"):
            self.world.file_system.add_file(f"{root}/{kind}_{self.write_id:07d}_{self.write_id:07d}_0000/bucket_00000")
        self.memory.commit(self.txn_id)
