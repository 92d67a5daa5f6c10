"""Several statements in one transaction: `with hive_acid.transaction(spark): …`."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from hive_acid import clock
from hive_acid.errors import build_error, find_retryable, name_unexpected
from hive_acid.execution.executor import MAX_RESTART_PAUSE_MS, MIN_RESTART_PAUSE_MS
from hive_acid.execution.session_transaction import SessionTransaction
from hive_acid.model.table import TableName
from hive_acid.session.session import Attachment, attach, find_own_settings

if TYPE_CHECKING:
    from typing_extensions import Self

LOG = logging.getLogger(__name__)
T = TypeVar("T")


def run_until_committed(spark: SparkSession, function: Callable[[], T], attempts: int) -> T:
    """See `hive_acid.run_in_transaction`."""
    if attempts < 1:
        raise ValueError(f"attempts must be 1 or more, not {attempts}")
    for number in range(1, attempts + 1):
        try:
            with AcidTransaction(spark):
                return function()
        except PySparkException as error:
            condition = find_retryable(error)
            if condition is None or number == attempts:
                raise
            LOG.info("the transaction runs again, for others were in the way: %s", condition)
        clock.pause_ms(random.randint(MIN_RESTART_PAUSE_MS, MAX_RESTART_PAUSE_MS))
    raise AssertionError("the last attempt has returned or raised")


class AcidTransaction:
    """One transaction of all statements that the session runs in the block. Create it with `hive_acid.transaction`.

    The first statement takes a snapshot. All statements read this snapshot, and what the earlier statements wrote.
    Nobody else sees the changes before the end of the block commits them. An error that leaves the block aborts
    everything. So does an error of a writing statement, even if it is caught: every later statement is refused. Nothing
    is retried automatically. After a conflict, HIVE_ACID_WRITE_CONFLICT (40001), the caller has to run the block again.
    The same holds for HIVE_ACID_TABLE_CHANGED: since the snapshot, a table that a later statement uses for the first
    time was created again, or may have lost partitions.
    """

    def __init__(self, spark: SparkSession, purpose: str | None = None) -> None:
        """The history shows `purpose` instead of the SQL of the statements."""
        self._spark = spark
        self._purpose = purpose
        self._transaction: SessionTransaction | None = None
        self._attachment: Attachment | None = None
        self._fate = "outside of its block"

    @property
    def id(self) -> int:
        """The metastore's transaction ID. Opens the transaction if no statement has opened it.

        Raises HIVE_ACID_TRANSACTION_STATE outside of the block.
        """
        return self._running().txn_id

    @property
    def write_ids(self) -> dict[TableName, int]:
        """The write IDs of the tables changed so far. Raises HIVE_ACID_TRANSACTION_STATE outside the block."""
        running = self._running()
        return {name: running.work[name].write_id for name in running.written_tables}

    @property
    def partitions(self) -> dict[TableName, tuple[str, ...]]:
        """The partitions written so far, by changed table; a table without partitions has an empty tuple.

        Raises HIVE_ACID_TRANSACTION_STATE outside of the block.
        """
        return self._running().written

    def __repr__(self) -> str:
        """The state of the transaction and the tables it has changed. This opens nothing."""
        running = self._transaction
        if running is None:
            return f"transaction {self._fate}"
        if not running.has_begun:
            return "transaction open, without a statement so far"
        written = [f"{name} (write ID {write_id})" for name, write_id in self.write_ids.items()]
        return f"transaction {running.txn_id} open, changed: {', '.join(written) or 'nothing'}"

    def rollback(self) -> None:
        """Rolls everything back. Later statements of the block are refused, and its end commits nothing.

        Raises HIVE_ACID_TRANSACTION_STATE outside of the block.
        """
        self._running().roll_back()

    def read_together(self, tables: Iterable[TableName]) -> None:
        """Locks transactional tables that later statements read or write, and takes the snapshot if there is none.

        Writes of others to these tables then do not cause HIVE_ACID_TABLE_CHANGED at their first use in the block.
        Raises HIVE_ACID_TRANSACTION_STATE outside the block, and HIVE_ACID_TABLE_CHANGED if a table has changed since
        an older snapshot.
        """
        self._running().read_together(tables)

    def __enter__(self) -> Self:
        """Begins the block; its first statement opens the transaction.

        Raises HIVE_ACID_TRANSACTION_STATE if the session is already in a transaction.
        """
        session: Any = self._spark
        self._attachment = attach(self._spark)
        executor = self._attachment.executor
        transaction = executor.begin_transaction(find_own_settings(self._spark), purpose=self._purpose)
        if not self._jvm().begin(session._jsparkSession, transaction.token):
            error = build_error("HIVE_ACID_TRANSACTION_STATE.NESTED", txnId="(none)")
            executor.end_transaction(transaction, error)
            raise error
        self._transaction = transaction
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        """Commits the transaction unless it was rolled back. If an error leaves the block, aborts it."""
        transaction, self._transaction = self._running(), None
        number = f"{transaction.txn_id} " if transaction.has_begun else ""
        self._fate = f"{number}has ended in an error, which tells whether it was committed"
        attachment = self._attachment or attach(self._spark)  # that of the context that the block was begun in
        try:
            attachment.end_transaction(transaction, error)
            self._fate = f"{number}{'committed' if error is None else 'aborted'}"
        except PySparkException:
            raise
        except Exception as unexpected:
            raise name_unexpected(unexpected) from unexpected
        finally:
            if error is None:  # a commit that failed may have been carried out
                self._refresh_caches([str(name) for name in transaction.written_tables])

    def _refresh_caches(self, names: list[str]) -> None:
        session: Any = self._spark
        tables = session._sc._gateway.new_array(session._jvm.String, len(names))
        for index, name in enumerate(names):
            tables[index] = name
        self._jvm().refreshCaches(session._jsparkSession, tables)

    def _running(self) -> SessionTransaction:
        if self._transaction is None:
            raise build_error("HIVE_ACID_TRANSACTION_STATE.NO_BLOCK", txnId="(none)")
        return self._transaction

    def _jvm(self) -> Any:
        session: Any = self._spark
        return session._jvm.hiveacid.scan.SessionTransactions
