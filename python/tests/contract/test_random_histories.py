"""The in-memory metastore answers as a real one does, on histories of several clients drawn at random.

Drawn are what our own clients do: one lock request per transaction, each table in it once (3.1 grants a further request
of the same transaction without looking at the locks of others), and no lock after a commit (4.0.0 takes it).
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

import pytest

from doubles.memory_metastore import MemoryMetastore
from hive_acid.errors import HiveAcidError
from hive_acid.metastore.types import LockComponent, LockKind, MetastoreLine, OperationKind, TransactionState
from hive_acid.model.table import TableName
from support.metastore_setup import MemorySetup, MetastoreSetup, thrift_setup

STEPS = 60
Step = tuple[str, int, int]
"""What to do, by or with which transaction, and a number that decides the rest."""
ACTIONS = {
    "open": 4,
    "allocate": 4,
    "lock": 6,
    "check": 6,
    "unlock": 1,
    "commit": 4,
    "abort": 1,
    "partitions": 2,
    "conflict": 2,
    "state": 1,
    "seen": 3,
    "held": 2,
}


@dataclass
class Side:
    """One of the two metastores; transactions and locks go by their place in the history, tables by "f" and "p"."""

    setup: MetastoreSetup
    tables: dict[str, TableName] = field(default_factory=dict)
    transactions: list[int] = field(default_factory=list)
    locks: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.metastore = self.setup.metastore

    def create_tables(self, suffix: str) -> None:
        self.tables["f"] = self.setup.create_table(f"f{suffix}")
        self.tables["p"] = self.setup.create_table(f"p{suffix}", partition_columns=["d"])

    def take(self, step: Step) -> object:
        """The answer, or the name of the error."""
        try:
            return getattr(self, f"_{step[0]}")(*step[1:])
        except HiveAcidError as error:
            return error.getCondition()

    def _open(self, *_: int) -> None:
        self.transactions.append(self.metastore.open_transaction("tester", "testhost", "contract"))

    def _allocate(self, place: int, seed: int) -> object:
        return self.metastore.allocate_write_id(self.transactions[place], self.tables["fp"[seed % 2]])

    def _lock(self, place: int, seed: int) -> object:
        components = draw_components(random.Random(seed), self.tables, self.metastore.line)
        txn_id = self.transactions[place]
        self.locks[place], state = self.metastore.lock(txn_id, components, "tester", "testhost", "contract")
        return state

    def _check(self, place: int, _: int) -> object:
        if place not in self.locks:
            return None
        return self.metastore.check_lock(self.transactions[place], self.locks[place], 1)

    def _unlock(self, place: int, _: int) -> object:
        return self.metastore.unlock(self.locks[place]) if place in self.locks else None

    def _commit(self, place: int, _: int) -> object:
        return self.metastore.commit(self.transactions[place])

    def _abort(self, place: int, _: int) -> object:
        return self.metastore.abort(self.transactions[place])

    def _partitions(self, place: int, seed: int) -> object:
        operation = (OperationKind.INSERT, OperationKind.UPDATE, OperationKind.DELETE)[seed % 3]
        names = (["d=1"], ["d=2"], ["d=1", "d=2"])[seed % 7 % 3]
        return self.metastore.add_dynamic_partitions(self.transactions[place], 1, self.tables["p"], names, operation)

    def _conflict(self, place: int, _: int) -> object:
        if self.metastore.line is MetastoreLine.HIVE_3:
            return None
        return self._places([self.metastore.latest_conflict(self.transactions[place])])

    def _state(self, place: int, _: int) -> object:
        return self.metastore.transaction_state(self.transactions[place])

    def _seen(self, place: int, _: int) -> object:
        snapshot = self.metastore.valid_transactions(self.transactions[place])
        lists = self.metastore.valid_write_ids(list(self.tables.values()), snapshot).values()
        write_ids = [(seen.high_water_mark, seen.open, seen.aborted, seen.min_open) for seen in lists]
        return self._places(snapshot.open), self._places(snapshot.aborted), write_ids

    def _held(self, *_: int) -> object:
        held = [(name, lock) for name, table in self.tables.items() for lock in self.metastore.held_locks(table)]
        return sorted(
            (name, self._places([lock.txn_id]), lock.partition or "", lock.kind.value, lock.state.value)
            for name, lock in held
        )

    def _places(self, txn_ids: Collection[int | None]) -> list[int]:
        """Places in the history; transactions of others are left out."""
        return [place for place, txn_id in enumerate(self.transactions) if txn_id in txn_ids]

    def end_all(self) -> None:
        for txn_id in self.transactions:
            if self.metastore.transaction_state(txn_id) is TransactionState.OPEN:
                self.metastore.abort(txn_id)


def draw_components(rng: random.Random, tables: dict[str, TableName], line: MetastoreLine) -> list[LockComponent]:
    """Locks on one table or both; of the partitioned one the whole, one partition, or those to become known."""
    kinds = [LockKind.SHARED_READ, LockKind.SHARED_READ, LockKind.SHARED_WRITE, LockKind.EXCLUSIVE]
    if line is MetastoreLine.HIVE_4:
        kinds += [LockKind.EXCL_WRITE] * 2
    components = []
    for name in rng.choice(["f", "p", "fp"]):
        partition, is_dynamic = None, False
        if name == "p":
            partition, is_dynamic = rng.choice([(None, False), ("d=1", False), ("d=2", False), (None, True)])
        operation = rng.choice(list(OperationKind))
        components.append(LockComponent(tables[name], rng.choice(kinds), operation, partition, is_dynamic))
    return components


def draw_steps(rng: random.Random, double: Side) -> Iterator[Step]:
    """Steps by one of the five latest transactions."""
    yield "open", 0, 0
    locked: set[int] = set()
    for _ in range(STEPS):
        action = rng.choices(list(ACTIONS), list(ACTIONS.values()))[0]
        place = rng.randrange(max(0, len(double.transactions) - 5), len(double.transactions))
        is_open = double.metastore.transaction_state(double.transactions[place]) is TransactionState.OPEN
        if action == "lock":
            if place in locked or not is_open:
                continue
            locked.add(place)
        if action == "abort" and not is_open:  # a server may have forgotten an aborted one
            continue
        yield action, place, rng.randrange(10**6)


@pytest.mark.parametrize("seed", range(20))
def test_the_double_answers_as_a_real_metastore(histories: MetastoreSetup, seed: int) -> None:
    real, double = Side(histories), Side(MemorySetup(MemoryMetastore(histories.metastore.line)))
    history: list[Step] = []
    for side in (real, double):
        side.create_tables(str(seed))
    try:
        for step in draw_steps(random.Random(seed), double):
            history.append(step)
            assert double.take(step) == real.take(step), history
    finally:
        real.end_all()


@pytest.fixture(scope="module")
def histories(real_uri: str) -> Iterator[MetastoreSetup]:
    with thrift_setup(real_uri) as setup:
        yield setup
