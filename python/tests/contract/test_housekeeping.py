"""Housekeeping of each metastore forgets whose write IDs those of old transactions are, and what that hides."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hive_acid.clock import monotonic_ms, pause_ms
from hive_acid.config import Settings
from hive_acid.metastore.types import LockComponent, LockKind, OperationKind
from hive_acid.model.table import TableName
from hive_acid.quirks.upper_write_ids import commit_above, has_younger_below
from hive_acid.transactions.locks import Identity, Timing
from hive_acid.transactions.manager import Transaction, TransactionManager
from support.metastore_releases import OTHER_VERSIONS, started_metastore
from support.metastore_setup import ThriftSetup, thrift_setup
from support.polling import eventually

QUICK = {
    # a minute by default
    "metastore.acid.housekeeper.interval": "300ms",
    "metastore.housekeeping.threads.on": "true",
    # the Initiator of 3.1, which looks every five minutes by default, does what is housekeeping on 4.x
    "metastore.compactor.initiator.on": "true",
    "hive.compactor.initiator.on": "true",
    "metastore.compactor.check.interval": "1s",
    "hive.compactor.check.interval": "1s",
}
LIMIT_S = 60.0


@pytest.fixture(
    scope="module", params=("embedded", *(pytest.param(version, marks=pytest.mark.slow) for version in OTHER_VERSIONS))
)
def setup(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ThriftSetup]:
    """Tables in a metastore whose housekeeping is quick."""
    folder = tmp_path_factory.mktemp("housekeeping") / request.param
    with started_metastore(request.param, folder, QUICK) as metastore, thrift_setup(metastore.uri) as setup:
        yield setup


def write(transaction: Transaction, table: TableName) -> int:
    """A write ID, and the lock that records it."""
    write_id = transaction.allocate_write_id(table)
    transaction.lock([LockComponent(table, LockKind.SHARED_READ, OperationKind.INSERT)])
    return write_id


def test_committed_write_ids_stay_in_sight_with_younger_ones_above_them(setup: ThriftSetup) -> None:
    """Younger ones have lower write IDs: one is aborted, and one commits while one of another table does not."""
    metastore, settings = setup.metastore, Settings({})
    who = Identity("tester", "testhost", "contract")
    transactions = TransactionManager(metastore, who, settings, Timing(monotonic_ms, pause_ms, pause_ms))
    beside_aborted = bare, covered = [setup.create_table(name) for name in ("bare", "covered")]
    beside_committed = bare_too, covered_too = [setup.create_table(name) for name in ("bare_too", "covered_too")]
    elsewhere = setup.create_table("elsewhere")

    def seen(*tables: TableName) -> list[bool]:
        return [metastore.valid_write_ids([table], None)[table].is_valid(own[table]) for table in tables]

    older, between, aborted, committed = (transactions.begin(name, settings) for name in ("a", "b", "c", "d"))
    write(between, elsewhere)
    lower = {table: write(aborted, table) for table in beside_aborted}
    lower |= {table: write(committed, table) for table in beside_committed}
    committed.commit()
    own = {table: write(older, table) for table in (*beside_aborted, *beside_committed)}
    for table, write_id in own.items():
        assert lower[table] < write_id
        assert has_younger_below(metastore, table, older.txn_id, write_id)
        assert not has_younger_below(metastore, table, committed.txn_id, write_id)
    commit_above(transactions, [covered, covered_too], settings)
    older.commit()
    for other in (between, aborted):
        other.abort()
    assert eventually(lambda: seen(bare, bare_too) == [False, False], LIMIT_S), "all entries are still there"
    assert seen(covered, covered_too) == [True, True]
    transactions.close()
