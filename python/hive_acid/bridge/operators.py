"""Statements about transactions, locks and compactions, as the shim hands them over."""

from __future__ import annotations

from hive_acid.compaction.queue.requests import CompactionRequests
from hive_acid.config import Settings
from hive_acid.errors import build_error
from hive_acid.errors.outcome import StatementOutcome, telling
from hive_acid.model.table import TableDescription
from hive_acid.operators.compact import build_requests
from hive_acid.operators.describe_detail import build_detail_row
from hive_acid.operators.session_transactions import SessionTransactions
from hive_acid.reading.readers import Readers
from hive_acid.reading.warehouse import Warehouse
from hive_acid.sql.operator_statements import (
    AnsweringStatement,
    CommitTransaction,
    Compact,
    DescribeDetail,
    StartTransaction,
    TransactionStatement,
    read_statement,
)
from hive_acid.transactions.locks import Identity
from hive_acid.wings import load_wing
from hive_acid.wire.operators import OperatorAnswer, OperatorRequest, Row
from hive_acid.wire.statements import Overwrite
from hive_acid.writing.overwrites import find_truncated

_BY_HAND = "manual"
"""Behind the host in a request's initiator (HiveMetaStoreClient.MANUALLY_INITIATED_COMPACTION)."""


def requester_name(identity: Identity) -> str:
    """The initiator of compactions that a session asks for."""
    return f"{identity.host}-{_BY_HAND}"


class Operators:
    """Runs such statements against one metastore."""

    def __init__(
        self,
        warehouse: Warehouse,
        readers: Readers,
        compactions: CompactionRequests,
        settings: Settings,
        identity: Identity,
        transactions: SessionTransactions,
    ) -> None:
        self._metastore = warehouse.metastore
        self._file_system = warehouse.file_system
        self._readers = readers
        self._compactions = compactions
        self._settings = settings
        self._initiator = requester_name(identity)
        self._transactions = transactions

    def run(self, asked: OperatorRequest) -> OperatorAnswer:
        """Runs a statement that `describe_statement` has told of."""
        statement = read_statement(asked.title, asked.statement)
        if isinstance(statement, TransactionStatement):
            return OperatorAnswer((), self._change_transaction(statement, asked))
        return OperatorAnswer(tuple(self._rows(statement, asked)))

    def abandon(self, token: str) -> None:
        """Undoes the transaction of a session that has ended."""
        self._transactions.abandon(token)

    def _change_transaction(self, statement: TransactionStatement, asked: OperatorRequest) -> str | None:
        """The token of one that has begun."""
        if isinstance(statement, StartTransaction):
            return self._transactions.start(asked.transaction, asked.settings)
        if isinstance(statement, CommitTransaction):
            self._transactions.commit(asked.transaction)
        else:
            self._transactions.roll_back(asked.transaction)
        return None

    def _rows(self, statement: AnsweringStatement, asked: OperatorRequest) -> list[Row]:
        if isinstance(statement, Compact):
            return self._compact(statement, asked)
        if isinstance(statement, DescribeDetail):
            return self._describe_detail(statement, asked)
        wing = load_wing("hive_acid_ops.statements.running", statement.TITLE)
        rows: list[Row] = wing.run(statement, self._metastore, self._file_system, asked.table, asked.parts)
        return rows

    def _describe_detail(self, statement: DescribeDetail, asked: OperatorRequest) -> list[Row]:
        if asked.detail is None:
            raise ValueError(f"{statement.TITLE} without a table")
        settings = self._settings.overridden_by(asked.settings)
        with telling(StatementOutcome.QUERY_FAILED):
            return [build_detail_row(asked.detail, self._readers.content(asked.detail.name, settings))]

    def _compact(self, statement: Compact, asked: OperatorRequest) -> list[Row]:
        if asked.table is None:
            raise ValueError(f"{statement.TITLE} without a table")
        table = self._metastore.table(asked.table)
        if asked.transaction is not None:
            where = {"operation": statement.TITLE, "table": table.name}
            raise build_error("HIVE_ACID_UNSUPPORTED_STATEMENT.IN_TRANSACTION", **where)
        partitions = self._partitions(table, asked.parts) if asked.partitions is None else asked.partitions
        requests = build_requests(statement, table, partitions, self._metastore.line, self._initiator)
        settings = self._settings.overridden_by(asked.settings)
        with telling(StatementOutcome.COMPACTIONS_LISTED):
            found = self._compactions.compact(requests, settings, waits=statement.waits, skips_needless=True)
            return [outcome.row() for outcome in found]

    def _partitions(self, table: TableDescription, parts: tuple[str, ...]) -> tuple[str, ...]:
        """The partitions that the PARTITION clause means, all without one. Raises HIVE_ACID_PARTITION_NOT_FOUND."""
        if not table.is_partitioned:
            return ()
        found = find_truncated(Overwrite(parts), table, self._metastore.partition_names(table.name))
        if parts and not found:
            raise build_error("HIVE_ACID_PARTITION_NOT_FOUND", table=table.name, partition="/".join(parts))
        return found
