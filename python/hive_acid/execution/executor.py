"""The steps of a writing statement, in order."""

from __future__ import annotations

import logging
import random
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from hive_acid import config
from hive_acid.errors import CommitStateUnknown, HiveAcidError, build_error
from hive_acid.execution.engine import Engine, WriteResult, WriteSpec
from hive_acid.execution.partitions import find_touched, register
from hive_acid.execution.publication import Publication
from hive_acid.execution.snapshots import Snapshot
from hive_acid.execution.target import build_row_type, find_compression, refuse_unwritable
from hive_acid.metastore.protocol import Metastore
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.bucket import MAX_BUCKET
from hive_acid.model.table import TableDescription, TableName
from hive_acid.model.write_ids import ValidWriteIdList
from hive_acid.snapshot.directory_choice import newest_base_write_id
from hive_acid.snapshot.filesystem import FileSystem
from hive_acid.transaction.manager import Outcome, Transaction, TransactionManager
from hive_acid.transaction.validity import (
    RULES,
    Rule,
    SnapshotCheck,
    StatementKind,
    build_lock_components,
    is_unchanged,
)

LOG = logging.getLogger(__name__)
MIN_RESTART_PAUSE_MS = 20
MAX_RESTART_PAUSE_MS = 500


@dataclass(frozen=True)
class Statement:
    """A writing statement.

    `sources` are all transactional tables it reads, `parallelism` the cores of the session, `columns` the target's
    columns as the statement was analysed with, in lower case, partition columns last.
    """

    kind: StatementKind
    target: TableName
    sources: tuple[TableName, ...]
    time_zone: str
    parallelism: int
    columns: tuple[str, ...]


class _Conflict(Exception):
    """The snapshot no longer serves; the statement runs again in a new transaction."""

    def __init__(self, txn_id: int, reason: str) -> None:
        super().__init__(reason)
        self.txn_id = txn_id
        self.reason = reason


