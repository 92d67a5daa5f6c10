"""Statements that alter a table and not its rows: the engine's own, run under Hive's locks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import zip_longest

from hive_acid import config
from hive_acid.errors import HiveAcidError, TransactionAborted, build_error
from hive_acid.errors.outcome import StatementOutcome, telling
from hive_acid.execution.engine_statements import IsRunning, end_after, is_never_running
from hive_acid.metastore.types import MetastoreLine
from hive_acid.model.names import is_hidden
from hive_acid.model.table import FileFormat, TableConstraints, TableName
from hive_acid.model.write_ids import ValidWriteIdList
from hive_acid.older_python import add_note
from hive_acid.quirks.kept_write_ids import KeptWriteIds
from hive_acid.reading.evolution import find_evolution
from hive_acid.reading.late_tables import find_write_ids_now
from hive_acid.reading.warehouse import Warehouse
from hive_acid.snapshot.conversion import find_obstacle, find_unread_file
from hive_acid.transactions.commits import CommitOutcome
from hive_acid.transactions.ddl_locks import build_ddl_locks
from hive_acid.transactions.manager import Transaction
from hive_acid.wire.ddl_kinds import DdlKind
from hive_acid.wire.statements import DdlStatement
from hive_acid.writing.column_changes import check_column_change
from hive_acid.writing.new_folders import find_leftover
from hive_acid.writing.new_tables import find_new_column_fault, find_orc_name_fault
from hive_acid.writing.partitions import withdraw_statistics
from hive_acid.writing.table_rules import refuse_hidden_location

_SHOWN_FILES = 5
"""In messages."""


class DdlExecutor:
    """Runs DDL statements against one metastore, each in its own transaction, which holds the locks."""

    def __init__(
        self,
        warehouse: Warehouse,
        settings: config.Settings,
    ) -> None:
        self._warehouse = warehouse
        self._settings = settings

    def run(
        self,
        statement: DdlStatement,
        command: Callable[[], None],
        is_running: IsRunning = is_never_running,
        look: Callable[[], None] = lambda: None,
    ) -> None:
        """Waits for the locks, runs `command`, which is the engine's own statement, and lets go of the locks.

        They are held until the engine has ended, also if the wait for that is interrupted; `is_running` tells. `look`
        is called when all is done, before they are let go.

        Raises what `command` raises, HIVE_ACID_LOCK_TIMEOUT, HIVE_ACID_FOLDER_NOT_EMPTY and HIVE_ACID_UNSUPPORTED_TABLE
        for a new partition whose folder is not empty, and the latter for a table that is to become transactional and
        has files that cannot be originals: nothing has been changed then.
        An error afterwards says that the change was made: HIVE_ACID_LOCKS_LOST, or another by its outcome or, if it has
        none, in a note.
        """
        settings = self._settings.overridden_by(statement.settings)
        transaction = self._warehouse.transactions.begin(str(statement.tables[0]), settings)
        try:
            with telling(StatementOutcome.NOTHING_CHANGED):
                before = self._prepare(statement, transaction, settings)
                kept = KeptWriteIds.of(self._warehouse.metastore, statement.kind, statement.tables)
        except BaseException as error:
            transaction.abort_because(error)
            raise
        try:
            with telling(StatementOutcome.NOT_KNOWN):
                command()
        except BaseException as error:
            end = partial(self._end_failed, statement, transaction, kept, error)
            end_after(is_running, end, error, self._warehouse.transactions.timing.resolve_pause_ms)
            raise
        try:
            with telling(StatementOutcome.CARRIED_OUT):
                self._cascade_columns(statement, transaction)
                self._withdraw_statistics(statement, transaction, before)
                look()
                transaction.commit()
        except TransactionAborted as error:
            transaction.abort_because(error)
            reason = error.getMessageParameters()["reason"]
            told = {"operation": statement.kind.title, "table": statement.tables[0], "txnId": transaction.txn_id}
            raise build_error("HIVE_ACID_LOCKS_LOST", reason=reason, **told) from error
        except BaseException as error:
            if not (isinstance(error, HiveAcidError) and error.takes_outcome):
                add_note(error, f"{statement.kind.title} itself was carried out")
            _leave_sign(statement, transaction, error)
            transaction.abort_because(error)
            raise

    def _end_failed(
        self, statement: DdlStatement, transaction: Transaction, kept: KeptWriteIds, error: BaseException
    ) -> None:
        """Ends the transaction of a statement that has failed, or has lost its answer. Raises what `kept` raises."""
        try:
            kept.restore(transaction.txn_id, self._warehouse.transactions.identity, error)
            self._cascade_after_failure(statement, transaction, error)
            _leave_sign(statement, transaction, error)
        except BaseException as worse:
            transaction.abort_because(worse)
            raise
        transaction.abort_because(error)

    def _prepare(
        self, statement: DdlStatement, transaction: Transaction, settings: config.Settings
    ) -> Mapping[TableName, ValidWriteIdList]:
        """Takes the locks and refuses what must not be done: the write IDs from before, as `_write_ids` has them."""
        before = self._write_ids(statement, transaction)
        locks = build_ddl_locks(statement.kind, statement.tables, self._find_partitions(statement, settings))
        if locks:
            transaction.lock(locks)
        self._refuse_name(statement)
        self._refuse_columns(statement)
        self._refuse_column_change(statement, settings)
        self._refuse_files(statement)
        self._refuse_conversion(statement)
        if statement.kind.traits.takes_partitions_away:  # the sign by which older snapshots are known not to serve
            transaction.allocate_write_id(statement.tables[0])
        transaction.ensure_active()
        return before

    def _find_partitions(self, statement: DdlStatement, settings: config.Settings) -> tuple[str, ...]:
        """The partitions it names, if it names each in full, and not too many.

        A clause for several partitions may have more of them by the time there is a lock.
        """
        if not statement.partitions or statement.kind is DdlKind.ADD_PARTITION:
            return ()  # Hive, too, locks the table for these
        columns = self._warehouse.metastore.table(statement.tables[0]).partition_columns
        if any(len(parts) != len(columns) for parts in statement.partitions):
            return ()
        names = tuple("/".join(parts) for parts in statement.partitions)
        return names if len(names) <= settings.number(config.LOCK_MAX_PARTITIONS) else ()

    def _refuse_name(self, statement: DdlStatement) -> None:
        """Refuses a new name of a table that every engine but this one would see no files of.

        The folder of a managed table gets the new name if it had the old one (HiveAlterHandler.alterTable, 3.1.3 to
        4.2.0).
        """
        if statement.new_name is None:
            return
        name = statement.tables[0]
        parent, _, folder = self._warehouse.metastore.table(name).location.rstrip("/").rpartition("/")
        if folder.lower() == name.table.lower():
            refuse_hidden_location(statement.kind.title, name, f"{parent}/{statement.new_name}")

    def _refuse_columns(self, statement: DdlStatement) -> None:
        """Refuses columns that Hive does not have, or nobody could read from the table's files."""
        refusal = find_new_column_fault(statement.new_columns)
        if refusal is None and statement.new_columns:
            table = self._warehouse.metastore.table(statement.tables[0])
            if table.file_format is FileFormat.ORC:
                names = {column.name.lower() for column in statement.new_columns}
                refusal = find_orc_name_fault(sorted(names - {column.name for column in table.partition_columns}))
        if refusal is not None:
            raise refusal.build_error(operation=statement.kind.title, table=statement.tables[0])

    def _refuse_column_change(self, statement: DdlStatement, settings: config.Settings) -> None:
        if statement.column_change is None:
            return
        metastore, name = self._warehouse.metastore, statement.tables[0]
        # Hive of the 3.1 line finds them by name, whatever a session here is told
        by_position = metastore.line is MetastoreLine.HIVE_4 and find_evolution(settings, metastore.line).by_position
        # the metastore may keep constraints with the columns as they were, and lose them
        has_constraints = metastore.constraints(name) != TableConstraints() or bool(metastore.default_texts(name))
        check_column_change(
            statement.column_change, metastore.table(name), by_position=by_position, has_constraints=has_constraints
        )

    def _refuse_files(self, statement: DdlStatement) -> None:
        """Refuses files in a new partition's folder: they would become rows that no transaction wrote."""
        if statement.kind is not DdlKind.ADD_PARTITION:
            return
        table = self._warehouse.metastore.table(statement.tables[0])
        places = dict(
            zip_longest(("/".join(parts) for parts in statement.partitions), statement.locations, fillvalue="")
        )
        known = {partition.name for partition in self._warehouse.metastore.partitions(table.name, list(places))}
        places = {name: place for name, place in places.items() if name not in known}
        found = self._find_files([place for place in places.values() if place])
        if found:
            raise build_error(
                "HIVE_ACID_UNSUPPORTED_TABLE.LOCATION_HAS_FILES",
                operation="ALTER TABLE … ADD PARTITION … LOCATION",
                table=table.name,
                files=_shown(found),
            )
        below = [f"{table.location.rstrip('/')}/{name}" for name, place in places.items() if not place]
        left = find_leftover(
            self._warehouse.file_system, below, None, lambda: find_write_ids_now(self._warehouse.metastore, table.name)
        )
        if left is not None:
            raise left.build_error("ALTER TABLE … ADD PARTITION", table.name)

    def _find_files(self, places: Sequence[str]) -> list[str]:
        """Files below these folders that every engine sees."""
        listings = self._warehouse.file_system.list_trees(places) if places else []
        return sorted(
            listing.absolute_path(file.relative_path)
            for listing in listings
            for file in listing.files
            if not is_hidden(file.name)
        )

    def _refuse_conversion(self, statement: DdlStatement) -> None:
        """Refuses files that would not be read, once the table is transactional; see `snapshot.conversion`."""
        if statement.kind not in {DdlKind.CONVERT, DdlKind.CONVERT_TO_INSERT_ONLY}:
            return
        table = self._warehouse.metastore.table(statement.tables[0])
        places = [table.location]
        if table.is_partitioned:
            names = self._warehouse.metastore.partition_names(table.name)
            places = [partition.location for partition in self._warehouse.metastore.partitions(table.name, names)]
        for listing in self._warehouse.file_system.list_trees(places) if places else ():
            if statement.kind is DdlKind.CONVERT:
                obstacle = find_obstacle(listing, table.bucket_count)
            else:
                obstacle = find_unread_file(listing)
            if obstacle:
                operation = "SET TBLPROPERTIES ('transactional'='true')"
                raise obstacle.build_error(operation=operation, table=table.name)

    def _write_ids(self, statement: DdlStatement, transaction: Transaction) -> Mapping[TableName, ValidWriteIdList]:
        if not statement.kind.traits.alters_description:
            return {}
        return self._warehouse.metastore.valid_write_ids(statement.tables, transaction.own_snapshot())

    def _withdraw_statistics(
        self, statement: DdlStatement, transaction: Transaction, before: Mapping[TableName, ValidWriteIdList]
    ) -> None:
        """Withdraws a table's statistics again if somebody wrote to it meanwhile: the command may have restored them.

        It reads descriptions and stores them, and a writer may have withdrawn the statistics in between. Statistics of
        a partitioned table are its partitions', which only ANALYZE stores.
        """
        for name, seen in before.items():
            now = find_write_ids_now(self._warehouse.metastore, name)
            if not seen.open and now.high_water_mark == seen.high_water_mark:
                continue
            table = self._warehouse.metastore.table(name)
            stores_partitions = table.is_partitioned and statement.kind is DdlKind.ANALYZE
            partitions = self._warehouse.metastore.partition_names(name) if stores_partitions else []
            withdraw_statistics(self._warehouse.metastore, table, partitions, *self._own_write_id(transaction, name))

    def _cascade_columns(self, statement: DdlStatement, transaction: Transaction) -> None:
        """The command changes the table alone.

        Hive 3.1.3 compacts a partition by the partition's columns, and loses what was written into newer ones.
        """
        if statement.kind is not DdlKind.ALTER_COLUMNS:
            return
        name = statement.tables[0]
        if self._warehouse.metastore.table(name).is_partitioned and self._warehouse.metastore.partition_names(name):
            self._warehouse.metastore.cascade_columns(name, *self._own_write_id(transaction, name))

    def _cascade_after_failure(self, statement: DdlStatement, transaction: Transaction, error: BaseException) -> None:
        """The table may have the new columns all the same.

        A second run of the statement fails, because they are there, and makes up for what the first one has left out.
        """
        try:
            self._cascade_columns(statement, transaction)
        except HiveAcidError as second:
            add_note(error, f"partitions may lack new columns until it is run again: {second}")

    def _own_write_id(self, transaction: Transaction, table: TableName) -> tuple[int, ValidWriteIdList]:
        """A new write ID, and the list in which it is visible."""
        write_id = transaction.allocate_write_id(table)
        seen = self._warehouse.metastore.valid_write_ids([table], transaction.own_snapshot())[table]
        return write_id, seen.with_own(write_id)


def _shown(files: Sequence[str]) -> str:
    return ", ".join(files[:_SHOWN_FILES]) + (", …" if len(files) > _SHOWN_FILES else "")


def _leave_sign(statement: DdlStatement, transaction: Transaction, error: BaseException) -> None:
    """Commits although the statement failed, or was cancelled: it may have taken partitions away.

    Its write ID is the sign by which older snapshots are known not to serve, and an aborted one is none. Nothing was
    written under it. `error` gets a note if it cannot be committed.
    """
    if not statement.kind.traits.takes_partitions_away or transaction.outcome is not CommitOutcome.OPEN:
        return
    try:
        transaction.commit(heeds_cancellation=False)
    except HiveAcidError as second:
        add_note(error, f"transactions that have begun before may read the table without the partition: {second}")
