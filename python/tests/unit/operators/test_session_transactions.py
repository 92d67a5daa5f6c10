"""START TRANSACTION, COMMIT and ROLLBACK: which transaction a session may begin and end, and what becomes of it."""

from __future__ import annotations

import pytest

from hive_acid.errors import HiveAcidError
from hive_acid.execution.session_transaction import SessionTransaction
from hive_acid.operators.session_transactions import SessionTransactions
from hive_acid.wire.statement_kinds import StatementKind
from support.statements import World
from support.transaction_block import Block

INSERT = StatementKind.INSERT


class Sessions:
    """The JVM's sessions: `told` are the tokens of which it has heard that they have ended."""

    def __init__(self) -> None:
        self.world = world = World()
        self.told: list[str] = []
        self.transactions = SessionTransactions(world.executor, self._end, self.told.append)

    def _end(self, transaction: SessionTransaction) -> None:
        try:
            self.world.executor.end_transaction(transaction, None)
        finally:
            self.told.append(transaction.token)

    def start(self) -> tuple[str, Block]:
        token = self.transactions.start(None, {})
        found = self.world.executor.find_transaction(token)
        assert found is not None
        return token, Block(self.world, found)

    def is_over(self) -> bool:
        return self.world.executor.snapshots == {} and self.world.open_transactions() == []


@pytest.fixture
def sessions() -> Sessions:
    return Sessions()


def test_a_commit_makes_all_statements_visible_at_once(sessions: Sessions) -> None:
    token, block = sessions.start()
    block.run(INSERT)
    block.run(INSERT)
    assert sessions.world.visible_write_ids() == []
    sessions.transactions.commit(token)
    assert sessions.world.visible_write_ids() == [1]
    assert sessions.told == [token]
    assert sessions.is_over()


def test_a_rollback_leaves_no_file_and_no_lock(sessions: Sessions) -> None:
    token, block = sessions.start()
    block.run(INSERT)
    sessions.transactions.roll_back(token)
    assert sessions.world.folders() == []
    assert sessions.world.memory.held_locks() == []
    assert sessions.told == [token]
    assert sessions.is_over()


def test_a_commit_behind_a_failed_statement_undoes_all_of_it_and_ends_the_transaction(sessions: Sessions) -> None:
    token, block = sessions.start()
    block.run(INSERT)
    sessions.world.engine.fails = RuntimeError("a task failed")
    with pytest.raises(RuntimeError):
        block.run(INSERT)
    with pytest.raises(HiveAcidError) as caught:
        sessions.transactions.commit(token)
    assert caught.value.getCondition() == "HIVE_ACID_TRANSACTION_STATE.STATEMENT_FAILED"
    assert sessions.world.folders() == []
    assert sessions.told == [token]
    assert sessions.is_over()


def test_a_transaction_that_the_metastore_has_ended_says_so_at_its_commit(sessions: Sessions) -> None:
    token, block = sessions.start()
    block.run(INSERT)
    sessions.world.memory.abort(block.transaction.txn_id)
    with pytest.raises(HiveAcidError) as caught:
        sessions.transactions.commit(token)
    assert caught.value.getCondition() == "HIVE_ACID_TRANSACTION_ABORTED"
    assert sessions.told == [token]
    assert sessions.world.executor.snapshots == {}


@pytest.mark.parametrize("end", ["commit", "roll_back"])
def test_a_session_that_is_in_no_transaction_has_none_to_end(sessions: Sessions, end: str) -> None:
    with pytest.raises(HiveAcidError) as caught:
        getattr(sessions.transactions, end)(None)
    assert caught.value.getCondition() == "HIVE_ACID_TRANSACTION_STATE.NONE"


def test_a_session_that_is_in_a_transaction_starts_no_other_one(sessions: Sessions) -> None:
    token, block = sessions.start()
    with pytest.raises(HiveAcidError) as caught:
        sessions.transactions.start(token, {})
    assert caught.value.getCondition() == "HIVE_ACID_TRANSACTION_STATE.NESTED"
    block.run(INSERT)  # it goes on
    sessions.transactions.commit(token)
    assert sessions.world.visible_write_ids() == [1]


@pytest.mark.parametrize("end", ["commit", "roll_back"])
def test_the_transaction_of_a_block_is_left_to_its_block(sessions: Sessions, end: str) -> None:
    of_block = sessions.world.executor.begin_transaction({})
    with pytest.raises(HiveAcidError) as caught:
        getattr(sessions.transactions, end)(of_block.token)
    assert caught.value.getCondition() == "HIVE_ACID_TRANSACTION_STATE.OF_BLOCK"
    sessions.transactions.abandon(of_block.token)
    assert sessions.world.executor.find_transaction(of_block.token) is of_block
    assert sessions.told == []


def test_one_whose_process_has_ended_cannot_be_committed_and_is_rolled_back(sessions: Sessions) -> None:
    with pytest.raises(HiveAcidError) as caught:
        sessions.transactions.commit("of a process before")
    assert caught.value.getCondition() == "HIVE_ACID_TRANSACTION_STATE.ENDED"
    sessions.transactions.roll_back("of a process before")
    assert sessions.told == ["of a process before"] * 2


def test_the_end_of_a_session_undoes_its_transaction_once(sessions: Sessions) -> None:
    token, block = sessions.start()
    block.run(INSERT)
    sessions.transactions.abandon(token)
    sessions.transactions.abandon(token)
    assert sessions.world.folders() == []
    assert sessions.told == [token]
    assert sessions.is_over()


def test_the_end_of_the_application_undoes_what_is_open(sessions: Sessions) -> None:
    token, block = sessions.start()
    block.run(INSERT)
    sessions.world.executor.close()
    assert sessions.world.folders() == []
    assert sessions.world.open_transactions() == []
    with pytest.raises(HiveAcidError) as caught:
        sessions.transactions.commit(token)
    assert caught.value.getCondition() == "HIVE_ACID_TRANSACTION_STATE.STATEMENT_FAILED"
