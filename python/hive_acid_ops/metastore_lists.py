"""Tables, transactions, locks and compactions that a metastore knows, as the SHOW statements have them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hive_acid.api.clocks import wall_clock_ms
from hive_acid.api.statements import (
    AbortTransactions,
    ShowCompactions,
    ShowLocks,
    ShowTransactions,
)
from hive_acid.api.tables import Metastore, TableDescription, TableKind, TableName
from hive_acid_ops.listing import Listing, Value
from hive_acid_ops.statements.scope import ShownScope
from hive_acid_ops.statements.show_compactions import build_compaction_rows
from hive_acid_ops.statements.show_locks import build_lock_rows
from hive_acid_ops.statements.show_transactions import abort_transactions, build_transaction_rows

_KINDS = {TableKind.FULL_ACID: "full ACID", TableKind.INSERT_ONLY: "insert-only"}


def list_tables(metastore: Metastore, database: str | None = None) -> Listing:
    """The transactional tables. Each table of the metastore, or of the database, is asked for."""
    names = [name for name in metastore.table_names() if database is None or name.database == database.lower()]
    columns = ("database", "table", "kind", "format", "partitioned_by", "buckets", "location")
    return Listing("tables", columns, list(_table_rows(metastore, names)))


def _table_rows(metastore: Metastore, names: Sequence[TableName]) -> Iterator[tuple[Value, ...]]:
    for name in names:
        table = metastore.table(name)
        if table.kind in _KINDS:
            yield _build_row(table)


def _build_row(table: TableDescription) -> tuple[Value, ...]:
    return (
        table.name.database,
        table.name.table,
        _KINDS[table.kind],
        table.file_format.value if table.file_format else None,
        tuple(column.name for column in table.partition_columns) or None,
        table.bucket_count or None,
        table.location,
    )


def list_transactions(metastore: Metastore) -> Listing:
    """The open ones, and aborted ones that are not cleaned yet."""
    return _list("transactions", ShowTransactions, build_transaction_rows(metastore.transactions()))


def list_locks(metastore: Metastore, scope: str | None = None) -> Listing:
    """The locks of everything, of a database, or of `database.table`."""
    shown = _parse_scope(scope)
    return _list("locks", ShowLocks, build_lock_rows(metastore.held_locks(shown.table), shown))


def list_compactions(metastore: Metastore, scope: str | None = None) -> Listing:
    """The compactions of everything, of a database, or of `database.table`."""
    rows = build_compaction_rows(metastore.compactions(), ShowCompactions(), _parse_scope(scope), wall_clock_ms())
    return _list("compactions", ShowCompactions, rows)


def abort_listed(metastore: Metastore, txn_ids: Sequence[int]) -> Listing:
    """Aborts all of them, or none: HIVE_ACID_TRANSACTION_NOT_OPEN if one is not open."""
    return _list("transactions", AbortTransactions, abort_transactions(metastore, tuple(dict.fromkeys(txn_ids))))


def _list(
    noun: str,
    statement: type[AbortTransactions | ShowCompactions | ShowLocks | ShowTransactions],
    rows: Sequence[tuple[Value, ...]],
) -> Listing:
    return Listing(noun, tuple(column.name for column in statement.COLUMNS), rows)


def _parse_scope(text: str | None) -> ShownScope:
    if text is None:
        return ShownScope(None)
    database, _, table = text.lower().partition(".")
    return ShownScope(None, TableName(database, table)) if table else ShownScope(database)
