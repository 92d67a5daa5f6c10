"""Publishes bases on the 3.1 line, whose queue gives work to Hive's Workers alone."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager

from hive_acid import config
from hive_acid.compaction.compactor import Compactor
from hive_acid.compaction.plan.overrides import read_overrides
from hive_acid.compaction.queue.compaction_outcome import CompactionOutcome
from hive_acid.errors import HiveAcidError
from hive_acid.metastore.compaction_types import CompactionKind
from hive_acid.model.table import TableName
from hive_acid.older_python import add_note
from hive_acid.quirks.beside_hive import find_in_the_way
from hive_acid.transactions.manager import Transaction, TransactionManager
from hive_acid.wire.write_spec import WriteResult
from hive_acid.writing.conflicts import Conflict, meeting_lost_files
from hive_acid.writing.publishing.publication import Publication

LOG = logging.getLogger(__name__)


class BasePublisher:
    """Folds tables and partitions into bases, beside Hive's queue. For several threads."""

    def __init__(
        self,
        transactions: TransactionManager,
        compactor: Compactor,
        settings: config.Settings,
        supervise: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._metastore = transactions.metastore
        self._transactions = transactions
        self._compactor = compactor
        self._settings = settings
        self._supervise = supervise

    def publish(
        self, table: TableName, partition: str | None, properties: Mapping[str, str] | None = None
    ) -> CompactionOutcome:
        max_attempts = self._settings.number(config.MAX_ATTEMPTS)
        attempts = 1
        with self._supervise():
            while True:
                entry = find_in_the_way(self._metastore.compactions(), table, partition)
                if entry is not None:
                    return CompactionOutcome(table, partition, CompactionKind.MAJOR, WriteResult(), False, entry)
                try:
                    with meeting_lost_files():
                        return self._attempt(table, partition, properties or {})
                except Conflict as conflict:
                    if attempts >= max_attempts:
                        raise conflict.build_error(table, attempts) from None
                attempts += 1

    def _attempt(self, table: TableName, partition: str | None, properties: Mapping[str, str]) -> CompactionOutcome:
        kind = CompactionKind.MAJOR
        place = self._compactor.find_place(table, partition, kind)
        transaction = self._transactions.begin(str(table), self._settings)
        publication: Publication | None = None
        result = WriteResult()
        try:
            transaction.lock([place.lock(kind)])
            found = self._compactor.find_foldable(place, kind, transaction)
            if found.plan.files:
                publication = self._compactor.publication(found.place, transaction)
                overrides = read_overrides(found.place.table, properties, self._metastore.line)
                result = self._compactor.fold(kind, found, transaction, publication, overrides)
        except BaseException as error:
            transaction.abort_because(error)
            if publication is not None:
                _remove_staging(publication, error)
            raise
        _end(transaction)
        is_made = bool(found.plan.files)
        return CompactionOutcome(table, partition, kind, result, is_made or found.plan.needs_cleaning)


def _remove_staging(publication: Publication, error: BaseException) -> None:
    try:
        publication.remove_staging()
    except HiveAcidError as second:
        add_note(error, f"{publication.staging} was left behind (no reader sees it): {second}")


def _end(transaction: Transaction) -> None:
    """Nothing hangs on this commit: the transaction only held the lock."""
    try:
        transaction.end_read()
    except HiveAcidError as error:
        LOG.warning("the transaction of a compaction, %d, could not be ended: %s", transaction.txn_id, error)
