"""The statements of operators, run for a session."""

from __future__ import annotations

from hive_acid.api.clocks import wall_clock_ms
from hive_acid.api.statements import (
    AbortCompactions,
    AbortTransactions,
    DescribeHistory,
    Row,
    ShowCompactions,
    ShowLocks,
    ShowTransactions,
    StatementOutcome,
    VacuumDryRun,
    telling,
)
from hive_acid.api.storage import FileSystem
from hive_acid.api.tables import Metastore, MetastoreLine, TableName
from hive_acid_ops.cleaning_forecast import foresee_cleaning
from hive_acid_ops.history.reader import load_history
from hive_acid_ops.statements.abort_compactions import abort_compactions
from hive_acid_ops.statements.scope import ShownScope
from hive_acid_ops.statements.show_compactions import build_compaction_rows
from hive_acid_ops.statements.show_locks import build_lock_rows
from hive_acid_ops.statements.show_transactions import abort_transactions, build_transaction_rows

RunStatement = (
    AbortCompactions
    | AbortTransactions
    | DescribeHistory
    | ShowCompactions
    | ShowLocks
    | ShowTransactions
    | VacuumDryRun
)


def run(
    statement: RunStatement,
    metastore: Metastore,
    file_system: FileSystem,
    table: TableName | None,
    parts: tuple[str, ...],
) -> list[Row]:
    """The rows of the statement, about this table, and about its partitions with all of `parts` (`k=v`)."""
    if isinstance(statement, AbortTransactions):
        return abort_transactions(metastore, statement.txn_ids)
    if isinstance(statement, AbortCompactions):
        return abort_compactions(metastore, statement.compaction_ids)
    if isinstance(statement, ShowTransactions):
        return build_transaction_rows(metastore.transactions())
    if isinstance(statement, VacuumDryRun | DescribeHistory):
        if table is None:
            raise ValueError(f"{statement.TITLE} without a table")
        with telling(StatementOutcome.QUERY_FAILED):
            if isinstance(statement, VacuumDryRun):
                return foresee_cleaning(metastore, file_system, table)
            return [entry.row for entry in load_history(metastore, file_system, table, statement.limit)]
    database = statement.database.lower() if statement.database else None
    scope = ShownScope(database, table, parts, ignores_case=metastore.line is MetastoreLine.HIVE_3)
    if isinstance(statement, ShowLocks):
        return build_lock_rows(metastore.held_locks(table), scope)
    return build_compaction_rows(metastore.compactions(), statement, scope, wall_clock_ms())