class Executor:
    """Runs statements against one metastore. `snapshots` is where scans find the snapshot of a running statement."""

    def __init__(
        self,
        metastore: Metastore,
        file_system: FileSystem,
        transactions: TransactionManager,
        settings: config.Settings,
        pause_ms: Callable[[int], None],
    ) -> None:
        self._metastore = metastore
        self._file_system = file_system
        self._transactions = transactions
        self._max_attempts = settings.number(config.MAX_ATTEMPTS)
        # Hive 3.1's minor compaction breaks an unbucketed table with deletes and files of several buckets
        by_line = 1 if metastore.line is MetastoreLine.HIVE_3 else MAX_BUCKET + 1
        self._insert_buckets = settings.number(config.INSERT_BUCKETS) or by_line
        self._allow_non_atomic_rename = settings.text(config.ALLOW_NON_ATOMIC_RENAME).lower() == "true"
        self._pause_ms = pause_ms
        self.snapshots: dict[str, Snapshot] = {}

    def run(self, statement: Statement, engine: Engine) -> int:
        """The number of rows changed, once they are committed.

        A lost race is run again in a new transaction, at most `maxAttempts` times; then HIVE_ACID_WRITE_CONFLICT. Any
        other error leaves nothing visible, but for HIVE_ACID_COMMIT_STATE_UNKNOWN, after which nobody knows.
        """
        rule = RULES[statement.kind, self._metastore.line]
        for attempt in range(1, self._max_attempts + 1):
            table = self._metastore.table(statement.target)
            refuse_unwritable(table, statement.kind, self._allow_non_atomic_rename)
            _refuse_other_columns(statement, table)
            try:
                return self._attempt(statement, table, rule, engine)
            except _Conflict as conflict:
                LOG.info("%s of %s runs again: %s", statement.kind.value, table.name, conflict.reason)
                lost = conflict
                self._pause_ms(random.randint(MIN_RESTART_PAUSE_MS, min(MAX_RESTART_PAUSE_MS, 50 * 2**attempt)))
        raise build_error(
            "HIVE_ACID_WRITE_CONFLICT",
            txnId=lost.txn_id,
            table=statement.target,
            reason=lost.reason,
            attempts=self._max_attempts,
        )

    def _attempt(self, statement: Statement, table: TableDescription, rule: Rule, engine: Engine) -> int:
        transaction = self._transactions.begin(str(table.name))
        publication = Publication(self._file_system, table.location, transaction.txn_id)
        with self._ended(transaction, publication), self._snapshot(transaction, table) as (token, snapshot):
            before = snapshot.write_ids(table.name)
            write_id = transaction.allocate_write_id(table.name)
            if before.max_visible >= write_id:
                raise _Conflict(transaction.txn_id, f"write ID {write_id} is not above all that the snapshot sees")
            transaction.lock(build_lock_components(rule, table.name, statement.sources, table.is_partitioned))
            self._check(rule, transaction, table, snapshot, write_id)
            spec = self._write_spec(statement, table, snapshot, write_id, publication)
            result = engine.write(token, spec)
            if result.changed == 0:
                # nothing is left for the initiator to look at
                transaction.abort()
                publication.remove_staging()
                return 0
            transaction.ensure_active()
            touched = find_touched(self._metastore, table, result.partitions) if table.is_partitioned else None
            locations = touched.locations if touched else {}
            self._check_bases(rule, transaction, list(locations.values()) or [table.location], before, write_id)
            publication.publish(result, locations)
            publication.remove_staging()
            own_view = before.with_own(write_id)
            if touched:
                txn_id = transaction.txn_id
                register(self._metastore, table, touched, rule.operation, txn_id, write_id, own_view)
            else:
                self._metastore.drop_statistics(table.name, write_id, own_view)
            transaction.commit()
            return _affected(statement.kind, result)

    def _check(
        self, rule: Rule, transaction: Transaction, table: TableDescription, snapshot: Snapshot, write_id: int
    ) -> None:
        """Raises _Conflict if what was committed between the snapshot and the lock matters to the statement."""
        # a table that was dropped and made again has forgotten our write ID, and gives another
        same_table = transaction.allocate_write_id(table.name) == write_id
        if not same_table or _identity(self._metastore.table(table.name)) != _identity(table):
            raise _Conflict(transaction.txn_id, "the table was altered, or dropped and made again, meanwhile")
        if rule.check is SnapshotCheck.NO_CONFLICT:
            other = self._metastore.latest_conflict(transaction.txn_id)
            if other:
                raise _Conflict(transaction.txn_id, f"transaction {other} changed rows of the table meanwhile")
        elif rule.check is SnapshotCheck.UNCHANGED and not is_unchanged(
            snapshot.write_ids(table.name), self._write_ids_now(table.name), write_id
        ):
            raise _Conflict(transaction.txn_id, "other transactions changed the table meanwhile")

    def _check_bases(
        self, rule: Rule, transaction: Transaction, locations: list[str], before: ValidWriteIdList, write_id: int
    ) -> None:
        """Raises _Conflict if an overwrite or TRUNCATE was committed between the snapshot and the lock.

        It would hide what an insert has written, or what an update has written of it would bring rows back. Hive's
        TRUNCATE is not among the conflicts that the metastore knows of (it locks as NO_TXN).
        """
        now = self._write_ids_now(TableName(*before.table.split(".", 1)))
        if is_unchanged(before, now, write_id):
            return
        for listing in self._file_system.list_trees(locations):
            base = newest_base_write_id(listing, now)
            if base is None or before.is_valid(base):
                continue
            if rule.check is not SnapshotCheck.NO_NEWER_BASE or base > write_id:
                raise _Conflict(transaction.txn_id, f"the table was overwritten under write ID {base} meanwhile")

    def _write_ids_now(self, table: TableName) -> ValidWriteIdList:
        return self._metastore.valid_write_ids([table], self._metastore.valid_transactions(0))[table]

    def _write_spec(
        self, statement: Statement, table: TableDescription, snapshot: Snapshot, write_id: int, publication: Publication
    ) -> WriteSpec:
        delete_tasks = 2 * statement.parallelism
        if statement.kind is not StatementKind.INSERT and not table.is_partitioned:
            delete_tasks = max(1, min(delete_tasks, len(snapshot.scan_plan(table.name, None).buckets)))
        return WriteSpec(
            kind=statement.kind.value,
            staging=publication.staging,
            write_id=write_id,
            statement_id=0,
            row_type=build_row_type(table),
            compression=find_compression(table),
            time_zone=statement.time_zone,
            delete_tasks=delete_tasks,
            max_buckets=self._insert_buckets,
            partition_columns=tuple(column.name for column in table.partition_columns),
        )

    @contextmanager
    def _snapshot(self, transaction: Transaction, table: TableDescription) -> Iterator[tuple[str, Snapshot]]:
        """Makes the transaction's snapshot known under a token, for the scans of the statement."""
        token = uuid.uuid4().hex
        self.snapshots[token] = Snapshot(self._metastore, self._file_system, transaction, table)
        try:
            yield token, self.snapshots[token]
        finally:
            del self.snapshots[token]

    @contextmanager
    def _ended(self, transaction: Transaction, publication: Publication) -> Iterator[None]:
        """Afterwards the transaction has ended, and what it wrote is undone unless it may count."""
        try:
            yield
        except CommitStateUnknown:
            raise
        except BaseException as error:
            if transaction.outcome is not Outcome.COMMITTED:
                _undo(transaction, publication, error)
            raise


def _undo(transaction: Transaction, publication: Publication, error: BaseException) -> None:
    """Aborts, and removes what was written unless it may have been committed. What cannot be done is noted on `error`.

    An interrupt while the answer to commit is awaited leaves that open; the metastore's answer to the abort tells.
    """
    may_count = transaction.outcome is Outcome.UNKNOWN
    try:
        transaction.abort()
    except HiveAcidError as second:
        if may_count:
            error.add_note(f"whether transaction {transaction.txn_id} was committed is not known; its files are kept")
            return
        error.add_note(f"transaction {transaction.txn_id} was not aborted and will time out: {second}")
    publication.undo(error)


def _affected(kind: StatementKind, result: WriteResult) -> int:
    return result.inserted if kind is StatementKind.INSERT else result.deleted


def _identity(table: TableDescription) -> tuple[object, ...]:
    """What must stay as it is while a statement runs; parameters may change."""
    return table.location, table.columns, table.partition_columns, table.bucket_columns, table.bucket_count


def _refuse_other_columns(statement: Statement, table: TableDescription) -> None:
    """New values are matched with columns by position, so the order and names must be those of the analysis."""
    columns = tuple(column.name for column in (*table.columns, *table.partition_columns))
    if columns != statement.columns:
        reason = f"its columns are {', '.join(columns)}, the statement was analysed with {', '.join(statement.columns)}"
        raise build_error("HIVE_ACID_TABLE_CHANGED", table=table.name, reason=reason)
