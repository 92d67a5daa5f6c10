"""A commit that nobody has heard has not happened; one whose answer is lost is asked after."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

import pytest

from doubles.memory_metastore import MemoryMetastore
from hive_acid.config import Settings
from hive_acid.errors import CommitStateUnknown, MetastoreUnavailable, TransactionAborted, build_error
from hive_acid.errors.outcome import StatementOutcome
from hive_acid.metastore.types import TransactionState
from hive_acid.transactions.commits import CommitOutcome
from hive_acid.transactions.locks import Identity
from hive_acid.transactions.manager import Transaction, TransactionManager
from support.faults import Clock
from support.statements import keep_still

Failure = Callable[..., NoReturn]


def fail(*, was_sent: bool) -> Failure:
    def call(*_: object) -> NoReturn:
        error = build_error("HIVE_ACID_METASTORE_UNAVAILABLE", uri="x", method="commit_txn", reason="on purpose")
        assert isinstance(error, MetastoreUnavailable)
        error.was_sent = was_sent
        raise error

    return call


def cancel(*_: object) -> NoReturn:
    raise build_error("HIVE_ACID_CANCELLED", reason="enough")


def forgotten(*_: object) -> NoReturn:
    """As the metastore answers for a transaction that it knows no more."""
    told = {"txnId": 1, "table": "db.t", "reason": "No such transaction"}
    raise build_error("HIVE_ACID_TRANSACTION_ABORTED", **told)


UNREACHED, LOST = fail(was_sent=False), fail(was_sent=True)


@pytest.fixture
def transaction() -> Transaction:
    metastore, who = MemoryMetastore(), Identity("user", "host", "agent")
    return keep_still(TransactionManager(metastore, who, Settings({}), Clock().timing)).begin("db.t")


def fail_in_turn(
    transaction: Transaction, monkeypatch: pytest.MonkeyPatch, method: str, *failures: Failure, goes_on: bool = False
) -> None:
    """Calls of the method fail one after the other so; later ones as the last one, or not if it `goes_on`."""
    metastore, left = transaction._metastore, list(failures)
    real = getattr(metastore, method)

    def call(*arguments: object) -> object:
        if not left:
            return real(*arguments)
        return (left.pop(0) if goes_on or len(left) > 1 else left[0])(*arguments)

    monkeypatch.setattr(metastore, method, call)


def test_a_commit_that_was_never_sent_has_not_happened(
    transaction: Transaction, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_in_turn(transaction, monkeypatch, "commit", UNREACHED)
    fail_in_turn(transaction, monkeypatch, "transaction_state", UNREACHED)
    with pytest.raises(MetastoreUnavailable):
        transaction.commit()
    assert (transaction.outcome, transaction.statement_outcome) == (CommitOutcome.OPEN, StatementOutcome.NOT_COMMITTED)


@pytest.mark.parametrize("commits", [[LOST], [UNREACHED, LOST]], ids=["at-once", "asked-again"])
def test_a_commit_whose_answer_never_comes_may_have_happened(
    transaction: Transaction, monkeypatch: pytest.MonkeyPatch, commits: list[Failure]
) -> None:
    fail_in_turn(transaction, monkeypatch, "commit", *commits)
    with pytest.raises(CommitStateUnknown):
        transaction.commit()
    assert transaction.outcome is CommitOutcome.UNKNOWN


def test_a_commit_is_sent_when_somebody_is_reached(transaction: Transaction, monkeypatch: pytest.MonkeyPatch) -> None:
    fail_in_turn(transaction, monkeypatch, "commit", UNREACHED, goes_on=True)
    transaction.commit()
    assert transaction.outcome is CommitOutcome.COMMITTED


def test_a_cancellation_does_not_end_the_search_for_a_lost_commit(
    transaction: Transaction, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_in_turn(transaction, monkeypatch, "commit", LOST, goes_on=True)
    fail_in_turn(transaction, monkeypatch, "transaction_state", cancel, goes_on=True)
    transaction.commit()
    assert transaction.outcome is CommitOutcome.COMMITTED


@pytest.mark.parametrize("state", [None, TransactionState.COMMITTED, TransactionState.ABORTED])
def test_a_second_commit_of_a_transaction_that_is_known_no_more_leaves_it_to_the_state(
    transaction: Transaction, monkeypatch: pytest.MonkeyPatch, state: TransactionState | None
) -> None:
    states = [TransactionState.OPEN, state]
    fail_in_turn(transaction, monkeypatch, "commit", LOST, forgotten)
    monkeypatch.setattr(transaction._metastore, "transaction_state", lambda _: states.pop(0))
    if state is TransactionState.COMMITTED:
        transaction.commit()
        assert transaction.outcome is CommitOutcome.COMMITTED
        return
    with pytest.raises(CommitStateUnknown if state is None else TransactionAborted):
        transaction.commit()
    assert transaction.outcome is (CommitOutcome.UNKNOWN if state is None else CommitOutcome.ABORTED)


def test_a_first_commit_of_a_transaction_that_is_known_no_more_has_not_happened(
    transaction: Transaction, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_in_turn(transaction, monkeypatch, "commit", UNREACHED, forgotten)
    with pytest.raises(TransactionAborted):
        transaction.commit()
    assert transaction.outcome is CommitOutcome.ABORTED


@pytest.mark.parametrize("state", [None, TransactionState.ABORTED])
def test_what_an_interrupted_commit_wrote_is_kept_unless_it_was_surely_aborted(
    transaction: Transaction, monkeypatch: pytest.MonkeyPatch, state: TransactionState | None
) -> None:
    def interrupt(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    fail_in_turn(transaction, monkeypatch, "commit", interrupt)
    fail_in_turn(transaction, monkeypatch, "abort", forgotten)
    monkeypatch.setattr(transaction._metastore, "transaction_state", lambda _: state)
    with pytest.raises(KeyboardInterrupt) as raised:
        transaction.commit()
    assert transaction.abort_because(raised.value) is (state is TransactionState.ABORTED)
    assert any("its files are kept" in note for note in getattr(raised.value, "__notes__", ())) is (state is None)
