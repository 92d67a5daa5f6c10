"""Columns that a statement adds to its table before it runs, and takes away again if it fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hive_acid import config
from hive_acid.errors import build_error
from hive_acid.execution.created_tables import MAX_WAIT_MS
from hive_acid.execution.ddl import DdlExecutor
from hive_acid.execution.engine_statements import IsRunning, is_never_running
from hive_acid.execution.table_states import TableState, find_stranger, load_state
from hive_acid.reading.warehouse import Warehouse
from hive_acid.wire.statements import AddedColumns, DdlStatement


class ColumnAdditions:
    """Adds and removes them, each under an exclusive lock, so that nobody's values are lost between the two."""

    def __init__(self, warehouse: Warehouse, ddl: DdlExecutor, settings: config.Settings) -> None:
        self._warehouse = warehouse
        self._ddl = ddl
        self._settings = settings

    def add(
        self, statement: DdlStatement, command: Callable[[], None], is_running: IsRunning = is_never_running
    ) -> TableState:
        """Adds the columns by `command`: the table's state with them. Raises what `DdlExecutor.run` raises."""
        states: list[TableState] = []
        name = statement.tables[0]
        self._ddl.run(statement, command, is_running, lambda: states.append(load_state(self._warehouse, name)))
        return states[-1]

    def take_back(
        self, added: AddedColumns, command: Callable[[], None], is_running: IsRunning = is_never_running
    ) -> None:
        """Removes the columns by `command`, because the statement that they were added for has failed.

        Raises HIVE_ACID_COLUMNS_KEPT if they stay: others have written to the table since, or have had a lock on it
        for longer than a short wait, or the metastore or `command` fails.
        """
        name, columns = added.addition.tables[0], added.addition.new_columns
        settings = self._settings.overridden_by(added.addition.settings)
        wait_ms = min(settings.number(config.LOCK_TIMEOUT_MS), MAX_WAIT_MS)
        overridden = {**added.addition.settings, config.LOCK_TIMEOUT_MS.key: str(wait_ms)}
        reason: str | None = None

        def remove() -> None:
            nonlocal reason
            reason = find_stranger(self._warehouse, name, TableState(added.identity, added.write_id))
            if reason is None:
                command()

        failure: Exception | None = None
        try:
            self._ddl.run(replace(added.addition, new_columns=(), settings=overridden), remove, is_running)
        except Exception as error:  # noqa: BLE001 (its text is the reason in the error below)
            failure, reason = error, f"they could not be removed ({error})"
        if reason is not None:
            raise build_error(
                "HIVE_ACID_COLUMNS_KEPT",
                table=name,
                columns=", ".join(column.name for column in columns),
                reason=reason,
                failure=added.failure,
            ) from failure
