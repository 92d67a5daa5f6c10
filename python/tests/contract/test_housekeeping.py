"""Housekeeping of each metastore forgets whose write IDs those of old transactions are, and what that hides."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hive_acid.clock import monotonic_ms, pause_ms
from hive_acid.config import Settings
from hive_acid.local import EmbeddedMetastore
from hive_acid.metastore.types import LockComponent, LockKind, OperationKind
from hive_acid.model.table import TableName
from hive_acid.transactions.locks import Identity, Timing
from hive_acid.transactions.manager import Transaction, TransactionManager
from hive_acid.transactions.upper_write_ids import commit_above
from support.metastore_releases import VERSIONS, started_release
from support.metastore_setup import ThriftSetup, thrift_setup
from support.polling import eventually

QUICK = {
    "metastore.acid.housekeeper.interval": "300ms",
    "metastore.housekeeping.threads.on": "true",
    "metastore.compactor.initiator.on": "true",
    "hive.compactor.initiator.on": "true",
    "metastore.compactor.check.interval": "1s",
    "hive.compactor.check.interval": "1s",
}
"""The Initiator of 3.1 does what is housekeeping on 4.x."""
LIMIT_S = 60.0


@contextmanager
def started(name: str, folder: Path) -> Iterator[EmbeddedMetastore]:
    starting = (
        EmbeddedMetastore.start(folder, settings=QUICK) if name == "embedded" else started_release(name, folder, QUICK)
    )
    with starting as metastore:
        yield metastore


@pytest.fixture(
    scope="module", params=("embedded", *(pytest.param(version, marks=pytest.mark.slow) for version in VERSIONS))
)
def setup(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ThriftSetup]:
    """Tables in a metastore whose housekeeping is quick."""
    folder = tmp_path_factory.mktemp("housekeeping") / request.param
    with started(request.param, folder) as metastore, thrift_setup(metastore.uri) as setup:
        yield setup


def write(transaction: Transaction, table: TableName) -> int:
    """A write ID, and the lock that records it."""
    write_id = transaction.allocate_write_id(table)
    transaction.lock([LockComponent(table, LockKind.SHARED_READ, OperationKind.INSERT)])
    return write_id


def test_a_committed_write_id_stays_in_sight_with_a_younger_one_above_it(setup: ThriftSetup) -> None:
    metastore, settings = setup.metastore, Settings({})
    who = Identity("tester", "testhost", "contract")
    transactions = TransactionManager(metastore, who, settings, Timing(monotonic_ms, pause_ms, pause_ms))
    bare, covered = setup.create_table("bare"), setup.create_table("covered")

    def is_seen(table: TableName) -> bool:
        return metastore.valid_write_ids([table], None)[table].is_valid(own[table])

    older, younger = (transactions.begin(name, settings) for name in ("older", "younger"))
    lower = {table: write(younger, table) for table in (bare, covered)}
    own = {table: write(older, table) for table in (bare, covered)}
    assert lower[bare] < own[bare]
    commit_above(transactions, [covered], settings)
    older.commit()
    younger.abort()
    assert is_seen(bare)
    assert is_seen(covered)
    assert eventually(lambda: not is_seen(bare), LIMIT_S), "housekeeping has not forgotten the older transaction"
    assert is_seen(covered)
    transactions.close()
