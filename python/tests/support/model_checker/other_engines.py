"""Hive and Trino as writers, each of which locks in its own way."""

from __future__ import annotations

from hive_acid.errors import HiveAcidError
from hive_acid.metastore.types import LockComponent, LockKind, LockState, MetastoreLine, OperationKind, TransactionState
from hive_acid.model.names import FolderKind, FolderName
from hive_acid.model.write_ids import ValidTxnList
from hive_acid.reading.snapshot import Snapshot
from hive_acid.transactions.validity import is_unchanged
from hive_acid.wire.row_writes import RowWrites
from hive_acid.wire.statement_kinds import StatementKind
from support.model_checker.actors import Actor
from support.model_checker.clients import OwnedMetastore, Watched
from support.model_checker.effects import Effect
from support.model_checker.engine import FILE, read_table
from support.model_checker.operations import Operation
from support.model_checker.output import FolderOutput
from support.model_checker.rows import Violation, format_records
from support.model_checker.world import LOCATION, TABLE, World

_ATTEMPTS = 6


class _Writer(Actor):
    """What the two have in common. `agent` is how they are called."""

    agent = ""

    def __init__(self, world: World, number: int, effect: Effect) -> None:
        super().__init__(world, number)
        self.metastore, self.files = OwnedMetastore(world, number), Watched(world, world.files, number)
        self.effect = effect
        self.operation = Operation((effect,), is_ours=False)

    def open(self) -> int:
        return self.metastore.open_transaction(self.agent, "host", self.agent)

    def lock(self, txn_id: int, component: LockComponent) -> None:
        """Waits for the lock."""
        lock_id, state = self.metastore.lock(txn_id, [component], self.agent, "host", self.agent)
        while state is not LockState.ACQUIRED:
            self.world.pause_of(self.number)(1)
            state = self.metastore.check_lock(txn_id, lock_id, 0)

    def write(self, txn_id: int, write_id: int, seen: ValidTxnList) -> None:
        """Writes the changed rows into their folders, tells the metastore of the partitions."""
        partitioned = self.world.setting.is_partitioned
        output = FolderOutput(write_id, 0, self.effect, overwrites=self.effect.kind.replaces)
        snapshot = Snapshot(self.metastore, self.files, seen)
        stored = (
            read_table(snapshot, TABLE, partitioned, self.files) if self.effect.writes is not RowWrites.INSERTS else []
        )
        output.change(stored, is_partitioned=partitioned)
        written = dict(output.texts())
        if partitioned and self.effect.kind.replaces:
            base = FolderName(FolderKind.BASE, write_id, write_id).format()
            written |= {(name, base): format_records(()) for name in ("d=0", "d=1") if (name, base) not in written}
        for (partition, folder), text in sorted(written.items()):
            self.files.add_file(f"{LOCATION}/{partition}".rstrip("/") + f"/{folder}/{FILE}", text=text)
        if partitioned:
            self.tell_partitions(txn_id, write_id, sorted({partition for partition, _ in written}))

    def tell_partitions(self, txn_id: int, write_id: int, names: list[str]) -> None:
        operation = _OPERATIONS.get(self.effect.kind, OperationKind.UPDATE)
        self.metastore.add_dynamic_partitions(txn_id, write_id, TABLE, names, operation)


_OPERATIONS = {StatementKind.INSERT: OperationKind.INSERT, StatementKind.DELETE: OperationKind.DELETE}


class HiveStatement(_Writer):
    """Hive: snapshot, write ID, lock; a statement whose snapshot does not serve begins anew in a new transaction.

    Driver and DbTxnManager of 3.1.3; Driver.validateTxnListState and AcidUtils.makeLockComponents of 4.1.0.
    """

    agent = "hive"

    def act(self) -> None:
        with self.doing(self.operation):
            for _ in range(_ATTEMPTS):
                if self._attempt():
                    return
            raise Violation("Hive has lost its race again and again")

    def _attempt(self) -> bool:
        metastore, line = self.metastore, self.world.setting.line
        txn_id = self.open()
        seen = metastore.valid_transactions(txn_id)
        write_id = metastore.allocate_write_id(txn_id, TABLE)
        before = metastore.valid_write_ids([TABLE], seen)[TABLE]
        operation = _OPERATIONS.get(self.effect.kind, OperationKind.UPDATE)
        partitioned = self.world.setting.is_partitioned
        self.lock(txn_id, LockComponent(TABLE, self._kind(), operation, None, partitioned))
        if self._kind() is not LockKind.SHARED_READ:
            if line is MetastoreLine.HIVE_4:
                has_changed = bool(metastore.latest_conflict(txn_id))
            else:
                has_changed = not is_unchanged(before, metastore.valid_write_ids([TABLE], None)[TABLE], write_id)
            if has_changed:
                metastore.abort(txn_id)
                return False
        self.write(txn_id, write_id, seen)
        try:
            metastore.commit(txn_id)
        except HiveAcidError:
            if self.world.is_struck(self.number):
                raise
            return False
        return True

    def _kind(self) -> LockKind:
        if self.effect.kind is StatementKind.INSERT:
            return LockKind.SHARED_READ
        if self.effect.kind.replaces:
            return LockKind.EXCLUSIVE
        return LockKind.SHARED_WRITE if self.world.setting.line is MetastoreLine.HIVE_3 else LockKind.EXCL_WRITE


class TrinoStatement(_Writer):
    """Trino: SHARED_READ for all it does, write ID after the lock, then a lock for reading, and the snapshot.

    On the 4.x line it commits without the search for conflicts (`exclWriteEnabled` is left out), Trino 476.
    """

    agent = "trino"
    bears = ("HIVE_ACID_TRANSACTION_ABORTED",)

    def __init__(self, world: World, number: int, effect: Effect, *, is_read_by_hive: bool = False) -> None:
        super().__init__(world, number, effect)
        # what it deletes under a write ID from before its snapshot, Hive 4 may show
        world.is_read_by_hive = is_read_by_hive
        world.may_deadlock = True

    def act(self) -> None:
        with self.doing(self.operation):
            txn_id = self.open()
            operation = _OPERATIONS.get(self.effect.kind, OperationKind.UPDATE)
            partitioned = self.world.setting.is_partitioned
            self.lock(txn_id, LockComponent(TABLE, LockKind.SHARED_READ, operation, None, partitioned))
            write_id = self.metastore.allocate_write_id(txn_id, TABLE)
            if self.effect.kind is not StatementKind.INSERT:
                self.lock(txn_id, LockComponent(TABLE, LockKind.SHARED_READ, OperationKind.SELECT))
            self.write(txn_id, write_id, self.metastore.valid_transactions(0))
            self._commit(txn_id)

    def tell_partitions(self, txn_id: int, write_id: int, names: list[str]) -> None:
        """It tells of none that it has changed."""

    def _commit(self, txn_id: int) -> None:
        if self.world.setting.line is MetastoreLine.HIVE_3:
            self.metastore.commit(txn_id)
            return
        run = self.world.run
        assert run is not None
        run.call(self.number, "commit_unchecked", (), lambda: commit_unchecked(self.world, txn_id))
        self.world.note_commits()


def commit_unchecked(world: World, txn_id: int) -> None:
    """As the servers of the 4.x line do for who does not ask for the search."""
    memory = world.memory
    transaction = memory._transactions.require_open(txn_id)
    transaction.commit_id = memory._transactions.high_water_mark
    memory._end(transaction, TransactionState.COMMITTED)
