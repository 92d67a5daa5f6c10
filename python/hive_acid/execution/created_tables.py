"""Taking back a table that a failed CREATE TABLE … AS SELECT has made: only if it is provably nobody else's by now."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial

from hive_acid import config
from hive_acid.errors import HiveAcidError, build_error
from hive_acid.execution.engine_statements import IsRunning, end_after, is_never_running
from hive_acid.execution.table_states import TableState, find_stranger
from hive_acid.metastore.types import LockComponent, LockKind, OperationKind
from hive_acid.model.table import TableName
from hive_acid.reading.warehouse import Warehouse
from hive_acid.wire.statements import CreatedTable

LOG = logging.getLogger(__name__)

MAX_WAIT_MS = 10_000
"""For others who read or write the table; the statement has failed already, and the table may stay."""


class CreatedTables:
    """Takes such tables back, each in a transaction of its own that excludes everybody else."""

    def __init__(
        self,
        warehouse: Warehouse,
        settings: config.Settings,
    ) -> None:
        self._warehouse = warehouse
        self._settings = settings

    def take_back(
        self,
        created: CreatedTable,
        drop: Callable[[], None],
        is_running: IsRunning = is_never_running,
    ) -> None:
        """Drops the table by `drop`, because the statement that made it has failed.

        The lock is held until the engine has ended the drop, also if the wait for that is interrupted; `is_running`
        tells.

        Raises HIVE_ACID_CREATED_TABLE_KEPT if it stays: it is another table by now, others have write IDs of it that
        are not aborted, or read or write it for longer than a short wait, or the metastore or `drop` fails.
        """
        settings = self._settings.overridden_by(created.settings)
        wait_ms = min(settings.number(config.LOCK_TIMEOUT_MS), MAX_WAIT_MS)
        settings = settings.overridden_by({config.LOCK_TIMEOUT_MS.key: str(wait_ms)})
        try:
            self._take_back(created, drop, is_running, settings)
        except Exception as error:
            reason = error.args[0] if isinstance(error, _Strange) else f"it could not be dropped ({error})"
            raise build_error(
                "HIVE_ACID_CREATED_TABLE_KEPT", table=created.table, reason=reason, failure=created.failure
            ) from error

    def _take_back(
        self, created: CreatedTable, drop: Callable[[], None], is_running: IsRunning, settings: config.Settings
    ) -> None:
        transactions = self._warehouse.transactions
        transaction = transactions.begin(str(created.table), settings)
        try:
            transaction.lock([LockComponent(created.table, LockKind.EXCLUSIVE, OperationKind.NO_TXN)])
            if reason := find_stranger(self._warehouse, created.table, TableState(created.identity)):
                raise _Strange(reason)
            transaction.ensure_active()
            self._drop(created.table, drop)
        except BaseException as error:
            end = partial(transaction.abort_because, error)
            end_after(is_running, end, error, transactions.timing.resolve_pause_ms)
            raise
        try:
            transaction.commit()
        except Exception as error:  # noqa: BLE001 (the table is gone, and the user is told why the statement failed)
            LOG.warning(
                "transaction %d, which locked a table that is gone, will time out: %s", transaction.txn_id, error
            )

    def _drop(self, name: TableName, drop: Callable[[], None]) -> None:
        """Raises what `drop` raises, unless the table is gone: then an answer was lost."""
        try:
            drop()
        except Exception as error:
            if not self._is_gone(name):
                raise
            LOG.warning("%s was dropped, which ended with an error: %s", name, error)

    def _is_gone(self, name: TableName) -> bool:
        try:
            self._warehouse.metastore.table_identity(name)
        except HiveAcidError as error:
            return error.getCondition() == "HIVE_ACID_TABLE_NOT_FOUND"
        return False


class _Strange(Exception):
    """The table is not provably ours; its argument says why."""
