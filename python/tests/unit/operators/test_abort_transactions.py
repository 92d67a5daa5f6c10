"""ABORT TRANSACTIONS ends all that it names or none, and tells what became of each."""

from __future__ import annotations

import pytest

from doubles.memory_metastore import MemoryMetastore
from hive_acid.errors import HiveAcidError
from hive_acid.metastore.types import (
    LockComponent,
    LockKind,
    MetastoreLine,
    OperationKind,
    TransactionInfo,
    TransactionState,
)
from hive_acid.model.table import TableName
from hive_acid_ops.statements.show_transactions import abort_transactions

T = TableName("db", "t")


@pytest.fixture(params=list(MetastoreLine), ids=lambda line: line.value)
def memory(request: pytest.FixtureRequest) -> MemoryMetastore:
    return MemoryMetastore(request.param)


def begin(memory: MemoryMetastore) -> int:
    return memory.open_transaction("ada", "host", "agent")


def test_open_transactions_are_aborted_and_let_go_of_their_locks(memory: MemoryMetastore) -> None:
    first, second, third = begin(memory), begin(memory), begin(memory)
    component = LockComponent(T, LockKind.EXCLUSIVE, OperationKind.UPDATE)
    memory.lock(second, [component], "ada", "host", "agent")
    assert abort_transactions(memory, [second, first]) == [(second, "ABORTED"), (first, "ABORTED")]
    states = {info.id: info.state for info in memory.transactions()}
    aborted = TransactionState.ABORTED
    assert states == {first: aborted, second: aborted, third: TransactionState.OPEN}
    assert memory.held_locks() == []


@pytest.mark.parametrize("end", ["commit", "abort", "never begun"])
def test_none_is_aborted_if_one_is_not_open(memory: MemoryMetastore, end: str) -> None:
    good, ended = begin(memory), begin(memory)
    if end == "never begun":
        ended = 1_000
    else:
        memory.allocate_write_id(ended, T)
        component = LockComponent(T, LockKind.SHARED_READ, OperationKind.INSERT)
        memory.lock(ended, [component], "ada", "host", "agent")
        getattr(memory, end)(ended)
    with pytest.raises(HiveAcidError) as raised:
        abort_transactions(memory, [good, ended])
    assert raised.value.getCondition() == "HIVE_ACID_TRANSACTION_NOT_OPEN"
    assert raised.value.getMessageParameters()["txnId"] == str(ended)
    assert {"commit": "committed", "abort": "aborted", "never begun": "none of this ID"}[end] in str(raised.value)
    assert memory.transaction_state(good) is TransactionState.OPEN


def test_one_that_is_committed_meanwhile_is_told_so() -> None:
    class Racing(MemoryMetastore):
        def abort_transactions(self, txn_ids: object) -> None:
            self.commit(2)
            super().abort_transactions([1, 2])

    memory = Racing()
    begin(memory), begin(memory)
    assert abort_transactions(memory, [2, 1]) == [(2, "COMMITTED"), (1, "ABORTED")]


def test_one_that_is_forgotten_at_once_was_aborted() -> None:
    class Forgetting(MemoryMetastore):
        is_aborted = False

        def abort_transactions(self, txn_ids: object) -> None:
            self.is_aborted = True

        def transactions(self) -> list[TransactionInfo]:
            return [] if self.is_aborted else super().transactions()

        def transaction_state(self, txn_id: int) -> TransactionState | None:
            return None if self.is_aborted else super().transaction_state(txn_id)

    memory = Forgetting()
    assert abort_transactions(memory, [begin(memory)]) == [(1, "ABORTED")]


def test_one_that_only_reads_and_is_not_listed_is_aborted() -> None:
    class Hiding(MemoryMetastore):
        def transactions(self) -> list[TransactionInfo]:
            return [info for info in super().transactions() if info.state is not TransactionState.OPEN]

    memory = Hiding()
    assert abort_transactions(memory, [begin(memory)]) == [(1, "ABORTED")]
